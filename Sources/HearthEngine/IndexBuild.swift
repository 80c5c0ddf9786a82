// Building indexes for data that is there already, beside the writes that go on.

import HearthCore

/// Indexes being built for existing data, on a state that was retained for it.
///
///     lock     begin ┐              ┌ finish: many commits missed ┐            ┌ finish: few; installed
///     worker         └─ run: scan ──┘                             └ run: catch up ┘
///
/// Pure: it waits for nothing and can be dropped at any time.
public struct IndexBuild: Sendable {
    /// The retained state, with the indexes that are built so far.
    let state: State
    /// Commits that were made meanwhile and must be taken in.
    let missed: [Commit]

    /// Does the part that is due. For a worker.
    ///
    /// - Complexity: O(n log n) in the children of places that lack an index; or O(commits missed).
    public func run() -> IndexBuild {
        let caughtUp = missed.reduce(state) { $0.applying($1) }
        return IndexBuild(state: missed.isEmpty ? state.buildingIndexes() : caughtUp, missed: [])
    }
}

/// What a database knows about the building of its indexes.
struct Indexing: Sendable {
    /// The commits since the running build's state; nil if none runs.
    private(set) var backlog: [Commit]?
    /// Indexes that queries have asked for without a rule: kept to be asked for again after a build.
    private(set) var demands: [Demand] = []

    struct Demand: Hashable, Sendable {
        let path: Path
        let order: Query.Order
    }

    static let demandLimit = 1_000

    var isBuilding: Bool { backlog != nil }

    mutating func begin() { backlog = [] }

    mutating func end() { backlog = nil }

    mutating func missed(_ commit: Commit) { backlog?.append(commit) }

    /// Takes the backlog, to be caught up with.
    mutating func takeBacklog() -> [Commit] {
        defer { backlog = [] }
        return backlog ?? []
    }

    /// Whether the demand is new and there is room for it. When there is none, those that `isKept` no
    /// longer says yes to make way: their places have gone.
    mutating func remember(_ demand: Demand, isKept: (Demand) -> Bool) -> Bool {
        if demands.count >= Self.demandLimit { demands.removeAll { !isKept($0) } }
        guard demands.count < Self.demandLimit, !demands.contains(demand) else { return false }
        demands.append(demand)
        return true
    }
}
