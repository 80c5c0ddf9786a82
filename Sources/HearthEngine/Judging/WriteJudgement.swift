// Whether somebody may write.

public import HearthCore
public import HearthRules

/// The question whether somebody may write what he asks for, and the answer to it.
public struct WriteJudgement: Sendable {
    /// Who asks.
    public let asker: Asker
    /// Whether a refusal is to be explained.
    public let explains: Bool
    /// What the rules said; nil if they were not asked.
    public private(set) var verdict: Verdict?
    /// Why it was refused, if that is to be explained.
    public private(set) var explanation: Explanation?

    /// Puts a question together.
    public init(_ asker: Asker, explains: Bool = false) {
        self.asker = asker
        self.explains = explains
    }

    /// Answers the question for a commit that is worked out: all of it is judged against the state that it
    /// would make, at its own time.
    ///
    /// - Throws: `permissionDenied`.
    mutating func judge(
        _ commit: Commit, from before: State, to after: State, under rules: StandingRules?
    ) throws(Refusal) {
        guard let standing = try asker.standing(under: rules) else { return }
        let context = JudgingContext(
            auth: standing.auth, now: commit.time, root: before.root, records: .counts)
        // An update of nothing is judged where it would have written.
        let all =
            commit.edits.isEmpty
            ? [.prioritize(commit.base, before.root.descendant(at: commit.base).priority)] : commit.edits
        #if DEBUG
            let edits = PlantedFault.isPlanted(.judgesFirstPlaceOnly) ? Array(all.prefix(1)) : all
        #else
            let edits = all
        #endif
        let verdict = standing.rules.set.judgeWrite(edits, leadingTo: after.root, in: context)
        let isAllowed = verdict.isAllowed
        self.verdict = consume verdict
        if isAllowed { return }
        if explains {
            explanation = standing.rules.set.explainWrite(edits, leadingTo: after.root, in: context)
        }
        throw .permissionDenied
    }

    /// Answers whether he may be told what stands at a place, as a condition that is not met does.
    mutating func judgeRead(
        of path: Path, in state: State, under rules: StandingRules?, now: Int64
    ) throws(Refusal) {
        var reading = ReadJudgement(asker, path: path, explains: explains)
        defer {
            verdict = reading.verdict
            explanation = reading.explanation
        }
        try reading.judge(state, under: rules, now: now, keepsReads: false)
    }
}
