// What is noted down while a judgement is explained.
import HearthCore

/// Notes every step of every rule.
struct Trace {
    enum Result {
        case value(Value)
        case failure(EvaluationError)
    }

    /// A rule that repeats itself need not be told to its end.
    private static let noteLimit = 1_000
    private static let ruleLimit = 1_000

    private var notes: [(step: Int, result: Result)] = []
    private(set) var rules: [Explanation.RuleReport] = []

    mutating func add(_ step: Int, _ result: Result) {
        guard notes.count < Self.noteLimit else { return }
        notes.append((step, result))
    }

    mutating func end(_ rule: Rule, at location: String, _ outcome: Evaluation.Outcome) {
        defer { notes = [] }
        guard rules.count < Self.ruleLimit else { return }
        let whole = rule.expression.operations.count - 1
        var parts: [Explanation.Part] = []
        for (step, result) in notes where step != whole && rule.expression.isWorthTelling(step) {
            switch result {
            case .value(let value): parts.append(part(rule, step, "\(value)", isFailure: false))
            case .failure(let error): parts.append(part(rule, step, "\(error)", isFailure: true))
            }
        }
        let report = Explanation.RuleReport(
            rule: rule.reference, location: location, expression: rule.expression.text, outcome: outcome,
            parts: parts)
        rules.append(report)
    }

    private func part(_ rule: Rule, _ step: Int, _ value: String, isFailure: Bool) -> Explanation.Part {
        Explanation.Part(expression: rule.expression.text(of: step), value: value, isFailure: isFailure)
    }
}

extension Expression {
    /// Whether a step says more than what is written there.
    fileprivate func isWorthTelling(_ step: Int) -> Bool {
        if case .constant = operations[step] { return false }
        return true
    }
}
