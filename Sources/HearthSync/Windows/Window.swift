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

    let node: Node
    /// Whether the children stand in the tree as they do here, one after the other.
    private let isByKey: Bool
    /// Whether a place of a leaf says all there is of it.
    private let isByWholeValue: Bool
    /// The places of the children, in order.
    public let positions: [Query.Position]

    /// Finds the window of a view in a state.
    ///
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    public init(of view: View, in state: State, sortLimit: Int = defaultSortLimit) throws(Refusal) {
        let ordered = try OrderedChildren(of: view, in: state, sortLimit: sortLimit)
        self.init(ordered)
    }

    init(_ ordered: OrderedChildren) {
        node = ordered.node
        isByKey = ordered.isByKey
        isByWholeValue = ordered.query.order == .value && ordered.node.prioritizedChildCount == 0
        positions = ordered.positions
    }

    /// How hard it is to find the window of a view in a state. O(depth · log n).
    public static func effort(for view: View, in state: State) -> Effort {
        let node = state.root.descendant(at: view.path)
        if node.childCount < 2 || node.isInKeyOrder(for: view.query.order) { return .ordered }
        if state.index(at: view.path, order: view.query.order) != nil { return .ordered }
        return .sort(childCount: node.childCount)
    }

    /// The children in the query's order.
    ///
    /// - Complexity: O(log n + window) by key, else O(window · log n).
    public var children: [ChildEntry] {
        isByKey ? run : entries(positions)
    }

    /// The children as one node, whole, without the priority of their parent: the result of a query.
    ///
    /// - Complexity: O(log n + window) by key, else O(window · log n).
    public var result: Node {
        var builder = Node.Builder()
        for child in isByKey ? run : entries(positions.sorted { $0.key < $1.key }) {
            builder.insert(child.node, for: child.key)
        }
        return builder.finish()
    }

    /// The children as the tree has them.
    private var run: [ChildEntry] {
        guard let first = positions.first else { return [] }
        return Array(node.children(from: .before(first.key)).prefix(positions.count))
    }

    private func entries(_ positions: [Query.Position]) -> [ChildEntry] {
        if isByWholeValue, let leaves = leafEntries(positions) { return leaves }
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
        let node = state.root.descendant(at: path)
        guard !query.isUnfiltered else { return shown(node) }
        return try Window(of: self, in: state, sortLimit: sortLimit).result
    }

    /// A place without bounds and limit, as this view shows it: asked for an order, a leaf has no
    /// children to show.
    func shown(_ node: Node) -> Node {
        query.order == .priority || node.hasChildren ? node : .empty
    }
}
