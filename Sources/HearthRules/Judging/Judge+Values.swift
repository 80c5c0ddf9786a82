// Evaluating the steps of an expression (security-rules.md §6).
import HearthCore

extension Judge {
    /// The value of a step that is a condition.
    mutating func condition(_ step: Int) throws(EvaluationError) -> Bool {
        guard isTracing else { return try plainCondition(step) }
        let value = try value(step)
        guard case .bool(let truth) = value else {
            throw .operand(of: "a condition", is: value.kind, wanted: "boolean")
        }
        return truth
    }

    private mutating func plainCondition(_ step: Int) throws(EvaluationError) -> Bool {
        try spend(1)
        switch operations[step] {
        case .constant(let place):
            guard case .bool(let truth) = constant(place) else {
                preconditionFailure("the checker lets only conditions through here")
            }
            return truth
        case .not(let operand): return try !condition(operand)
        case .all(let operands):
            for place in operands where try !condition(operand(place)) { return false }
            return true
        case .any(let operands):
            for place in operands where try condition(operand(place)) { return true }
            return false
        case .equal(let left, let right): return try areEqual(left, right)
        case .unequal(let left, let right): return try !areEqual(left, right)
        case .compare(let sign, let left, let right):
            return try compare(sign, try value(left), try value(right))
        case .compareLength(let place): return try compareLength(place)
        case .choice(let test, let first, let second):
            return try condition(try condition(test) ? first : second)
        case .exists(let snapshot): return try nature(snapshot) != .nothing
        case .hasAnyChild(let snapshot): return try nature(snapshot) == .children
        case .isKind(let snapshot, let kind): return try nature(snapshot) == .leaf(kind)
        case .hasChild(let snapshot, let argument): return try hasChild(argument, at: snapshot)
        case .hasChildren(let snapshot, let arguments): return try hasChildren(arguments, at: snapshot)
        case .hasNames(let snapshot, let keys): return try hasNames(keys, at: snapshot)
        case .matches(let text, let pattern): return try matches(text, pattern)
        case .search(let search, let text, let part): return try finds(search, text, part)
        case .query(let member):
            if case .bool(let truth) = fact(member) { return truth }
            return false
        default: preconditionFailure("the checker lets only conditions through here")
        }
    }

    /// The value of a step that is no snapshot.
    mutating func value(_ step: Int) throws(EvaluationError) -> Value {
        guard isTracing else { return try plainValue(step) }
        do throws(EvaluationError) {
            let value = try plainValue(step)
            notes?.trace?.add(step, .value(value))
            return value
        } catch {
            notes?.trace?.add(step, .failure(error))
            throw error
        }
    }

    private mutating func plainValue(_ step: Int) throws(EvaluationError) -> Value {
        try spend(1)
        let operation = operations[step]
        switch operation {
        case .constant(let place): return constant(place)
        case .auth: return claims
        case .now:
            notes?.reads.usesNow = true
            return .integer(context.pointee.now)
        case .key(let depth): return .string(name(at: depth))
        case .member(let target, let name):
            return try member(memberName(name), of: try value(target))
        case .uid(let target): return try uid(of: target)
        case .element(let target, let index): return try element(of: try value(target), try value(index))
        case .query(let member): return fact(member)
        case .file(let member): return circumstances?.files.value(member) ?? .null
        case .choice(let test, let first, let second): return try value(try condition(test) ? first : second)
        case .value(let snapshot): return Value(of: try askedNode(snapshot))
        case .priority(let snapshot): return Value(try askedNode(snapshot).priority)
        case .negated(let operand): return try negated(try value(operand))
        case .arithmetic(let sign, let left, let right):
            return try combine(sign, try value(left), try value(right))
        case .length(let text): return try length(ofStep: text)
        case .replace, .lowercase, .uppercase: return try text(operation)
        case .root, .data, .newData, .child, .parent:
            preconditionFailure("the checker lets no snapshot through here")
        case .not, .all, .any, .equal, .unequal, .compare, .compareLength, .exists, .hasChild, .hasAnyChild,
            .hasChildren, .hasNames, .isKind, .search, .matches:
            // It spends its own step: a rule that is explained must not cost more than one that is judged.
            steps += 1
            return .bool(try plainCondition(step))
        }
    }

    /// The variable `auth`.
    private var claims: Value {
        context.pointee.auth.map { Value($0.variable) } ?? .null
    }

    /// By far the commonest member, which the token has in hand.
    private mutating func uid(of target: Int) throws(EvaluationError) -> Value {
        guard !isTracing, let uid = context.pointee.auth?.uid else {
            return try member("uid", of: try value(target))
        }
        try spend(2)
        return .string(uid)
    }

    /// Whether two steps yield the same; keys are compared where they lie.
    private mutating func areEqual(_ left: Int, _ right: Int) throws(EvaluationError) -> Bool {
        guard !isTracing, circumstances?.names == nil else { return try value(left).equals(try value(right)) }
        if case .key(let depth) = operations[right] {
            let value = try value(left)
            try spend(1)
            return value.isText(key(to: depth + 1))
        }
        if case .key(let depth) = operations[left] {
            try spend(1)
            return try value(right).isText(key(to: depth + 1))
        }
        return try value(left).equals(try value(right))
    }

    /// What the wildcard at a depth matched.
    func name(at depth: Int) -> String {
        circumstances?.names?[depth] ?? key(to: depth + 1).text
    }

    private func constant(_ place: Int) -> Value {
        expression._withUnsafeGuaranteedRef { $0.tables.constants[place] }
    }

    private func operand(_ place: Int) -> Int {
        expression._withUnsafeGuaranteedRef { $0.tables.operands[place] }
    }

    private func memberName(_ place: Int) -> String {
        expression._withUnsafeGuaranteedRef { $0.tables.names[place] }
    }

    private func fact(_ member: QueryFacts.Member) -> Value {
        QueryFacts(query: seesQuery ? circumstances?.query : nil).value(member)
    }

    private mutating func member(_ name: String, of target: Value) throws(EvaluationError) -> Value {
        try spend(1)
        switch target {
        case .claims(let claims): return Value(claims.member(name))
        case .string(let text) where name == "length": return try length(of: text)
        case .null where name == "length":
            throw .operand(of: "length", is: .null, wanted: "string")
        default: return .null
        }
    }

    private mutating func element(of target: Value, _ index: Value) throws(EvaluationError) -> Value {
        switch (target, index) {
        case (_, .string(let name)): return try member(name, of: target)
        case (.claims(let claims), .integer(let index)):
            return Value(claims.element(Int(truncatingIfNeeded: index)))
        case (_, .integer), (_, .double): return .null
        default: throw .operand(of: "a subscript", is: index.kind, wanted: "string")
        }
    }
}

extension Value {
    /// Whether this is the text of a key.
    fileprivate func isText(_ key: Key) -> Bool {
        guard case .string(var text) = self else { return false }
        guard let bytes = key.plainBytes else { return equals(.string(key.text)) }
        guard text.utf8.count == key.byteCount else { return false }
        return text.withUTF8 { text in
            withUnsafeBytes(of: bytes) {
                UnsafeRawBufferPointer(rebasing: $0.prefix(text.count)).hasSameBytes(
                    as: UnsafeRawBufferPointer(text))
            }
        }
    }
}

extension Judge {
    private mutating func compareLength(_ place: Int) throws(EvaluationError) -> Bool {
        let comparison = expression._withUnsafeGuaranteedRef { $0.tables.comparisons[place] }
        guard !isTracing else {
            return try compare(
                comparison.sign, try value(comparison.left), try value(comparison.right))
        }
        if case .newData = operations[comparison.snapshot] {
            reachNew(location)
            if let text = levels[location].new.plainText {
                // As many steps as below.
                try spend(4 + text.count / 64)
                return comparison.sign.holds(Ordering(Int64(text.count), comparison.limit))
            }
        }
        return comparison.sign.holds(Ordering(try length(at: comparison.snapshot), comparison.limit))
    }

    private mutating func compare(
        _ sign: BinaryOperator, _ left: Value, _ right: Value
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.string(let first), .string(let second)):
            try spend(min(first.utf8.count, second.utf8.count) / 64)
            return sign.holds(Ordering(utf16: first, second))
        case (.integer(let first), .integer(let second)):
            return sign.holds(Ordering(first, second))
        case (.integer, .double), (.double, .integer), (.double, .double):
            return compareNumbers(sign, left, right)
        default: throw .incomparable(sign, left.kind, right.kind)
        }
    }

    /// NaN is neither less than, nor equal to, nor greater than anything.
    private func compareNumbers(_ sign: BinaryOperator, _ left: Value, _ right: Value) -> Bool {
        guard let first = left.number, let second = right.number, !first.isNaN, !second.isNaN else {
            return false
        }
        if case .integer(let whole) = left, second.isFinite {
            return sign.holds(Leaf.integer(whole).ordering(to: Leaf(number: second)))
        }
        if case .integer(let whole) = right, first.isFinite {
            return sign.holds(Leaf(number: first).ordering(to: Leaf.integer(whole)))
        }
        return sign.holds(Ordering(first, second))
    }

    private func negated(_ operand: Value) throws(EvaluationError) -> Value {
        switch operand {
        case .integer(let value):
            let (result, overflow) = Int64(0).subtractingReportingOverflow(value)
            return overflow ? .double(-Double(value)) : .integer(result)
        case .double(let value): return .double(-value)
        default: throw .operand(of: "-", is: operand.kind, wanted: "number")
        }
    }

    private mutating func combine(
        _ sign: BinaryOperator, _ left: Value, _ right: Value
    ) throws(EvaluationError) -> Value {
        if sign == .plus, left.kind == .string || right.kind == .string { return try join(left, right) }
        guard let first = left.number else {
            throw .operand(
                of: sign.rawValue, is: left.kind, wanted: sign == .plus ? "number or string" : "number")
        }
        guard let second = right.number else {
            throw .operand(
                of: sign.rawValue, is: right.kind, wanted: sign == .plus ? "number or string" : "number")
        }
        if case .integer(let left) = left, case .integer(let right) = right,
            let exact = sign.exactResult(left, right)
        {
            return .integer(exact)
        }
        return Self.number(sign.result(first, second))
    }

    private static func number(_ value: Double) -> Value {
        value.isFinite ? Value(number: value) : .double(value)
    }

    private mutating func join(_ left: Value, _ right: Value) throws(EvaluationError) -> Value {
        guard let first = left.spelled else {
            throw .operand(of: "+", is: left.kind, wanted: "number or string")
        }
        guard let second = right.spelled else {
            throw .operand(of: "+", is: right.kind, wanted: "number or string")
        }
        let count = first.utf8.count + second.utf8.count
        guard count <= Leaf.stringByteLimit else { throw .textTooLong }
        try spend(count / 64)
        return .string(first + second)
    }
}

extension BinaryOperator {
    /// Whether two values in this order satisfy a comparison.
    fileprivate func holds(_ ordering: Ordering) -> Bool {
        switch self {
        case .less: ordering == .ascending
        case .lessOrEqual: ordering != .descending
        case .greater: ordering == .descending
        case .greaterOrEqual: ordering != .ascending
        default: preconditionFailure("this is no comparison")
        }
    }

    /// The result within 64 bits; nil if it is not whole, or beyond.
    fileprivate func exactResult(_ left: Int64, _ right: Int64) -> Int64? {
        let (result, overflow) =
            switch self {
            case .plus: left.addingReportingOverflow(right)
            case .minus: left.subtractingReportingOverflow(right)
            case .times: left.multipliedReportingOverflow(by: right)
            case .remainder where right != 0: left.remainderReportingOverflow(dividingBy: right)
            default: (Int64(0), true)
            }
        return overflow ? nil : result
    }

    /// The result as doubles have it. Division by zero is NaN, whatever is divided.
    fileprivate func result(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .divided: right == 0 ? .nan : left / right
        case .remainder: right == 0 ? .nan : left.truncatingRemainder(dividingBy: right)
        default: preconditionFailure("this is no arithmetic")
        }
    }
}
