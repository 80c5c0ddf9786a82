// Whether somebody may read, now and as long as a stream goes on.

public import HearthCore
public import HearthRules

/// The question whether somebody may read a place, with what the last answer to it rested on.
public struct ReadJudgement: Sendable {
    /// Who asks.
    public let asker: Asker
    /// What is to be read.
    public let path: Path
    /// What is asked of its children; nil for a plain read.
    public let query: Query?
    /// Whether a refusal is to be explained.
    public let explains: Bool
    /// The revision of the state that was judged last, 0 before the first time.
    public private(set) var revision: Revision = 0
    /// What the last permission depended on; empty unless it was to be kept.
    public private(set) var reads = ReadSet()
    /// What the rules said last; nil if they were not asked.
    public private(set) var verdict: Verdict?
    /// Why the last refusal was one, if it is to be explained.
    public private(set) var explanation: Explanation?

    /// Puts a question together.
    public init(_ asker: Asker, path: Path, query: Query? = nil, explains: Bool = false) {
        self.asker = asker
        self.path = path
        self.query = query
        self.explains = explains
    }

    /// Whether the rules have a say in it at all.
    public var isJudged: Bool { asker != .administrator }

    /// Answers the question for a state.
    ///
    /// - Parameters:
    ///   - rules: those in force at that state.
    ///   - now: the clock in ms since 1970.
    ///   - keepsReads: whether what the permission depended on is to be kept, for a stream.
    /// - Throws: `permissionDenied`; what was kept before is still there then.
    public mutating func judge(
        _ state: State, under rules: StandingRules?, now: Int64, keepsReads: Bool
    ) throws(Refusal) {
        verdict = nil
        revision = state.revision
        guard let standing = try asker.standing(under: rules) else {
            if keepsReads { reads = ReadSet() }
            return
        }
        let context = JudgingContext(
            auth: standing.auth, now: max(now, state.time), root: state.root,
            records: keepsReads ? [.reads, .counts] : [.counts])
        let verdict = standing.rules.set.judgeRead(at: path, query: query, in: context)
        self.verdict = verdict
        guard verdict.isAllowed else {
            if explains { explanation = standing.rules.set.explainRead(at: path, query: query, in: context) }
            throw .permissionDenied
        }
        if keepsReads { reads = verdict.reads }
    }
}
