// Checks an expression against what §7 of security-rules.md allows, and compiles it.
import HearthCore

/// Where an expression stands: what it may name.
struct ExpressionScope: Sendable {
    let kind: RuleReference.Kind
    /// Whether it is about uploaded files, not about data.
    let isOnFiles: Bool
    /// The wildcards above it, with the depth of the key that each matches.
    let captures: [String: Int]
}

/// Walks the syntax once, infers types and writes the operations.
struct Checker {
    let scope: ExpressionScope
    var operations: ContiguousArray<Operation> = []
    var tables = OperationTables()
    var ranges: ContiguousArray<Range<Int>> = []

    /// A compiled part: the number of its step, and what is known of it.
    struct Part {
        let step: Int
        let type: ValueType
    }

    init(scope: ExpressionScope) {
        self.scope = scope
    }

    /// Checks and compiles a rule's expression.
    static func compile(_ text: String, in scope: ExpressionScope) throws(ExpressionError) -> Expression {
        let syntax = try Parser.parse(text)
        var checker = Checker(scope: scope)
        let part = try checker.check(syntax)
        guard part.type == .boolean else {
            throw ExpressionError("Expression must evaluate to a boolean.", syntax.range)
        }
        return Expression(
            text: text, operations: checker.operations, tables: checker.tables, ranges: checker.ranges)
    }

    mutating func emit(_ operation: Operation, _ type: ValueType, _ syntax: Syntax) -> Part {
        operations.append(operation)
        ranges.append(syntax.range)
        return Part(step: operations.count - 1, type: type)
    }

    mutating func emit(_ constant: Value, _ type: ValueType, _ syntax: Syntax) -> Part {
        emit(.constant(tables.constants.place(of: constant)), type, syntax)
    }

    mutating func check(_ syntax: Syntax) throws(ExpressionError) -> Part {
        switch syntax.kind {
        case .constant(let leaf): return emit(Value(leaf), Self.type(of: leaf), syntax)
        case .pattern: throw ExpressionError("Unexpected regular expression literal.", syntax.range)
        case .list: throw ExpressionError("Unexpected array literal.", syntax.range)
        case .variable(let name): return try checkVariable(name, syntax)
        case .member(let target, let name): return try checkMember(name, of: target, syntax)
        case .element(let target, let index): return try checkElement(index, of: target, syntax)
        case .call(let callee, let arguments): return try checkCall(callee, arguments, syntax)
        case .not(let operand):
            let part = try check(operand)
            guard part.type == .boolean else {
                throw ExpressionError("! only operates on booleans.", operand.range)
            }
            return emit(.not(part.step), .boolean, syntax)
        case .negated(let operand):
            let part = try check(operand)
            guard part.type.mayBeNumber else {
                throw ExpressionError("- only operates on numbers.", operand.range)
            }
            return emit(.negated(part.step), .number, syntax)
        case .binary(let sign, let left, let right): return try checkBinary(sign, left, right, syntax)
        case .all(let operands):
            let steps = try checkConditions(operands, joinedBy: "&&")
            return emit(.all(tables.operands.places(of: steps)), .boolean, syntax)
        case .any(let operands):
            let steps = try checkConditions(operands, joinedBy: "||")
            return emit(.any(tables.operands.places(of: steps)), .boolean, syntax)
        case .choice(let condition, let first, let second):
            return try checkChoice(condition, first, second, syntax)
        }
    }

    private static func type(of leaf: Leaf?) -> ValueType {
        switch leaf {
        case nil: .null
        case .bool: .boolean
        case .integer, .double: .number
        case .string: .string
        }
    }

    private mutating func checkVariable(_ name: String, _ syntax: Syntax) throws(ExpressionError) -> Part {
        switch name {
        case "auth": return emit(.auth, .unknown, syntax)
        case "now": return emit(.now, .number, syntax)
        case "root": return emit(.root, .snapshot, syntax)
        case "data" where !scope.isOnFiles: return emit(.data, .snapshot, syntax)
        case "newData" where !scope.isOnFiles:
            guard scope.kind != .read else {
                throw ExpressionError("newData is invalid in .read expressions.", syntax.range)
            }
            return emit(.newData, .snapshot, syntax)
        case "query" where !scope.isOnFiles: return emit(.object, .query, syntax)
        case "request" where scope.isOnFiles: return emit(.object, .request, syntax)
        case "resource" where scope.isOnFiles: return emit(.object, .resource, syntax)
        default:
            guard let depth = scope.captures[name] else {
                throw ExpressionError(
                    "Unknown variable '\(name)'.", syntax.range,
                    suggestion: Spelling.nearest(to: name, among: variables))
            }
            return emit(.key(depth: depth), .string, syntax)
        }
    }

    private var variables: [String] {
        let fixed = scope.isOnFiles ? ["request", "resource"] : ["data", "newData", "query"]
        return ["auth", "now", "root"] + fixed + scope.captures.keys.sorted()
    }

    private mutating func checkConditions(
        _ operands: [Syntax], joinedBy sign: String
    ) throws(ExpressionError) -> [Int] {
        var steps: [Int] = []
        for operand in operands {
            let part = try check(operand)
            guard part.type == .boolean else {
                let side = steps.isEmpty ? "Left" : "Right"
                throw ExpressionError("\(side) operand of \(sign) must be boolean.", operand.range)
            }
            steps.append(part.step)
        }
        return steps
    }

    private mutating func checkChoice(
        _ condition: Syntax, _ first: Syntax, _ second: Syntax, _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let conditionPart = try check(condition)
        guard conditionPart.type == .boolean else {
            throw ExpressionError("Condition of ?: must be boolean.", condition.range)
        }
        let firstPart = try check(first)
        let secondPart = try check(second)
        guard let type = firstPart.type.joined(with: secondPart.type), type.isComparable || type == .snapshot
        else {
            throw ExpressionError(
                "Invalid ?: expression: both results must be values, or snapshots.", syntax.range)
        }
        return emit(.choice(conditionPart.step, firstPart.step, secondPart.step), type, syntax)
    }

    private mutating func checkBinary(
        _ sign: BinaryOperator, _ left: Syntax, _ right: Syntax, _ syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let leftPart = try check(left)
        let rightPart = try check(right)
        for (part, side, operand) in [(leftPart, "left", left), (rightPart, "right", right)] {
            guard Self.accepts(part.type, in: sign) else {
                throw ExpressionError(
                    "Invalid \(sign.rawValue) expression: \(side) operand \(Self.demand(of: sign)).",
                    operand.range)
            }
        }
        let (first, second) = (leftPart.step, rightPart.step)
        switch sign {
        case .equal: return emit(.equal(first, second), .boolean, syntax)
        case .unequal: return emit(.unequal(first, second), .boolean, syntax)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return emit(comparison(sign, first, second), .boolean, syntax)
        case .plus:
            let type = Self.typeOfSum(leftPart.type, rightPart.type)
            return emit(.arithmetic(sign, first, second), type, syntax)
        case .minus, .times, .divided, .remainder:
            return emit(.arithmetic(sign, first, second), .number, syntax)
        }
    }

    private mutating func comparison(_ sign: BinaryOperator, _ left: Int, _ right: Int) -> Operation {
        guard case .length(let text) = operations[left], case .value(let snapshot) = operations[text],
            case .constant(let place) = operations[right], case .integer(let limit) = tables.constants[place]
        else { return .compare(sign, left, right) }
        let comparison = LengthComparison(
            sign: sign, left: left, right: right, snapshot: snapshot, limit: limit)
        return .compareLength(tables.comparisons.place(of: comparison))
    }

    private static func typeOfSum(_ left: ValueType, _ right: ValueType) -> ValueType {
        if left == .string || right == .string { return .string }
        return left == .number && right == .number ? .number : .primitive
    }

    private static func accepts(_ type: ValueType, in sign: BinaryOperator) -> Bool {
        switch sign {
        case .equal, .unequal: type.isComparable
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .plus: type.mayBeNumber || type.mayBeString
        case .minus, .times, .divided, .remainder: type.mayBeNumber
        }
    }

    private static func demand(of sign: BinaryOperator) -> String {
        switch sign {
        case .equal: "is not a number, boolean, string, null"
        case .unequal: "is not a number, boolean, string, or null"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: "must be a number or string"
        case .plus: "is not a number or string"
        case .minus, .times, .divided, .remainder: "is not a number"
        }
    }
}
