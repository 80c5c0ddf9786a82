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

    /// A state read back, or an empty one.
    public init(root: Node = .empty, revision: Revision = 0, time: Int64 = 0, rules: StoredRules? = nil) {
        self.root = root
        self.revision = revision
        self.time = time
        self.rules = rules
    }

    /// The state after a commit.
    ///
    /// - Precondition: the commit is the next one.
    public func applying(_ commit: Commit) -> State {
        precondition(commit.revision == revision + 1, "commits are applied in order")
        var next = applying(commit.edits)
        next.revision = commit.revision
        next.time = commit.time
        if let text = commit.rules { next.rules = StoredRules(stored: text) }
        return next
    }

    /// The state with other content; revision and time stay. Undo and replay use it.
    public func applying(_ edits: [Edit]) -> State {
        var next = self
        next.root = root.applying(edits)
        return next
    }
}
