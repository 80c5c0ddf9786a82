// The answer to whether somebody may, with what is kept of the way to it.
public import HearthCore

/// Whether a request is allowed.
public struct Verdict: Sendable {
    private let answer: Answer
    /// What was to be kept; most verdicts keep nothing.
    private let kept: Kept?

    private final class Kept: Sendable {
        let reads: ReadSet
        let evaluations: [Evaluation]

        init(_ notes: Notes) {
            reads = notes.reads
            evaluations = notes.evaluations
        }
    }

    init(_ answer: Answer, _ notes: Notes?) {
        self.answer = answer
        kept = notes.map { Kept($0) }
    }

    /// Whether it is.
    public var isAllowed: Bool { answer.isAllowed }

    /// What stood in the way; nil if the request is allowed.
    public var denial: Denial? { answer.denial }

    /// What the verdict of a read depended on, if that was to be recorded.
    public var reads: ReadSet { kept?.reads ?? ReadSet() }

    /// The rules that were evaluated, in order, if that was to be recorded.
    public var evaluations: [Evaluation] { kept?.evaluations ?? [] }
}

/// Whether a request is allowed: no more than an address, as it is handed on by every judgement.
indirect enum Answer: Sendable {
    case allowed
    case denied(Denial)

    var isAllowed: Bool {
        if case .allowed = self { return true }
        return false
    }

    var denial: Denial? {
        if case .denied(let denial) = self { return denial }
        return nil
    }
}

/// What stood in the way of a request. No value is in it.
public struct Denial: Hashable, Sendable {
    /// The place for which it was refused: that of the request, or one below for a `.validate`.
    public let path: Path
    /// The last rule that could have allowed it and did not, or the `.validate` that was not true; nil if
    /// there was none.
    public let rule: RuleReference?
    /// Why that rule was not true, if it could not be evaluated.
    public let failure: String?
}

/// What one rule came to.
public struct Evaluation: Hashable, Sendable {
    /// What a rule comes to.
    public enum Outcome: Hashable, Sendable {
        /// It is true.
        case satisfied
        /// It is false.
        case unsatisfied
        /// It could not be evaluated, for this reason, and counts as not true.
        case failed(String)
    }

    /// The rule's number in its set.
    public let rule: Int
    /// What it came to.
    public let outcome: Outcome
}
