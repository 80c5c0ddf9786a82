// Reading a rule expression (security-rules.md §6).
import HearthCore

/// Reads one expression by its operators' tightness; recursion is bounded by `depthLimit`.
struct Parser {
    /// How deep an expression may be nested.
    static let depthLimit = 120

    private var lexer: Lexer
    private var token = Token.end
    private var range = 0..<0
    private var lastEnd = 0
    private var depth = 0

    /// Reads a whole text.
    static func parse(_ text: String) throws(ExpressionError) -> Syntax {
        var parser = Parser(lexer: Lexer(text))
        try parser.advance(expectingOperand: true)
        if parser.token == .end {
            throw ExpressionError("Parse error. The expression is empty.", parser.range)
        }
        let syntax = try parser.parseExpression()
        guard parser.token == .end else { throw parser.unexpected() }
        return syntax
    }

    private init(lexer: Lexer) {
        self.lexer = lexer
    }

    private mutating func advance(expectingOperand: Bool) throws(ExpressionError) {
        lastEnd = range.upperBound
        (token, range) = try lexer.next(expectingOperand: expectingOperand)
    }

    /// Passes a sign, if it comes next. What follows a sign that is passed this way is an operand.
    private mutating func pass(_ sign: String) throws(ExpressionError) -> Bool {
        guard token == .sign(sign) else { return false }
        try advance(expectingOperand: true)
        return true
    }

    /// Passes a closing bracket.
    private mutating func close(_ sign: String) throws(ExpressionError) {
        guard token == .sign(sign) else { throw unexpected(expecting: "'\(sign)'") }
        try advance(expectingOperand: false)
    }

    private func unexpected(expecting wanted: String? = nil) -> ExpressionError {
        let tail = wanted.map { " Expected \($0)." } ?? ""
        switch token {
        case .end: return ExpressionError("Parse error. The expression ends too early.\(tail)", range)
        case .sign(let sign) where Self.assignments.contains(sign):
            return ExpressionError("Rule expressions may not contain assignments.", range)
        case .sign(let sign) where Self.foreignSigns.contains(sign):
            return ExpressionError("Rule expressions may not contain operator \(sign).", range)
        case .name(let name) where Self.foreignNames.contains(name):
            return ExpressionError("Rule expressions may not contain operator \(name).", range)
        case .sign(";"):
            return ExpressionError("Parse error. Unexpected ';': a rule is one expression.", range)
        case .sign(let sign): return ExpressionError("Parse error. Unexpected '\(sign)'.\(tail)", range)
        case .name, .constant, .pattern:
            return ExpressionError("Parse error. An operator is missing before this.\(tail)", range)
        }
    }

    private static let assignments: Set<String> = [
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "**=", "&&=", "||=",
    ]
    private static let foreignSigns: Set<String> = [
        "&", "|", "^", "~", "<<", ">>", ">>>", "**", "++", "--", "=>", "??", "?.",
    ]
    private static let foreignNames: Set<String> = [
        "in", "instanceof", "typeof", "new", "delete", "void", "function",
    ]

    private mutating func nested(
        _ parse: (inout Parser) throws(ExpressionError) -> Syntax
    ) throws(ExpressionError) -> Syntax {
        depth += 1
        guard depth <= Self.depthLimit else {
            throw ExpressionError("Expression is nested deeper than \(Self.depthLimit) levels.", range)
        }
        let syntax = try parse(&self)
        depth -= 1
        return syntax
    }

    private func checked(_ kind: Syntax.Kind, _ range: Range<Int>) throws(ExpressionError) -> Syntax {
        let syntax = Syntax(kind, range)
        guard syntax.height <= Self.depthLimit * 2 else {
            throw ExpressionError("Expression is nested deeper than \(Self.depthLimit * 2) levels.", range)
        }
        return syntax
    }

    private mutating func parseExpression() throws(ExpressionError) -> Syntax {
        try nested { parser throws(ExpressionError) in try parser.parseChoice() }
    }

    private mutating func parseChoice() throws(ExpressionError) -> Syntax {
        let condition = try parseAny()
        guard try pass("?") else { return condition }
        let first = try parseExpression()
        guard try pass(":") else { throw unexpected(expecting: "':'") }
        let second = try parseExpression()
        return try checked(
            .choice(condition, first, second), condition.range.lowerBound..<second.range.upperBound)
    }

    private mutating func parseAny() throws(ExpressionError) -> Syntax {
        let first = try parseAll()
        var operands = [first]
        while try pass("||") { operands.append(try parseAll()) }
        return operands.count == 1
            ? first : try checked(.any(operands), first.range.lowerBound..<lastEnd)
    }

    private mutating func parseAll() throws(ExpressionError) -> Syntax {
        let first = try parseBinary(tightness: 1)
        var operands = [first]
        while try pass("&&") { operands.append(try parseBinary(tightness: 1)) }
        return operands.count == 1
            ? first : try checked(.all(operands), first.range.lowerBound..<lastEnd)
    }

    private mutating func parseBinary(tightness: Int) throws(ExpressionError) -> Syntax {
        var left = try parseUnary()
        while let next = binaryOperator, next.tightness >= tightness {
            try advance(expectingOperand: true)
            let right = try parseBinary(tightness: next.tightness + 1)
            left = try checked(
                .binary(next, left, right), left.range.lowerBound..<right.range.upperBound)
        }
        return left
    }

    private var binaryOperator: BinaryOperator? {
        guard case .sign(let sign) = token else { return nil }
        switch sign {
        case "===": return .equal
        case "!==": return .unequal
        default: return BinaryOperator(rawValue: sign)
        }
    }

    private mutating func parseUnary() throws(ExpressionError) -> Syntax {
        let start = range.lowerBound
        if try pass("!") {
            let operand = try nested { parser throws(ExpressionError) in try parser.parseUnary() }
            return Syntax(.not(operand), start..<operand.range.upperBound)
        }
        if try pass("-") {
            let operand = try nested { parser throws(ExpressionError) in try parser.parseUnary() }
            return Syntax(.negated(operand), start..<operand.range.upperBound)
        }
        return try parsePostfix()
    }

    private mutating func parsePostfix() throws(ExpressionError) -> Syntax {
        var syntax = try parsePrimary()
        let start = syntax.range.lowerBound
        while true {
            if token == .sign(".") {
                try advance(expectingOperand: false)
                guard case .name(let name) = token else { throw unexpected(expecting: "a name") }
                try advance(expectingOperand: false)
                syntax = try checked(.member(syntax, name), start..<lastEnd)
            } else if try pass("[") {
                let index = try parseExpression()
                try close("]")
                if case .constant(.string(let name)) = index.kind {
                    syntax = try checked(.member(syntax, name), start..<lastEnd)
                } else {
                    syntax = try checked(.element(syntax, index), start..<lastEnd)
                }
            } else if try pass("(") {
                let arguments = try parseList(until: ")")
                syntax = try checked(.call(syntax, arguments), start..<lastEnd)
            } else {
                return syntax
            }
        }
    }

    /// Expressions with commas between, and the closing bracket.
    private mutating func parseList(until end: String) throws(ExpressionError) -> [Syntax] {
        var elements: [Syntax] = []
        while token != .sign(end) {
            elements.append(try parseExpression())
            guard try pass(",") else { break }
        }
        try close(end)
        return elements
    }

    private mutating func parsePrimary() throws(ExpressionError) -> Syntax {
        let start = range
        switch token {
        case .constant(let leaf):
            try advance(expectingOperand: false)
            return Syntax(.constant(leaf), start)
        case .pattern(let text, let flags):
            try advance(expectingOperand: false)
            return Syntax(.pattern(text, flags: flags), start)
        case .name(let name):
            guard !Self.foreignNames.contains(name) else { throw unexpected() }
            try advance(expectingOperand: false)
            return Syntax(Self.kind(ofName: name), start)
        case .sign("("):
            try advance(expectingOperand: true)
            let inner = try parseExpression()
            try close(")")
            return Syntax(inner.kind, start.lowerBound..<lastEnd)
        case .sign("["):
            try advance(expectingOperand: true)
            return try checked(.list(try parseList(until: "]")), start.lowerBound..<lastEnd)
        case .sign("+"):
            throw ExpressionError("Rule expressions may not contain operator + before an operand.", range)
        case .sign, .end:
            throw unexpected(expecting: "a value")
        }
    }

    private static func kind(ofName name: String) -> Syntax.Kind {
        switch name {
        case "true": .constant(.bool(true))
        case "false": .constant(.bool(false))
        case "null": .constant(nil)
        default: .variable(name)
        }
    }
}
