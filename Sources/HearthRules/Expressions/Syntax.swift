// What a rule expression is made of, as it is written.
import HearthCore

/// A part of an expression, with the bytes of the expression that it covers.
struct Syntax: Sendable {
    indirect enum Kind: Sendable {
        /// null, a Boolean, a number or a text; nil is null.
        case constant(Leaf?)
        /// A regular expression without its slashes, and its flags.
        case pattern(String, flags: String)
        case list([Syntax])
        case variable(String)
        /// `a.name` or `a['name']`.
        case member(Syntax, String)
        /// `a[b]` where b is no text as it is written.
        case element(Syntax, Syntax)
        case call(Syntax, [Syntax])
        case not(Syntax)
        case negated(Syntax)
        case binary(BinaryOperator, Syntax, Syntax)
        /// Operands joined by `&&`, at least two.
        case all([Syntax])
        /// Operands joined by `||`, at least two.
        case any([Syntax])
        case choice(Syntax, Syntax, Syntax)
    }

    let kind: Kind
    let range: Range<Int>
    /// Levels below this part, itself included: what a walk needs of the stack.
    let height: Int

    init(_ kind: Kind, _ range: Range<Int>) {
        self.kind = kind
        self.range = range
        height = 1 + (Self.parts(of: kind).map(\.height).max() ?? 0)
    }

    private static func parts(of kind: Kind) -> [Syntax] {
        switch kind {
        case .constant, .pattern, .variable: []
        case .list(let parts), .all(let parts), .any(let parts): parts
        case .member(let part, _), .not(let part), .negated(let part): [part]
        case .element(let part, let index): [part, index]
        case .call(let callee, let arguments): [callee] + arguments
        case .binary(_, let left, let right): [left, right]
        case .choice(let condition, let first, let second): [condition, first, second]
        }
    }
}

/// An operator between two operands, all of which group to the left; `===` and `!==` are `==` and `!=`.
enum BinaryOperator: String, Sendable {
    case times = "*"
    case divided = "/"
    case remainder = "%"
    case plus = "+"
    case minus = "-"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "=="
    case unequal = "!="

    /// How tightly it binds; `&&` and `||` bind less than all of these.
    var tightness: Int {
        switch self {
        case .times, .divided, .remainder: 4
        case .plus, .minus: 3
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 2
        case .equal, .unequal: 1
        }
    }
}

/// What is wrong with an expression, and which bytes of it.
struct ExpressionError: Error, Hashable, Sendable {
    let message: String
    let range: Range<Int>
    /// A name that may have been meant.
    var suggestion: String?

    init(_ message: String, _ range: Range<Int>, suggestion: String? = nil) {
        self.message = message
        self.range = range
        self.suggestion = suggestion
    }
}
