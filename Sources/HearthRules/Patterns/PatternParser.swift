// Reading the regular expressions that rules may contain.

/// What a pattern is made of.
indirect enum PatternSyntax: Hashable, Sendable {
    case set(CharacterSet)
    case sequence([PatternSyntax])
    /// One of these; each is asked for.
    case choice([PatternSyntax])
    /// So many times in a row; without a most, any number.
    case repeated(PatternSyntax, atLeast: Int, atMost: Int?)
    /// `^`: the beginning of the text.
    case start
    /// `$`: the end of the text.
    case end
}

/// Why a text is no pattern: what is wrong, and where, in bytes from its beginning.
package struct PatternError: Error, Hashable, Sendable {
    package let message: String
    package let offset: Int
}

/// Reads the subset of security-rules.md §6; its nesting is bounded.
struct PatternParser {
    /// How deep groups may be nested.
    static let depthLimit = 50
    /// The largest number in braces.
    static let countLimit = 4_000

    private let scalars: [UnicodeScalar]
    private var index = 0
    private var depth = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The whole pattern.
    mutating func parse() throws(PatternError) -> PatternSyntax {
        let syntax = try parseChoice()
        guard index == scalars.count else { throw failure("unmatched ')' in regular expression") }
        return syntax
    }

    private func failure(_ message: String) -> PatternError {
        let read = scalars[..<min(index, scalars.count)]
        return PatternError(message: message, offset: read.reduce(0) { $0 + UTF8.width($1) })
    }

    private var next: UnicodeScalar? {
        index < scalars.count ? scalars[index] : nil
    }

    private mutating func parseChoice() throws(PatternError) -> PatternSyntax {
        var branches = [try parseSequence()]
        while next == "|" {
            index += 1
            branches.append(try parseSequence())
        }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func parseSequence() throws(PatternError) -> PatternSyntax {
        var parts: [PatternSyntax] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            parts.append(try parseRepeated())
        }
        guard !parts.isEmpty else { throw failure("empty alternative in regular expression") }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func parseRepeated() throws(PatternError) -> PatternSyntax {
        var syntax = try parseAtom()
        while let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            if syntax == .start || syntax == .end { throw failure("nothing to repeat in regular expression") }
            // Lazy forms find the same texts; as only whether there is a match is asked, they change nothing.
            index += 1
            switch scalar {
            case "*": syntax = .repeated(syntax, atLeast: 0, atMost: nil)
            case "+": syntax = .repeated(syntax, atLeast: 1, atMost: nil)
            case "?": syntax = .repeated(syntax, atLeast: 0, atMost: 1)
            default: syntax = try parseCounts(of: syntax)
            }
            guard nestingOfRepeats(syntax) <= Self.depthLimit else {
                throw failure("regular expression is nested too deeply")
            }
        }
        return syntax
    }

    private func nestingOfRepeats(_ syntax: PatternSyntax) -> Int {
        var depth = 0
        var inner = syntax
        while case .repeated(let repeated, _, _) = inner {
            depth += 1
            inner = repeated
        }
        return depth
    }

    /// `{n}`, `{n,}` or `{n,m}`, after the brace.
    private mutating func parseCounts(of syntax: PatternSyntax) throws(PatternError) -> PatternSyntax {
        let least = try parseCount()
        var most: Int? = least
        if next == "," {
            index += 1
            most = next == "}" ? nil : try parseCount()
        }
        guard next == "}" else { throw failure("expected '}' in regular expression") }
        if let most, most < least { throw failure("numbers out of order in regular expression") }
        index += 1
        return .repeated(syntax, atLeast: least, atMost: most)
    }

    private mutating func parseCount() throws(PatternError) -> Int {
        var count: Int?
        while let scalar = next, let digit = Int(String(scalar)), scalar.isASCII {
            count = (count ?? 0) * 10 + digit
            guard let count, count <= Self.countLimit else {
                throw failure("a number in regular expression is above \(Self.countLimit)")
            }
            index += 1
        }
        guard let count else { throw failure("expected a number in regular expression") }
        return count
    }

    private mutating func parseAtom() throws(PatternError) -> PatternSyntax {
        guard let scalar = next else { throw failure("regular expression ends too early") }
        switch scalar {
        case "(": return try parseGroup()
        case "[": return .set(try parseClass())
        case "*", "+", "?", "{": throw failure("nothing to repeat in regular expression")
        case "^":
            guard index == 0 else { throw failure("'^' may only stand at the start of regular expression") }
            index += 1
            return .start
        case "$":
            guard index == scalars.count - 1 else {
                throw failure("'$' may only stand at the end of regular expression")
            }
            index += 1
            return .end
        case ".":
            index += 1
            return .set(.anyInLine)
        case "\\":
            return .set(try parseEscape().set)
        default:
            index += 1
            return .set(CharacterSet(scalar.value))
        }
    }

    private mutating func parseGroup() throws(PatternError) -> PatternSyntax {
        depth += 1
        guard depth <= Self.depthLimit else { throw failure("regular expression is nested too deeply") }
        index += 1
        let syntax = try parseChoice()
        guard next == ")" else { throw failure("unmatched '(' in regular expression") }
        index += 1
        depth -= 1
        return syntax
    }
}

extension PatternParser {
    /// One element of a class, or an escape: a single character can begin or end a range.
    private enum Element {
        case character(UInt32)
        case several(CharacterSet)

        var set: CharacterSet {
            switch self {
            case .character(let scalar): CharacterSet(scalar)
            case .several(let set): set
            }
        }
    }

    private mutating func parseClass() throws(PatternError) -> CharacterSet {
        index += 1
        var set = CharacterSet()
        let isNegated = next == "^"
        if isNegated { index += 1 }
        while let scalar = next, scalar != "]" {
            let first = try parseElement()
            guard case .character(let lower) = first, let upper = try parseRangeEnd() else {
                set.insert(first.set)
                continue
            }
            guard lower <= upper else { throw failure("range out of order in regular expression") }
            set.insert(lower...upper)
        }
        guard next == "]" else { throw failure("unterminated class in regular expression") }
        index += 1
        return isNegated ? set.inverted : set
    }

    /// The upper end of a range, if the next sign is a hyphen that makes one.
    private mutating func parseRangeEnd() throws(PatternError) -> UInt32? {
        guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else { return nil }
        index += 1
        guard case .character(let upper) = try parseElement() else {
            throw failure("a range in regular expression ends with a class")
        }
        return upper
    }

    private mutating func parseElement() throws(PatternError) -> Element {
        guard let scalar = next else { throw failure("unterminated class in regular expression") }
        if scalar == "\\" { return try parseEscape() }
        index += 1
        return .character(scalar.value)
    }

    private mutating func parseEscape() throws(PatternError) -> Element {
        index += 1
        guard let scalar = next else { throw failure("regular expression ends with '\\'") }
        index += 1
        switch scalar {
        case "d": return .several(.digits)
        case "D": return .several(.digits.inverted)
        case "w": return .several(.wordCharacters)
        case "W": return .several(.wordCharacters.inverted)
        case "s": return .several(.whiteSpace)
        case "S": return .several(.whiteSpace.inverted)
        case "n": return .character(0x0A)
        case "r": return .character(0x0D)
        case "t": return .character(0x09)
        case "f": return .character(0x0C)
        case "v": return .character(0x0B)
        case "x": return .character(try parseHexadecimal(digitCount: 2))
        case "u": return .character(try parseHexadecimal(digitCount: 4))
        default:
            let isWord = CharacterSet.wordCharacters.contains(scalar.value, ignoringCase: false)
            guard !isWord || scalar == "_" else {
                index -= 1
                throw failure("'\\\(scalar)' is not supported in regular expression")
            }
            return .character(scalar.value)
        }
    }

    private mutating func parseHexadecimal(digitCount: Int) throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digitCount {
            guard let scalar = next, scalar.isASCII, let digit = UInt32(String(scalar), radix: 16) else {
                throw failure("expected a hexadecimal digit in regular expression")
            }
            value = value << 4 | digit
            index += 1
        }
        return value
    }
}
