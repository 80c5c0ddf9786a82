// The children of one place in one order, kept beside the tree.

/// The children of one place in one order, kept up to date with every commit. It names them; their values
/// stand in the tree.
public struct OrderIndex: Sendable {
    /// What the children are ordered by; never the key.
    public let order: Query.Order
    private(set) var entries: SortedPages<Entry>

    /// Sorts the children of a node.
    ///
    /// - Complexity: O(n log n).
    init(order: Query.Order, over node: Node) {
        self.order = order
        let positions = node.children().map { order.position(of: $0.node, key: $0.key) }
        // The entries refer to what the positions own until their pages do.
        entries = withExtendedLifetime(positions) {
            SortedPages(sorted: positions.map { Entry($0) }.sorted())
        }
    }

    /// How many children there are.
    public var count: Int { entries.count }

    /// Upwards from a bound, or from the first child.
    ///
    /// - Complexity: O(log n) to start, amortised O(1) a step.
    public func ascending(from bound: Query.Bound? = nil) -> OrderCursor {
        guard let bound else { return OrderCursor(entries.ascending()) }
        return OrderCursor(entries.ascending { $0.position.precedes(bound, in: order) })
    }

    /// Downwards from a bound, or from the last child.
    public func descending(from bound: Query.Bound? = nil) -> OrderCursor {
        guard let bound else { return OrderCursor(entries.descending()) }
        return OrderCursor(entries.descending { $0.position.precedes(bound, in: order) })
    }

    /// Downwards from the child just before a place.
    public func descending(before position: Query.Position) -> OrderCursor {
        OrderCursor(entries.descending { $0.position < position })
    }

    /// The places that a query in this order lets through, first to last, as many as its limit allows.
    ///
    /// - Complexity: O(log n + result).
    public func positions(for query: Query) -> [Query.Position] {
        switch query.limit {
        case nil: return gathered(ascending(from: query.lower), .max, upTo: query.upper)
        case .first(let count): return gathered(ascending(from: query.lower), count, upTo: query.upper)
        case .last(let count):
            return gathered(descending(from: query.upper), count, downTo: query.lower).reversed()
        }
    }

    private func gathered(
        _ cursor: OrderCursor, _ limit: Int, upTo upper: Query.Bound? = nil, downTo lower: Query.Bound? = nil
    ) -> [Query.Position] {
        var cursor = cursor
        var positions: [Query.Position] = []
        positions.reserveCapacity(min(max(0, limit), Self.reservedCount))
        while positions.count < limit, let position = cursor.next() {
            if let upper, !position.precedes(upper, in: order) { break }
            if let lower, position.precedes(lower, in: order) { break }
            positions.append(position)
        }
        return positions
    }

    private static let reservedCount = 128

    /// Takes in that a child has changed; an empty node is no child.
    ///
    /// - Complexity: O(log n), O(1) if its place is still the same.
    mutating func update(_ key: Key, from old: Node, to new: Node) {
        let before = old.isEmpty ? nil : order.position(of: old, key: key)
        let after = new.isEmpty ? nil : order.position(of: new, key: key)
        if before == after { return }
        if let before { withExtendedLifetime(before) { entries.remove(Entry(before)) } }
        if let after { withExtendedLifetime(after) { entries.insert(Entry(after)) } }
    }
}

extension OrderIndex {
    /// A position as the pages of an index have it: plain bytes, so that copying a page is copying memory.
    ///
    /// It is only used while a page or a position owns what it refers to.
    struct Entry: PageElement {
        let words: Query.Position.Words
        private let rest: Unmanaged<Query.Position.Rest>?

        init(_ position: Query.Position) {
            words = position.words
            rest = position.rest.map(Unmanaged.passUnretained)
        }

        var owned: Query.Position.Rest? { rest?.takeUnretainedValue() }

        var position: Query.Position { Query.Position(words, owned) }

        static func < (left: Entry, right: Entry) -> Bool {
            if left.rest == nil, right.rest == nil { return left.words < right.words }
            return left.position < right.position
        }

        static func <= (left: Entry, right: Entry) -> Bool {
            !(right < left)
        }

        static func == (left: Entry, right: Entry) -> Bool {
            if left.rest == nil, right.rest == nil { return left.words == right.words }
            return left.position == right.position
        }
    }
}

/// A walk over an index.
public struct OrderCursor: Sequence, IteratorProtocol, Sendable {
    private var base: SortedPages<OrderIndex.Entry>.Cursor

    init(_ base: SortedPages<OrderIndex.Entry>.Cursor) {
        self.base = base
    }

    /// The next child's place, nil at the end. Amortised O(1).
    public mutating func next() -> Query.Position? {
        base.next()?.position
    }
}
