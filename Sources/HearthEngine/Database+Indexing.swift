// Indexes are built by a worker on a retained state and put in under the lock.

import HearthCore
public import HearthSync

extension Database {
    private static var catchUpLimit: Int { 64 }

    /// Whether a worker should build indexes now. O(1).
    public var lacksIndexes: Bool { newest.lacksIndexes && !indexing.isBuilding }

    /// Retains the newest state for a worker to build what is missing; nil if nothing is, or a build runs
    /// already.
    public mutating func beginIndexBuild() -> IndexBuild? {
        guard lacksIndexes else { return nil }
        indexing.begin()
        return IndexBuild(state: newest, missed: [])
    }

    /// Takes in what a worker has built. If many commits were made meanwhile, it hands the build back:
    /// run it again, on a worker, and come back.
    ///
    /// - Complexity: O(64 commits).
    public mutating func finishIndexBuild(_ build: IndexBuild) -> IndexBuild? {
        let missed = indexing.takeBacklog()
        guard missed.count <= Self.catchUpLimit else { return IndexBuild(state: build.state, missed: missed) }
        let built = missed.reduce(build.state) { $0.applying($1) }
        var state = newest.adoptingIndexes(of: built)
        for demand in indexing.demands { state = state.demandingIndex(at: demand.path, order: demand.order) }
        indexing.end()
        replaceNewest(by: state)
        return nil
    }

    /// Gives up a build that will not come back.
    public mutating func abandonIndexBuild() {
        indexing.end()
    }

    /// Makes sure that a view's order has an index from now on, if its place is large enough for one: at
    /// once if it is not too large, else after the next build. Rules need not define it. At most a
    /// thousand are kept.
    ///
    /// For the order by priority, and for protocols whose queries may do without `.indexOn`.
    public mutating func demandIndex(for view: View) {
        guard view.query.order != .key, case .sort(let count) = Window.effort(for: view, in: newest),
            count > 1
        else { return }
        let demanding = newest.demandingIndex(at: view.path, order: view.query.order)
        guard demanding.keepsIndex(at: view.path, order: view.query.order),
            indexing.remember(
                .init(path: view.path, order: view.query.order),
                isKept: { demanding.keepsIndex(at: $0.path, order: $0.order) })
        else { return }
        replaceNewest(by: demanding)
    }

    /// Puts in a state of the same content. Reads that wait for nothing see it at once.
    private mutating func replaceNewest(by state: State) {
        newest = state
        if let last = pending.last {
            pending.replaceLast(Pending(position: last.position, state: state, dropsMuch: last.dropsMuch))
        } else {
            durable = state
        }
    }
}
