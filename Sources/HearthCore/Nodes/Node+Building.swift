// Building a node from its children, as readers of JSON and of checkpoints do.

extension Node {
    /// Gathers children into a node; fast when they come in ascending key order.
    public struct Builder {
        private var tree = ChildTree(priority: .none)

        /// A builder without children.
        public init() {}

        /// Adds a child; a later one of the same name replaces it, an empty one removes it.
        ///
        /// - Complexity: amortised O(1) in ascending order, else O(log n).
        public mutating func insert(_ node: Node, for key: Key) {
            tree = tree.setting(node, for: key)
        }

        /// The node; empty if it has no children (its priority is then gone).
        public func finish(priority: Priority = .none) -> Node {
            tree.count == 0 ? .empty : Node(storage: .children(tree.settingPriority(priority)))
        }
    }
}
