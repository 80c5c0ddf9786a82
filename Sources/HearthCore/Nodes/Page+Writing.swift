// Changing one child: the pages on the way are copied if they are shared, then split or joined where
// needed.

extension Page {
    /// Changes the child of `key`: `change` gets the node, empty if there is none, and may leave it empty.
    ///
    /// The root may be left without any entry.
    static func update(root: inout Page, _ key: Key, _ change: (inout Node) -> Void) {
        update(&root, key, isAtRightEdge: true, change)
        if root.size > root.limit {
            let lower = root
            let upper = lower.splitOff(appending: key)
            root = Page(height: lower.height + 1, slots: [Slot(lower: upper.lower, page: lower), upper])
        }
        while root.height > 0, root.slots.count == 1 { root = root.slots[0].page }
    }

    private static func update(
        _ page: inout Page, _ key: Key, isAtRightEdge: Bool, _ change: (inout Node) -> Void
    ) {
        makeUnique(&page)
        if page.height == 0 {
            page.updateEntry(key, change)
        } else {
            page.updateSlot(key, isAtRightEdge: isAtRightEdge, change)
        }
    }

    /// Makes sure that nobody else sees the page, and that it has no digest that the change would belie.
    private static func makeUnique(_ page: inout Page) {
        if isKnownUniquelyReferenced(&page) {
            page.forgetDigest()
        } else {
            page = Page(copying: page)
        }
    }

    private func updateEntry(_ key: Key, _ change: (inout Node) -> Void) {
        let index = lowerBound(key)
        guard index < entries.count, entries[index].key == key else {
            var node = Node.empty
            change(&node)
            guard !node.isEmpty else { return }
            let entry = ChildEntry(key: key, node: node)
            tally += Tally(entry)
            entries.insert(entry, at: index)
            return
        }
        tally -= Tally(entries[index])
        change(&entries[index].node)
        if entries[index].node.isEmpty {
            entries.remove(at: index)
        } else {
            tally += Tally(entries[index])
        }
    }

    private func updateSlot(_ key: Key, isAtRightEdge: Bool, _ change: (inout Node) -> Void) {
        let index = slotIndex(key)
        let before = slots[index].page.tally
        let isLast = index == slots.count - 1
        Page.update(&slots[index].page, key, isAtRightEdge: isAtRightEdge && isLast, change)
        let after = slots[index].page.tally
        tally -= before
        tally += after
        if slots[index].page.size > slots[index].page.limit {
            let upper = slots[index].page.splitOff(appending: isAtRightEdge && isLast ? key : nil)
            slots.insert(upper, at: index + 1)
        } else if after.count < before.count {
            refill(index)
        }
    }

    /// Moves the upper half to a page of its own; or only the last item, if `key` was put last at the
    /// right edge.
    private func splitOff(appending key: Key?) -> Slot {
        let lastKey = height == 0 ? entries[entries.count - 1].key : slots[slots.count - 1].lower
        let isAppending = key.map { $0 >= lastKey } ?? false
        let keep = isAppending ? size - 1 : size / 2
        let upper: Slot
        if height == 0 {
            upper = Slot(lower: entries[keep].key, page: Page(entries: ContiguousArray(entries[keep...])))
            // A fresh array has no room to spare, which a page that stays full would never use.
            entries = ContiguousArray(entries[..<keep])
        } else {
            let page = Page(height: height, slots: ContiguousArray(slots[keep...]))
            upper = Slot(lower: slots[keep].lower, page: page)
            slots = ContiguousArray(slots[..<keep])
        }
        tally -= upper.page.tally
        return upper
    }

    /// Joins a page that became too small with a neighbour, or takes over part of the neighbour's content.
    private func refill(_ index: Int) {
        let page = slots[index].page
        guard page.size > 0 else {
            slots.remove(at: index)
            return
        }
        guard page.size < page.floor, slots.count > 1 else { return }
        let left = index > 0 ? index - 1 : 0
        let joined = Page.distribute(slots[left].page, slots[left + 1])
        slots[left].page = joined.lower
        if let upper = joined.upper {
            slots[left + 1] = upper
        } else {
            slots.remove(at: left + 1)
        }
    }

    /// The content of two neighbours in one page, or evenly in two.
    private static func distribute(_ lower: Page, _ upper: Slot) -> (lower: Page, upper: Slot?) {
        if lower.height == 0 {
            let all = lower.entries + upper.page.entries
            guard all.count > entryLimit else { return (Page(entries: all), nil) }
            let half = all.count / 2
            let page = Page(entries: ContiguousArray(all[half...]))
            return (Page(entries: ContiguousArray(all[..<half])), Slot(lower: all[half].key, page: page))
        }
        let height = lower.height
        var all = lower.slots
        all.append(contentsOf: upper.page.slots)
        // What was a first slot, whose bound is not looked at, gets the bound that its page had.
        all[lower.slots.count].lower = upper.lower
        guard all.count > slotLimit else { return (Page(height: height, slots: all), nil) }
        let half = all.count / 2
        let page = Page(height: height, slots: ContiguousArray(all[half...]))
        return (
            Page(height: height, slots: ContiguousArray(all[..<half])),
            Slot(lower: all[half].lower, page: page)
        )
    }
}
