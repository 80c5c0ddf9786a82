// The children of a place in the order that a query asks for, wherever that order comes from.

import HearthCore

/// The children of a place in a query's order: the tree's own key order, an index, or sorted for the
/// occasion.
struct OrderedChildren {
    private enum Source {
        /// Key order: also the order by priority where no child has one.
        case keys
        case index(OrderIndex)
        /// Sorted, without those that the bounds keep out.
        case sorted([Query.Position])
    }

    let node: Node
    let query: Query
    private let source: Source

    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    init(of view: View, in state: State, sortLimit: Int) throws(Refusal) {
        node = state.root.descendant(at: view.path)
        query = view.query
        let query = self.query
        if node.isInKeyOrder(for: query.order) {
            source = .keys
        } else if let index = state.index(at: view.path, order: query.order) {
            source = .index(index)
        } else {
            guard node.childCount <= sortLimit else {
                throw .tooLarge(
                    "\(node.childCount) children have no index in this order; at most \(sortLimit) are sorted"
                )
            }
            let positions = node.children().lazy.map { query.position(of: $0.node, key: $0.key) }
            source = .sorted(positions.filter { query.contains($0) }.sorted())
        }
    }

    /// The places of the children that the bounds let through, first to last, as many as the limit allows.
    ///
    /// - Complexity: O(log n + result) with an index or by key.
    var positions: [Query.Position] {
        switch source {
        case .keys: run?.positions ?? []
        case .index(let index): index.positions(for: query)
        case .sorted(let positions): positions.limited(query.limit)
        }
    }

    /// The children themselves, if the tree's own order is the asked one; nil if it is not.
    ///
    /// - Complexity: O(log n + result / page).
    var run: ChildRun? {
        guard case .keys = source else { return nil }
        guard let range = query.keyRange else { return node.run(from: .end) }
        return node.run(from: range.lower, to: range.upper, limit: query.limit)
    }

    /// The child just before a place, nil if the bounds let none through there.
    ///
    /// - Complexity: O(log n).
    func predecessor(of position: Query.Position) -> Key? {
        switch source {
        case .keys:
            guard let range = query.keyRange else { return nil }
            var cursor = node.childrenReversed(from: .before(position.key))
            return cursor.next().flatMap { $0.key.precedes(range.lower) ? nil : $0.key }
        case .index(let index):
            var cursor = index.descending(before: position)
            return cursor.next().flatMap { query.contains($0) ? $0.key : nil }
        case .sorted(let positions):
            let index = positions.partitionPoint { $0 < position }
            return index > 0 ? positions[index - 1].key : nil
        }
    }
}

extension [Query.Position] {
    /// As many from one end as a limit allows.
    fileprivate func limited(_ limit: Query.Limit?) -> [Query.Position] {
        switch limit {
        case nil: self
        case .first(let count): Array(prefix(Swift.max(0, count)))
        case .last(let count): Array(suffix(Swift.max(0, count)))
        }
    }
}

extension Node {
    /// Whether the children stand in that order anyway, all with the same ordered value.
    func isInKeyOrder(for order: Query.Order) -> Bool {
        order == .key || (order == .priority && prioritizedChildCount == 0)
    }
}

extension Query {
    /// The bounds as places between keys, where no child has an ordered value; nil if they let none
    /// through.
    fileprivate var keyRange: (lower: KeyPosition, upper: KeyPosition)? {
        guard order != .key else { return (lower?.key ?? .start, upper?.key ?? .end) }
        // Nothing sorts before a missing value, so a bound's value is the same or comes after.
        let start: KeyPosition? =
            lower.map { Value.null.ordering(to: $0.value) == .same ? $0.key : nil } ?? .start
        guard let start else { return nil }
        let end = upper.map { Value.null.ordering(to: $0.value) == .same ? $0.key : .end } ?? .end
        return (start, end)
    }
}

extension ChildRun {
    /// Where the children stand in an order in which all have the same value.
    var positions: [Query.Position] {
        keys.map { Query.Position(value: .null, key: $0) }
    }
}
