// Everything that a namespace holds at one revision.

/// Everything that a namespace holds at one revision: a value of references, kept for free.
public struct State: Sendable {
    /// The whole tree.
    public private(set) var root: Node
    /// The number of commits that made this state.
    public private(set) var revision: Revision
    /// The time of the last commit in ms since 1970; 0 before the first.
    public private(set) var time: Int64
    /// The stored rules, nil if none were ever stored.
    public private(set) var rules: StoredRules?
    /// The indexes beside the tree.
    private var indexes = IndexTree()

    /// A state read back, or an empty one. Its indexes are still to be built.
    public init(root: Node = .empty, revision: Revision = 0, time: Int64 = 0, rules: StoredRules? = nil) {
        self.root = root
        self.revision = revision
        self.time = time
        self.rules = rules
        forgetScan()
    }

    /// The state after a commit.
    ///
    /// - Precondition: the commit is the next one.
    public func applying(_ commit: Commit) -> State {
        applying(commit.edits).marked(as: commit)
    }

    /// The state after a commit that is read back. Indexes are not kept up, but built again later: many
    /// commits are read back faster so.
    ///
    /// - Precondition: the commit is the next one.
    public func replaying(_ commit: Commit) -> State {
        var next = self
        next.root = root.applying(commit.edits)
        if rules?.indexes.root != nil { next.indexes.forget() }
        return next.marked(as: commit)
    }

    /// The state with other content, indexes included; revision and time stay. Undo and replay use it.
    ///
    /// - Complexity: O(edits · depth · log n).
    public func applying(_ edits: [Edit]) -> State {
        var next = self
        for edit in edits { next.apply(edit) }
        return next
    }

    /// The state with other content, and the edits that lead back from it in the order in which to apply
    /// them.
    public func applyingWithUndo(_ edits: [Edit]) -> (state: State, undo: [Edit]) {
        var next = self
        var undo: [Edit] = []
        undo.reserveCapacity(edits.count)
        for edit in edits {
            let before = next.root
            next.apply(edit)
            undo.append(before.undo(of: edit, leadingTo: next.root))
        }
        undo.reverse()
        return (next, undo)
    }

    /// The state with a commit's revision, time and rules, once its edits are applied.
    ///
    /// - Precondition: the commit is the next one.
    public func marked(as commit: Commit) -> State {
        precondition(commit.revision == revision + 1, "commits are applied in order")
        var next = self
        next.revision = commit.revision
        next.time = commit.time
        if let text = commit.rules {
            next.rules = StoredRules(stored: text)
            next.forgetScan()
        }
        return next
    }

    /// The data is to be looked through again: at once if it is little, else by a build.
    private mutating func forgetScan() {
        guard rules?.indexes.root != nil || indexes.root != nil else { return }
        indexes.markUnscanned()
        if root.weight <= indexes.limits.inlineWeight { self = buildingIndexes() }
    }

    private mutating func apply(_ edit: Edit) {
        let next = root.applying(edit)
        indexes = indexes.updated(by: edit, from: root, to: next, rules: rules?.indexes ?? .none)
        root = next
    }
}

extension State {
    /// Whether indexes are still to be built. O(1).
    public var lacksIndexes: Bool { indexes.hasUnscanned }

    /// The index of a place in an order; nil if there is none, or not yet.
    ///
    /// - Complexity: O(depth · log n).
    public func index(at path: Path, order: Query.Order) -> OrderIndex? {
        indexes.index(at: path, order: order)
    }

    /// Whether an index of a place in an order is kept or is still to be built.
    public func keepsIndex(at path: Path, order: Query.Order) -> Bool {
        indexes.slot(at: path, order: order) != nil
    }

    /// The state with all indexes that the rules define and that were demanded. For a worker.
    public func buildingIndexes() -> State {
        var built = self
        built.indexes = indexes.scanned(over: root, rules: rules?.indexes ?? .none)
        return built
    }

    /// The state with the indexes of another one that has the same content.
    ///
    /// - Precondition: both are of the same revision.
    public func adoptingIndexes(of other: State) -> State {
        precondition(other.revision == revision, "indexes belong to the content that they were built for")
        var adopted = self
        adopted.indexes = other.indexes
        return adopted
    }

    /// The state with an index that a query asks for: built at once if the place is small, else by the
    /// next build.
    public func demandingIndex(at path: Path, order: Query.Order) -> State {
        var demanding = self
        demanding.indexes = indexes.demanding(order, at: path, over: root)
        return demanding
    }

    /// Checks that the rules define the index that a query needs, as the REST API demands it even of an
    /// administrator.
    ///
    /// - Throws: `Refusal.indexMissing`.
    public func requireIndex(for query: Query, at path: Path) throws(Refusal) {
        guard let name = query.order.indexName else { return }
        let isDefined = rules?.indexes.orders(at: path).contains(query.order) ?? false
        if !isDefined { throw .indexMissing(index: name, path: path) }
    }

    /// The same state with other index limits, so that tests reach every way with little data.
    package func limitingIndexes(childThreshold: Int, inlineWeight: Int) -> State {
        var limited = self
        limited.indexes.limits = .init(childThreshold: childThreshold, inlineWeight: inlineWeight)
        limited.forgetScan()
        return limited
    }
}
