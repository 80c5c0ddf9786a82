// The children that a query lets through, in its order.

public import HearthCore

/// The children of a place that a query lets through, in its order: bounds first, then the limit.
///
/// It keeps the state's tree, which costs nothing. A place with a value but no children has an empty
/// window.
/// - Complexity: O(log n + limit) by key or with an index; without one all children are sorted, up to a
///   limit.
public struct Window: Sendable {
    /// How many children are sorted at most where no index helps.
    public static let defaultSortLimit = 100_000

    /// What it takes to find a window.
    public enum Effort: Hashable, Sendable {
        /// The order is there: the tree's own, or an index.
        case ordered
        /// So many children must be sorted. Above some thousands that is a worker's business.
        case sort(childCount: Int)
    }

    private enum Content {
        /// They follow each other in the tree as they do here.
        case run(ChildRun)
        /// They have these places in another order. A place of a leaf says all there is of it if
        /// `areValues`.
        case places([Query.Position], areValues: Bool)
    }

    let node: Node
    private let content: Content

    /// Finds the window of a view in a state.
    ///
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    public init(of view: View, in state: State, sortLimit: Int = defaultSortLimit) throws(Refusal) {
        let ordered = try OrderedChildren(of: view, in: state, sortLimit: sortLimit)
        self.init(ordered)
    }

    init(_ ordered: OrderedChildren) {
        node = ordered.node
        if let run = ordered.run {
            content = .run(run)
        } else {
            let areValues = ordered.query.order == .value && ordered.node.prioritizedChildCount == 0
            content = .places(ordered.positions, areValues: areValues)
        }
    }

    /// How hard it is to find the window of a view in a state. O(depth · log n).
    public static func effort(for view: View, in state: State) -> Effort {
        let node = state.root.descendant(at: view.path)
        if node.childCount < 2 || node.isInKeyOrder(for: view.query.order) { return .ordered }
        if state.index(at: view.path, order: view.query.order) != nil { return .ordered }
        return .sort(childCount: node.childCount)
    }

    /// The places of the children, in order.
    ///
    /// - Complexity: O(1), by key O(window).
    public var positions: [Query.Position] {
        switch content {
        case .run(let run): run.positions
        case .places(let positions, _): positions
        }
    }

    /// The children in the query's order.
    ///
    /// - Complexity: O(window) by key, else O(window · log n).
    public var children: [ChildEntry] {
        switch content {
        case .run(let run): run.entries
        case .places(let positions, let areValues): entries(positions, areValues)
        }
    }

    /// The children in key order, without the priority of their parent: what a query results in.
    ///
    /// - Complexity: O(1) by key, else O(window · log n).
    public var excerpt: Excerpt {
        switch content {
        case .run(let run): .run(run)
        case .places(let positions, let areValues):
            .picked(entries(positions.sorted { $0.key < $1.key }, areValues))
        }
    }

    /// The same as one node.
    ///
    /// - Complexity: O(window) by key, else O(window · log n).
    public var result: Node { excerpt.node }

    private func entries(_ positions: [Query.Position], _ areValues: Bool) -> [ChildEntry] {
        if areValues, let leaves = leafEntries(positions) { return leaves }
        let keys = positions.map(\.key)
        return zip(keys, node.children(named: keys)).map { ChildEntry(key: $0, node: $1) }
    }

    /// Leaves without priority, made from their ordered values: nothing is looked up in the tree, where
    /// they may lie far apart. Nil if one of the children has children itself.
    private func leafEntries(_ positions: [Query.Position]) -> [ChildEntry]? {
        var entries: [ChildEntry] = []
        entries.reserveCapacity(positions.count)
        for position in positions {
            guard case .leaf(let leaf) = position.value else { return nil }
            entries.append(ChildEntry(key: position.key, node: Node(leaf)))
        }
        return entries
    }
}

extension View {
    /// What a read of this view gives: the value itself where no query narrows it, else the window's
    /// children.
    ///
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    public func value(
        in state: State, sortLimit: Int = Window.defaultSortLimit
    ) throws(Refusal) -> Node {
        try excerpt(in: state, sortLimit: sortLimit).node
    }

    /// The same, for who writes it down: nothing is made of it yet.
    ///
    /// - Throws: as `value(in:)`.
    public func excerpt(
        in state: State, sortLimit: Int = Window.defaultSortLimit
    ) throws(Refusal) -> Excerpt {
        guard !query.isUnfiltered else { return .whole(shown(state.root.descendant(at: path))) }
        return try Window(of: self, in: state, sortLimit: sortLimit).excerpt
    }

    /// A place without bounds and limit, as this view shows it: asked for an order, a leaf has no
    /// children to show.
    func shown(_ node: Node) -> Node {
        query.order == .priority || node.hasChildren ? node : .empty
    }
}
