// Telling again what a stream has missed: back by undo, then forward through the same derivations.

public import HearthCore

/// The commits that a view has missed, told one by one.
///
/// Pure: it can run on a worker. Only what touches the view's place is undone and done again, so that in its
/// states that place alone is as it was then; all else may not be.
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

    /// The state that the last step leads to.
    public let present: State
    /// What it costs to tell, in bytes of JSON that are written again, about and at most.
    public let weight: Int

    private enum Source {
        case touching([Commit])
        case all(Missed, Path)
    }

    private let source: Source

    /// Commits that are known to touch the view's place.
    init(touching commits: [Commit], present: State) {
        self.present = present
        source = .touching(commits)
        weight = commits.reduce(0) { $0 + $1.weight }
    }

    /// Commits that are still to be looked through for those that touch the view's place.
    init(_ missed: Missed, at path: Path, present: State) {
        self.present = present
        source = .all(missed, path)
        weight = missed.weight
    }

    /// The commits that touch the view's place, oldest first. After a long absence there may be none.
    ///
    /// - Complexity: O(all missed commits) after a long absence.
    public var commits: [Commit] {
        switch source {
        case .touching(let commits): commits
        case .all(let missed, let path): missed.touching(path)
        }
    }

    /// The view's place before the first step.
    ///
    /// - Complexity: O(all commits).
    public var beginning: State {
        commits.reversed().reduce(present) { $0.applying($1.undo ?? []) }
    }

    /// The steps, oldest first; each is made when it is asked for.
    ///
    /// - Complexity: O(all commits) for the first one, then O(commit) each; no old state is kept.
    public func steps() -> some Sequence<Step> {
        let commits = commits
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
