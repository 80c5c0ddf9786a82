// The commits that a stream can still be told again.

import HearthCore

/// The newest commits of a namespace, bounded in bytes and in number.
///
///     revision   1 … floor │ floor + 1 … newest
///                forgotten │ kept, each with its undo
///
/// A cursor from the floor on can be resumed; the undo of the kept commits leads back to the floor.
struct History: Sendable {
    /// What the kept commits may weigh in all.
    var byteLimit: Int
    /// How many commits may be kept.
    var countLimit: Int
    /// The smallest revision from which what follows can be told.
    private(set) var floor: Revision
    /// What the kept commits weigh.
    private(set) var weight = 0

    private var commits = Queue<Commit>()

    /// Remembers nothing from before `floor`.
    init(floor: Revision, byteLimit: Int, countLimit: Int) {
        self.floor = floor
        self.byteLimit = byteLimit
        self.countLimit = countLimit
    }

    var count: Int { commits.count }

    /// The commits after `revision`, oldest first.
    ///
    /// - Precondition: `revision` is at or above the floor.
    func commits(after revision: Revision) -> [Commit] {
        precondition(revision >= floor, "below the floor nothing is kept")
        return commits.dropFirst(Int(revision - floor))
    }

    /// Remembers a commit and forgets what no longer fits. One without undo cannot be gone back over: it
    /// raises the floor to itself. What was forgotten and is large is handed over, to be freed elsewhere.
    ///
    /// - Complexity: amortised O(1).
    mutating func append(_ commit: Commit, retiring retired: inout [Retired]) {
        precondition(commit.revision == floor + Revision(count) + 1, "history has no gaps")
        commits.append(commit)
        weight += commit.weight
        if commit.undo == nil {
            retired.append(Retired(commits.removeAll()))
            weight = 0
            floor = commit.revision
        }
        trim(retiring: &retired)
    }

    /// Forgets what no longer fits, for instance after a limit was lowered.
    mutating func trim(retiring retired: inout [Retired]) {
        while count > countLimit || weight > byteLimit, let oldest = commits.popFirst() {
            let freed = oldest.weight
            floor += 1
            weight -= freed
            if freed > Retired.weightThreshold { retired.append(Retired([oldest])) }
        }
    }
}

extension Commit {
    private static let baseWeight = 200

    /// About how many bytes the commit keeps in memory.
    var weight: Int {
        let redo = edits.reduce(0) { $0 + $1.weight }
        let back = undo?.reduce(0) { $0 + $1.weight } ?? 0
        return Self.baseWeight + redo + back + (rules?.count ?? 0)
    }
}
