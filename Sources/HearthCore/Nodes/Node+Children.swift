// Walking over children, in both directions, from any place.

/// A child and its name.
public struct ChildEntry: Sendable {
    /// The child's name.
    public let key: Key
    /// The child, never empty.
    public let node: Node

    /// Puts the two together.
    public init(key: Key, node: Node) {
        self.key = key
        self.node = node
    }
}

/// A place between keys.
public enum KeyPosition: Hashable, Sendable {
    /// Before every key.
    case start
    /// Just before a key, whether a child has it or not.
    case before(Key)
    /// Just after a key.
    case after(Key)
    /// After every key.
    case end
}

/// A walk over the children of one node. It keeps that node; writes do not disturb it.
public struct ChildCursor: Sequence, IteratorProtocol, Sendable {
    private let tree: ChildTree?
    private var index: Int
    private let step: Int

    init(tree: ChildTree?, from position: KeyPosition, ascending: Bool) {
        self.tree = tree
        step = ascending ? 1 : -1
        guard let tree else {
            index = 0
            return
        }
        let next =
            switch position {
            case .start: 0
            case .before(let key): tree.lowerBound(key)
            case .after(let key): tree.lowerBound(key) + (tree.node(for: key) == nil ? 0 : 1)
            case .end: tree.count
            }
        index = ascending ? next : next - 1
    }

    /// The next child, nil at the end. Amortised O(1).
    public mutating func next() -> ChildEntry? {
        guard let tree, index >= 0, index < tree.count else { return nil }
        defer { index += step }
        return tree.entries[index]
    }
}

extension Node {
    /// The children in key order from `position` on, or in reverse order from `position` back.
    ///
    /// - Complexity: O(log n) to start, amortised O(1) a step.
    public func children(from position: KeyPosition = .start) -> ChildCursor {
        ChildCursor(tree: childTree, from: position, ascending: true)
    }

    /// The children in reverse key order, beginning with the one just before `position`.
    public func childrenReversed(from position: KeyPosition = .end) -> ChildCursor {
        ChildCursor(tree: childTree, from: position, ascending: false)
    }

    private var childTree: ChildTree? {
        if case .children(let tree) = storage { return tree }
        return nil
    }
}
