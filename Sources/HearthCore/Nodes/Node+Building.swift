// Building a node from its children, as readers of JSON and of checkpoints do.

extension Node {
    /// Gathers children into a node; fast when they come in ascending key order.
    public struct Builder: Sendable {
        /// Full pages, in ascending order, as long as the keys ascend.
        private var full: [Page] = []
        /// The children after those in the full pages, in order.
        private var tail: ContiguousArray<ChildEntry> = []
        /// Everything, once a key came that belongs into a full page.
        private var root: Page?

        /// A builder without children.
        public init() {}

        /// Adds a child; a later one of the same name replaces it, an empty one removes it.
        ///
        /// - Complexity: amortised O(1) in ascending order, else O(log n).
        public mutating func insert(_ node: Node, for key: Key) {
            if root != nil || (full.last?.entries.last).map({ key <= $0.key }) ?? false {
                insertIntoTree(node, for: key)
            } else if let last = tail.last, key <= last.key {
                insertIntoTail(node, for: key)
            } else if !node.isEmpty {
                if tail.count == Page.entryLimit {
                    full.append(Page(entries: tail))
                    tail = []
                    tail.reserveCapacity(Page.entryLimit)
                }
                tail.append(ChildEntry(key: key, node: node))
            }
        }

        /// The node; empty if it has no children (its priority is then gone).
        public func finish(priority: Priority = .none) -> Node {
            guard let page = root ?? builtRoot(), page.tally.count > 0 else { return .empty }
            return Node(page: page, priority: priority)
        }

        private mutating func insertIntoTail(_ node: Node, for key: Key) {
            var index = tail.count - 1
            while index > 0, key <= tail[index - 1].key { index -= 1 }
            if tail[index].key == key {
                if node.isEmpty { tail.remove(at: index) } else { tail[index].node = node }
            } else if !node.isEmpty {
                tail.insert(ChildEntry(key: key, node: node), at: index)
                if tail.count > Page.entryLimit {
                    full.append(Page(entries: ContiguousArray(tail[..<(tail.count / 2)])))
                    tail = ContiguousArray(tail[(tail.count / 2)...])
                }
            }
        }

        private mutating func insertIntoTree(_ node: Node, for key: Key) {
            guard var page = root ?? builtRoot() else { return }
            root = nil
            full = []
            tail = []
            Page.update(root: &page, key) { $0 = node }
            root = page
        }

        /// The pages so far, under as many levels as they need; nil if there are none.
        private func builtRoot() -> Page? {
            if full.isEmpty {
                let hasRoom = tail.capacity > tail.count + 1
                return tail.isEmpty ? nil : Page(entries: hasRoom ? ContiguousArray(tail[...]) : tail)
            }
            let pages = tail.isEmpty ? full : full + [Page(entries: tail)]
            var slots = ContiguousArray(pages.map { Page.Slot(lower: $0.entries[0].key, page: $0) })
            var height = 0
            while slots.count > 1 {
                height += 1
                slots = Self.grouped(slots, height: height)
            }
            return slots[0].page
        }

        private static func grouped(
            _ slots: ContiguousArray<Page.Slot>, height: Int
        ) -> ContiguousArray<Page.Slot> {
            var groups: ContiguousArray<Page.Slot> = []
            for start in stride(from: 0, to: slots.count, by: Page.slotLimit) {
                let group = ContiguousArray(slots[start..<min(start + Page.slotLimit, slots.count)])
                groups.append(Page.Slot(lower: group[0].lower, page: Page(height: height, slots: group)))
            }
            return groups
        }
    }
}
