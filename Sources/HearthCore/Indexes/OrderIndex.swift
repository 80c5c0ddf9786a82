// The children of one place in one order, kept beside the tree.

/// The children of one place in one order, kept up to date with every commit. It names them; their values
/// stand in the tree.
public struct OrderIndex: Sendable {
    /// What the children are ordered by; never the key.
    public let order: Query.Order
    private(set) var entries: SortedPages<Query.Position>

    /// Sorts the children of a node.
    ///
    /// - Complexity: O(n log n).
    init(order: Query.Order, over node: Node) {
        self.order = order
        let positions = node.children().map { Query.Position(value: order.value(of: $0.node), key: $0.key) }
        entries = SortedPages(sorted: positions.sorted())
    }

    /// How many children there are.
    public var count: Int { entries.count }

    /// Upwards from a bound, or from the first child.
    ///
    /// - Complexity: O(log n) to start, amortised O(1) a step.
    public func ascending(from bound: Query.Bound? = nil) -> OrderCursor {
        guard let bound else { return OrderCursor(entries.ascending()) }
        return OrderCursor(entries.ascending { $0.precedes(bound, in: order) })
    }

    /// Downwards from a bound, or from the last child.
    public func descending(from bound: Query.Bound? = nil) -> OrderCursor {
        guard let bound else { return OrderCursor(entries.descending()) }
        return OrderCursor(entries.descending { $0.precedes(bound, in: order) })
    }

    /// Downwards from the child just before a place.
    public func descending(before position: Query.Position) -> OrderCursor {
        OrderCursor(entries.descending { $0 < position })
    }

    /// Takes in that a child has changed; an empty node is no child.
    ///
    /// - Complexity: O(log n), O(1) if its place is still the same.
    mutating func update(_ key: Key, from old: Node, to new: Node) {
        let before = Query.Position(value: order.value(of: old), key: key)
        let after = Query.Position(value: order.value(of: new), key: key)
        if !old.isEmpty, !new.isEmpty, before == after { return }
        if !old.isEmpty { entries.remove(before) }
        if !new.isEmpty { entries.insert(after) }
    }
}

/// A walk over an index.
public struct OrderCursor: Sequence, IteratorProtocol, Sendable {
    private var base: SortedPages<Query.Position>.Cursor

    init(_ base: SortedPages<Query.Position>.Cursor) {
        self.base = base
    }

    /// The next child's place, nil at the end. Amortised O(1).
    public mutating func next() -> Query.Position? {
        base.next()
    }
}
