// Building a node from its children, as readers of JSON and of checkpoints do.

extension Node {
    /// Gathers children into a node; fast when they come in ascending key order.
    public struct Builder: Sendable {
        /// Full pages, in ascending order, as long as the keys ascend.
        private var full = PageSpine()
        /// The children after those in the full pages, in order: as text while that is possible, else as
        /// entries. One of the two is empty.
        private var packedTail = PackedChildren()
        private var tail: ContiguousArray<ChildEntry> = []
        /// The greatest key so far, while there is no root.
        private var last: Key?
        /// Everything, once a key came that belongs into a full page.
        private var root: Page?

        /// A builder without children.
        public init() {}

        /// A builder with children that are in order.
        init(_ entries: ContiguousArray<ChildEntry>) {
            for entry in entries { insert(entry.node, for: entry.key) }
        }

        /// Adds a child; a later one of the same name replaces it, an empty one removes it.
        ///
        /// - Complexity: amortised O(1) in ascending order, else O(log n).
        public mutating func insert(_ node: Node, for key: Key) {
            if root != nil { return insertIntoTree(node, for: key) }
            if let last, key <= last { return insertBefore(node, for: key) }
            guard !node.isEmpty else { return }
            makeRoom()
            if tail.isEmpty, node.isPackable, packedTail.hasRoom(for: key, node.packedByteLimit) {
                packedTail.append(key, node)
            } else {
                unpackTail()
                tail.append(ChildEntry(key: key, node: node))
            }
            last = key
        }

        /// Adds a child whose canonical text is `text`, an object of at most `PackedText.recordLimit` bytes.
        /// `name` is how its key stands between quotes.
        mutating func insert(
            text: UnsafeRawBufferPointer, for key: Key, named name: UnsafeRawBufferPointer
        ) {
            guard root == nil, last.map({ $0 < key }) ?? true, tail.isEmpty else {
                return insert(Node(storage: .packed(PackedRecord([UInt8](text)))), for: key)
            }
            makeRoom()
            guard packedTail.hasRoom(for: key, text.count) else {
                return insert(Node(storage: .packed(PackedRecord([UInt8](text)))), for: key)
            }
            packedTail.append(key, named: name, text: text)
            last = key
        }

        /// Whether a key comes after all others, as long as they have come in order.
        public func comesLast(_ key: Key) -> Bool {
            root == nil && (last.map { $0 < key } ?? true)
        }

        /// Appends the children of a page; false unless they come after all others.
        mutating func append(_ children: PackedChildren) -> Bool {
            let first = children.key(at: 0)
            guard root == nil, last.map({ $0 < first }) ?? true else { return false }
            if tail.isEmpty, packedTail.count == 0, children.count >= Builder.pageFloor {
                full.append(Page(packed: children))
                last = children.key(at: children.count - 1)
            } else {
                for entry in children.entries { insert(entry.node, for: entry.key) }
            }
            return true
        }

        /// How many members `append(members:_:last:isFull:)` takes next, and the key that they must come
        /// after; nil if it takes none.
        mutating func memberRoom() -> (room: MemberRoom, last: Key?)? {
            guard root == nil, tail.isEmpty else { return nil }
            makeRoom()
            let room = MemberRoom(
                count: Page.entryLimit - packedTail.count,
                byteCount: PackedChildren.byteLimit - packedTail.bytes.count - 1)
            return (room, last)
        }

        /// Appends members as they stand in canonical text; `marks` count from its beginning.
        ///
        /// - Parameter isFull: whether there would be no room for the next one.
        mutating func append(
            members text: UnsafeRawBufferPointer, _ marks: UnsafeBufferPointer<PackedChildren.Mark>,
            last: Key,
            isFull: Bool
        ) {
            self.last = last
            if isFull, packedTail.count == 0, marks.count >= Builder.pageFloor {
                full.append(Page(packed: PackedChildren([UInt8](text), ContiguousArray(marks))))
                return
            }
            packedTail.append(members: text, marks)
            if isFull { closePage() }
        }

        /// Makes a page of the tail, unless it would be a small one.
        private mutating func closePage() {
            guard packedTail.count >= Builder.pageFloor else { return }
            full.append(Page(packed: packedTail.trimmed))
            packedTail.removeAll()
        }

        /// No page has fewer children, if not at the right edge.
        private static let pageFloor = Page.entryLimit / 2

        /// The node; empty if it has no children (its priority is then gone).
        public func finish(priority: Priority = .none) -> Node {
            guard let page = root ?? builtRoot(), page.tally.count > 0 else { return .empty }
            return Node(page: page, priority: priority)
        }

        /// Makes a page of the tail if it is full.
        private mutating func makeRoom() {
            if packedTail.count == Page.entryLimit {
                full.append(Page(packed: packedTail.trimmed))
                packedTail.removeAll()
            } else if tail.count == Page.entryLimit {
                full.append(.leaf(tail))
                tail = []
            }
        }

        private mutating func unpackTail() {
            guard packedTail.count > 0 else { return }
            tail = packedTail.entries
            packedTail = PackedChildren()
        }

        /// Adds a child that does not come last.
        private mutating func insertBefore(_ node: Node, for key: Key) {
            if let page = full.last, key <= page.lastKey { return insertIntoTree(node, for: key) }
            unpackTail()
            insertIntoTail(node, for: key)
            last = tail.last?.key ?? full.last?.lastKey
        }

        private mutating func insertIntoTail(_ node: Node, for key: Key) {
            var index = tail.count - 1
            while index > 0, key <= tail[index - 1].key { index -= 1 }
            if tail[index].key == key {
                if node.isEmpty { tail.remove(at: index) } else { tail[index].node = node }
            } else if !node.isEmpty {
                tail.insert(ChildEntry(key: key, node: node), at: index)
                if tail.count > Page.entryLimit {
                    full.append(.leaf(ContiguousArray(tail[..<(tail.count / 2)])))
                    tail = ContiguousArray(tail[(tail.count / 2)...])
                }
            }
        }

        private mutating func insertIntoTree(_ node: Node, for key: Key) {
            guard var page = root ?? builtRoot() else { return }
            root = nil
            full = PageSpine()
            tail = []
            packedTail = PackedChildren()
            Page.update(root: &page, key) { $0 = node }
            root = page
        }

        /// The page of the tail, nil if that is empty.
        private var tailPage: Page? {
            if packedTail.count > 0 { return Page(packed: packedTail.trimmed) }
            return tail.isEmpty ? nil : .leaf(tail)
        }

        /// The pages so far, under as many levels as they need; nil if there are none.
        private func builtRoot() -> Page? {
            full.root(with: tailPage)
        }
    }
}
