// How a stream begins: the present children, as if each had just been added.

public import HearthCore

/// The children that a view shows, in its order, as `added` events; each is made when it is asked for.
///
/// It keeps the state's tree, which costs nothing; where the tree's own order is the asked one it needs
/// no memory beyond that, however many children there are.
public struct PresentChildren: Sequence, IteratorProtocol, Sendable {
    /// The walk in the tree's own order; nil if there is another one to go through.
    private var walk: ChildCursor?
    private var node = Node.empty
    private var positions: [Query.Position] = []
    private var index = 0
    private var previous: Key?

    init(of view: View, in state: State, sortLimit: Int) throws(Refusal) {
        let ordered = try OrderedChildren(of: view, in: state, sortLimit: sortLimit)
        walk = ordered.run?.makeIterator()
        guard walk == nil else { return }
        node = ordered.node
        positions = ordered.positions
    }

    /// The next child, nil at the end.
    public mutating func next() -> ChildEvent? {
        guard let child = nextChild() else { return nil }
        defer { previous = child.key }
        return ChildEvent(.added, key: child.key, previous: previous, data: child.node)
    }

    private mutating func nextChild() -> ChildEntry? {
        if walk != nil { return walk?.next() }
        guard index < positions.count else { return nil }
        defer { index += 1 }
        let key = positions[index].key
        return ChildEntry(key: key, node: node.child(key))
    }
}

extension View {
    /// The present children of this view as `added` events, in its order.
    ///
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    public func present(
        in state: State, sortLimit: Int = Window.defaultSortLimit
    ) throws(Refusal) -> PresentChildren {
        try PresentChildren(of: self, in: state, sortLimit: sortLimit)
    }
}
