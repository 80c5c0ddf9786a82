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

    /// Makes sure that nobody else sees the page, and that nothing is known of it that a change would belie.
    private static func makeUnique(_ page: inout Page) {
        if isKnownUniquelyReferenced(&page) {
            page.forgetFindings()
        } else {
            page = Page(copying: page)
        }
    }

    private func updateEntry(_ key: Key, _ change: (inout Node) -> Void) {
        if let packed { return updatePacked(packed, key, change) }
        updateUnpacked(key, change)
        pack()
    }

    private func updatePacked(_ old: PackedChildren, _ key: Key, _ change: (inout Node) -> Void) {
        let index = lowerBound(key)
        let isNew = !hasKey(key, at: index)
        var node = isNew ? .empty : old.node(at: index)
        change(&node)
        if node.isEmpty {
            if !isNew { become(old.removing(at: index)) }
            return
        }
        if node.isPackable {
            let new = old.setting(node, for: key, at: index, isNew: isNew)
            if new.bytes.count <= PackedChildren.byteLimit { return become(new) }
        }
        var entries = old.entries
        if isNew {
            entries.insert(ChildEntry(key: key, node: node), at: index)
        } else {
            entries[index].node = node
        }
        self.entries = entries
        packed = nil
        tally = entries.reduce(into: Tally()) { $0 += Tally($1) }
    }

    private func become(_ new: PackedChildren) {
        packed = new
        tally = Tally(new)
    }

    /// Packs the entries again when that has become possible, and not just barely.
    private func pack() {
        guard let new = PackedChildren(entries, byteLimit: PackedChildren.byteLimit / 4 * 3) else { return }
        become(new)
        entries = []
    }

    private func updateUnpacked(_ key: Key, _ change: (inout Node) -> Void) {
        let index = lowerBound(key)
        guard index < entries.count, entries[index].key == key else {
            var node = Node.empty
            change(&node)
            guard !node.isEmpty else { return }
            let entry = ChildEntry(key: key, node: node.detached)
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
            // Apart, the two may weigh something else.
            tally -= after
            tally += slots[index].page.tally
            tally += upper.page.tally
        } else if after.count < before.count {
            refill(index)
        }
    }

    /// Moves the upper half to a page of its own; or only the last item, if `key` was put last at the
    /// right edge.
    private func splitOff(appending key: Key?) -> Slot {
        let lastKey = height == 0 ? self.key(at: size - 1) : slots[slots.count - 1].lower
        let isAppending = key.map { $0 >= lastKey } ?? false
        let keep = isAppending ? size - 1 : size / 2
        let upper: Slot
        if let packed {
            upper = Slot(lower: packed.key(at: keep), page: Page(packed: packed.part(keep..<packed.count)))
            become(packed.part(0..<keep))
            return upper
        }
        if height == 0 {
            upper = Slot(lower: entries[keep].key, page: .leaf(ContiguousArray(entries[keep...])))
            // A fresh array has no room to spare, which a page that stays full would never use.
            entries = ContiguousArray(entries[..<keep])
            tally = entries.reduce(into: Tally()) { $0 += Tally($1) }
            pack()
            return upper
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
        tally -= slots[left].page.tally
        tally -= slots[left + 1].page.tally
        let joined = Page.distribute(slots[left].page, slots[left + 1])
        slots[left].page = joined.lower
        tally += joined.lower.tally
        if let upper = joined.upper {
            tally += upper.page.tally
            slots[left + 1] = upper
        } else {
            slots.remove(at: left + 1)
        }
    }

    /// The content of two neighbours in one page, or evenly in two.
    private static func distribute(_ lower: Page, _ upper: Slot) -> (lower: Page, upper: Slot?) {
        if lower.height == 0 { return distributeEntries(lower, upper.page) }
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

    private static func distributeEntries(_ lower: Page, _ upper: Page) -> (lower: Page, upper: Slot?) {
        if let left = lower.packed, let right = upper.packed {
            let all = left.joined(with: right)
            if all.count <= entryLimit, all.bytes.count <= PackedChildren.byteLimit {
                return (Page(packed: all), nil)
            }
            if all.count > entryLimit {
                let half = all.count / 2
                let page = Page(packed: all.part(half..<all.count))
                return (Page(packed: all.part(0..<half)), Slot(lower: page.key(at: 0), page: page))
            }
        }
        let all = lower.allEntries + upper.allEntries
        guard all.count > entryLimit else { return (.leaf(all), nil) }
        let half = all.count / 2
        return (
            .leaf(ContiguousArray(all[..<half])),
            Slot(lower: all[half].key, page: .leaf(ContiguousArray(all[half...])))
        )
    }

    /// The entries, unpacked if need be.
    var allEntries: ContiguousArray<ChildEntry> { packed?.entries ?? entries }
}
