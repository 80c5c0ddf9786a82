// A verdict taken apart: every rule on the way with its value, and the parts of the rule with theirs.
public import HearthCore

/// A verdict taken apart. It shows values of the database and is for its administrator alone.
public struct Explanation: Sendable {
    /// What was asked.
    public enum Request: Hashable, Sendable {
        /// A read or a query.
        case read(Path)
        /// A write of these places.
        case write([Path])
    }

    /// A part of a rule's expression.
    public struct Part: Hashable, Sendable {
        /// The part as it is written.
        public let expression: String
        /// What it came to, or why it could not be evaluated.
        public let value: String
        /// Whether it could not be evaluated.
        public let isFailure: Bool
    }

    /// A rule that was asked.
    public struct RuleReport: Hashable, Sendable {
        /// Which rule.
        public let rule: RuleReference
        /// The place that its wildcards matched, which `data` stands for.
        public let location: String
        /// The rule as it is written.
        public let expression: String
        /// What it came to.
        public let outcome: Evaluation.Outcome
        /// Its parts in the order in which they were evaluated; what was not needed is missing.
        public let parts: [Part]
    }

    /// What was asked.
    public let request: Request
    /// The rules in the order in which they were asked; at most 1,000.
    public let rules: [RuleReport]
    /// What stood in the way; nil if the request is allowed.
    public let denial: Denial?

    /// Whether the request is allowed.
    public var isAllowed: Bool { denial == nil }
}

extension RuleSet {
    /// Judges a read as `judgeRead` does, and tells how.
    public func explainRead(
        at path: Path, query: Query? = nil, in context: JudgingContext
    ) -> Explanation {
        let notes = Notes(trace: Trace())
        let answer = read(at: path, query: query, in: context, notes)
        return Explanation(request: .read(path), rules: notes.trace?.rules ?? [], denial: answer.denial)
    }

    /// Judges a write as `judgeWrite` does, and tells how.
    public func explainWrite(
        _ edits: [Edit], leadingTo after: Node, in context: JudgingContext
    ) -> Explanation {
        let notes = Notes(trace: Trace())
        let answer = write(edits, leadingTo: after, in: context, notes)
        return Explanation(
            request: .write(edits.map(\.path)), rules: notes.trace?.rules ?? [], denial: answer.denial)
    }
}
