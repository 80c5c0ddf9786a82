// Why a rule could not be evaluated.
import HearthCore

/// Why a rule could not be evaluated; it counts as not true then.
enum EvaluationError: Error, Hashable, Sendable {
    /// An operator or function got what it does not take.
    case operand(of: String, is: Value.Kind, wanted: String)
    /// `<` and the like got two kinds, or none of the two that have an order.
    case incomparable(BinaryOperator, Value.Kind, Value.Kind)
    case rootHasNoParent
    /// `parent()` of a place that no data can have.
    case noPlace
    /// A text would become longer than the tree allows.
    case textTooLong
    /// The rule needs more steps than it may.
    case tooMuchWork
}

extension EvaluationError: CustomStringConvertible {
    var description: String {
        switch self {
        case .operand(let name, let kind, let wanted): "\(name) needs a \(wanted), not \(kind.phrase)"
        case .incomparable(let sign, let left, let right):
            "\(sign.rawValue) compares two numbers or two strings, not \(left.phrase) and \(right.phrase)"
        case .rootHasNoParent: "parent() of the root does not exist"
        case .noPlace: "parent() of a path that no data can have"
        case .textTooLong: "a string would be longer than \(Leaf.stringByteLimit) bytes"
        case .tooMuchWork: "the rule needs too much work"
        }
    }
}

extension Value.Kind {
    fileprivate var phrase: String {
        switch self {
        case .null: "null"
        case .object: "an object"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}
