// Putting one value where others are: what nearly every write does, with next to no counting of references.

extension Node {
    /// The tree with `node` at `path`, all else shared; nil where `set` must find out what becomes of the
    /// places on the way.
    func putting(_ node: Node, at path: Path) -> Node? {
        guard !node.isEmpty, !path.isRoot, case .children(let page) = storage,
            let changed = page.putting(node, at: path.keys, from: 0)
        else { return nil }
        return Node(page: changed)
    }
}

extension Page {
    /// The children with `node` at `keys` from the one at `depth` on; nil unless new pages in the places of
    /// those on the way are all that it takes. `update` does the rest: splits, packs, unpacks, changes small
    /// objects.
    ///
    /// - Complexity: O(depth · log n), and copying the text of the page in which it is put.
    fileprivate func putting(_ node: Node, at keys: [Key], from depth: Int) -> Page? {
        if height > 0 { return puttingBelow(node, at: keys, from: depth) }
        guard let packed else { return puttingDeeper(node, at: keys, from: depth) }
        guard depth == keys.count - 1, node.isPackable else { return nil }
        let key = keys[depth]
        let index = lowerBound(key)
        let isNew = !hasKey(key, at: index)
        guard !isNew || packed.count < Page.entryLimit else { return nil }
        let changed = packed.setting(node, for: key, at: index, isNew: isNew)
        return changed.bytes.count <= PackedChildren.byteLimit ? Page(packed: changed) : nil
    }

    private func puttingBelow(_ node: Node, at keys: [Key], from depth: Int) -> Page? {
        let index = slotIndex(keys[depth])
        let below = slots.withUnsafeBufferPointer { Unmanaged.passUnretained($0[index].page) }
        return below._withUnsafeGuaranteedRef { below in
            guard let changed = below.putting(node, at: keys, from: depth) else { return nil }
            var tally = tally
            tally -= below.tally
            tally += changed.tally
            let slot = Slot(lower: slots[index].lower, page: changed)
            return Page(height: height, slots: slots.replacing(index, by: slot), tally: tally)
        }
    }

    /// Puts into a child that has pages of its own and keeps them.
    private func puttingDeeper(_ node: Node, at keys: [Key], from depth: Int) -> Page? {
        guard depth < keys.count - 1 else { return nil }
        let key = keys[depth]
        guard let below = pages(at: lowerBound(key), named: key) else { return nil }
        return below.page._withUnsafeGuaranteedRef { page in
            guard let changed = page.putting(node, at: keys, from: depth + 1),
                changed.tally.weight + 2 > PackedText.recordLimit
            else { return nil }
            let entry = ChildEntry(key: key, node: Node(storage: .children(changed)))
            var tally = tally
            tally.weight += changed.tally.weight - page.tally.weight
            return Page(entries: entries.replacing(below.index, by: entry), tally: tally)
        }
    }

    /// The pages of the child at `index`, if it has that name, and has some, and no priority.
    private func pages(at index: Int, named key: Key) -> (index: Int, page: Unmanaged<Page>)? {
        entries.withUnsafeBufferPointer { entries in
            guard index < entries.count, entries[index].key == key,
                case .children(let page) = entries[index].node.storage
            else { return nil }
            return (index, Unmanaged.passUnretained(page))
        }
    }
}

extension ContiguousArray {
    /// The same with another element at `index`.
    @inline(__always)
    fileprivate func replacing(_ index: Int, by element: Element) -> ContiguousArray {
        var copy = self
        copy[index] = element
        return copy
    }
}
