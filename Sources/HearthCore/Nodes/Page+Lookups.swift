// Looking many children up at once, so that memory is waited for once and not for each.

extension Node {
    /// The children of those names, in the same order; empty where there is none.
    ///
    /// In a large node each lookup waits for memory several times; here they go down side by side, and wait
    /// together.
    /// - Complexity: O(names · log n).
    public func children(named keys: [Key]) -> [Node] {
        let page: Page
        switch storage {
        case .children(let children): page = children
        case .rankedChildren(let ranked): page = ranked.page
        case .empty, .leaf, .ranked, .packed: return keys.map(child)
        }
        var nodes: [Node] = []
        nodes.reserveCapacity(keys.count)
        for start in stride(from: 0, to: keys.count, by: Page.lookupLimit) {
            page.look(keys[start..<min(start + Page.lookupLimit, keys.count)], &nodes)
        }
        return nodes
    }
}

extension Page {
    /// So many lookups go side by side: what they look at should fit the nearest cache.
    fileprivate static let lookupLimit = 64
    /// Pages above this height are so few that they are near anyway.
    private static let farHeight = 1

    /// Appends the node of each key, empty where there is none.
    fileprivate func look(_ keys: ArraySlice<Key>, _ nodes: inout [Node]) {
        var pages = ContiguousArray(repeating: Unmanaged.passUnretained(self), count: keys.count)
        for height in (0..<height).reversed() {
            for (index, key) in keys.enumerated() {
                pages[index] = pages[index]._withUnsafeGuaranteedRef { $0.page(for: key, guesses: false) }
            }
            if height <= Page.farHeight { Page.fetch(pages) }
        }
        var places: ContiguousArray<Int> = []
        places.reserveCapacity(keys.count)
        for (page, key) in zip(pages, keys) {
            places.append(page._withUnsafeGuaranteedRef { $0.lowerBound(key, guesses: false) })
        }
        var weight = 0
        for (page, place) in zip(pages, places) {
            weight &+= page._withUnsafeGuaranteedRef { $0.weight(at: place) }
        }
        precondition(weight >= 0, "nodes weigh something")
        for (index, key) in keys.enumerated() {
            let node = pages[index]._withUnsafeGuaranteedRef { $0.entryNode(key, at: places[index]) }
            nodes.append(node ?? .empty)
        }
    }

    private func weight(at place: Int) -> Int {
        if let packed { return place < packed.count ? Int(packed.marks[place].end) : 0 }
        return entries.withUnsafeBufferPointer { entries in
            place < entries.count ? entries[place].node.weight : 0
        }
    }

    /// Looks at what a search will need of each page, without waiting for one before the next.
    private static func fetch(_ pages: ContiguousArray<Unmanaged<Page>>) {
        var size = 0
        for page in pages { size &+= page._withUnsafeGuaranteedRef { $0.height } }
        for page in pages { size &+= page._withUnsafeGuaranteedRef { $0.size } }
        var sum: UInt64 = 0
        for page in pages { sum |= page._withUnsafeGuaranteedRef { $0.milestones } }
        precondition(size > 0 && sum != 0, "pages are not empty, nor are keys")
    }

    /// The keys that a search compares first, in one number that says nothing.
    private var milestones: UInt64 {
        let step = max(1, size / 4)
        var sum: UInt64 = 0
        for index in stride(from: size - 1, to: 0, by: -step) {
            sum |= word(at: index)
        }
        return sum | word(at: 0)
    }

    private func word(at index: Int) -> UInt64 {
        height == 0 ? packed?.marks[index].word ?? entries[index].key.word0 : slots[index].lower.word0
    }
}
