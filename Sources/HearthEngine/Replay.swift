// Telling again what a stream has missed: back by undo, then forward through the same derivations.

public import HearthCore

/// The commits that a view has missed, told one by one.
///
/// Pure: it can run on a worker. Only what touches the view's place is undone and done again, so that in
/// its states that place alone is as it was then; all else may not be.
public struct Replay: Sendable {
    /// One missed commit with the states around it.
    public struct Step: Sendable {
        /// The commit.
        public let commit: Commit
        /// The view's place before it.
        public let before: State
        /// The view's place after it.
        public let after: State
    }

    /// The commits that touch the view's place, oldest first; never empty.
    public let commits: [Commit]
    /// The state that the last step leads to.
    public let present: State

    /// What it costs to tell, in bytes of JSON that are written again, about.
    public var weight: Int {
        commits.reduce(0) { $0 + $1.weight }
    }

    /// The steps, oldest first; each is made when it is asked for.
    ///
    /// - Complexity: O(all commits) for the first one, then O(commit) each; no old state is kept.
    public func steps() -> some Sequence<Step> {
        var past = present
        for commit in commits.reversed() { past = past.applying(commit.undo ?? []) }
        return sequence(state: (past, commits.makeIterator())) { progress -> Step? in
            guard let commit = progress.1.next() else { return nil }
            let before = progress.0
            progress.0 = before.applying(commit.edits)
            return Step(commit: commit, before: before, after: progress.0)
        }
    }
}

/// How a stream goes on from where it was.
public enum Resumption: Sendable {
    /// It came without a cursor: the present state comes first.
    case present
    /// It has missed nothing.
    case current
    /// It is told what it has missed.
    case replay(Replay)
    /// It cannot be told: the present state comes again, marked as a resync.
    case resync
}

extension Commit {
    /// Whether what stands at `path` may differ between the states before and after.
    public func touches(_ path: Path) -> Bool {
        edits.contains { $0.path.contains(path) || path.contains($0.path) }
    }
}
