// Writes make a new node: what is above the written place is copied, all else is shared.

extension Node {
    /// The tree with `node` at `path` instead of what stood there, priority included.
    ///
    /// Setting nothing removes; ancestors left without children vanish with their priorities; removing below a
    /// leaf changes nothing. Setting below a leaf turns it into children and keeps its priority
    /// (wire-protocol.md §10.3).
    ///
    /// - Complexity: O(depth · log n) in the number of siblings.
    public func setting(_ node: Node, at path: Path) -> Node {
        setting(node, at: path.keys[...])
    }

    /// The mutating twin of `setting(_:at:)`.
    public mutating func set(_ node: Node, at path: Path) {
        self = setting(node, at: path)
    }

    /// The same value with another priority; nothing stays nothing.
    public func settingPriority(_ priority: Priority) -> Node {
        switch storage {
        case .empty: self
        case .leaf(let leaf): Node(leaf, priority: priority)
        case .ranked(let ranked): Node(ranked.leaf, priority: priority)
        case .children(let tree): Node(storage: .children(tree.settingPriority(priority)))
        }
    }

    private func setting(_ node: Node, at keys: ArraySlice<Key>) -> Node {
        guard let key = keys.first else { return node }
        switch storage {
        case .children(let tree):
            let child = (tree.node(for: key) ?? .empty).setting(node, at: keys.dropFirst())
            let changed = tree.setting(child, for: key)
            return changed.count == 0 ? .empty : Node(storage: .children(changed))
        case .empty, .leaf, .ranked:
            let child = Node.empty.setting(node, at: keys.dropFirst())
            guard !child.isEmpty else { return self }
            let tree = ChildTree(priority: priority).setting(child, for: key)
            return Node(storage: .children(tree))
        }
    }
}
