// What a judgement starts from.
public import HearthCore

/// Who asks, when, and what the database holds.
public struct JudgingContext: Sendable {
    /// What of a judgement is kept for later.
    public struct Records: OptionSet, Sendable {
        /// Its bits.
        public let rawValue: Int

        /// The choices that the bits stand for.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Which data a read depended on, so that a stream can be judged again.
        public static let reads = Records(rawValue: 1)
        /// Which rules were evaluated and what they came to.
        public static let evaluations = Records(rawValue: 2)
        /// How often each rule came to what: kept by the rule set itself, over all judgements.
        public static let counts = Records(rawValue: 4)
    }

    /// Who asks; nil is nobody who is signed in.
    public var auth: Auth?
    /// The time in ms since 1970: that of the commit, for a write.
    public var now: Int64
    /// The whole database before the write.
    public var root: Node
    /// What is kept for later; nothing unless it is asked for.
    public var records: Records
    /// How much work may be done.
    public var limits: JudgingLimits

    /// Puts a context together.
    public init(
        auth: Auth?, now: Int64, root: Node, records: Records = [], limits: JudgingLimits = JudgingLimits()
    ) {
        self.auth = auth
        self.now = now
        self.root = root
        self.records = records
        self.limits = limits
    }
}

/// How much work a judgement may cost. A step is about as much as reading one member, comparing 64 bytes, or
/// one character at one place of a regular expression; a rule that needs more is not true.
public struct JudgingLimits: Hashable, Sendable {
    /// Steps for one rule: some milliseconds.
    public var stepsPerRule: Int
    /// Steps for all rules of one request.
    public var stepsPerRequest: Int

    /// Takes the defaults for whatever is not given.
    public init(stepsPerRule: Int = 1_000_000, stepsPerRequest: Int = 20_000_000) {
        self.stepsPerRule = stepsPerRule
        self.stepsPerRequest = stepsPerRequest
    }
}
