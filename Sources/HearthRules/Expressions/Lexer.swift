// The words and signs of a rule expression.
import HearthCore

/// One word or sign.
enum Token: Hashable, Sendable {
    case constant(Leaf)
    case name(String)
    case pattern(String, flags: String)
    case sign(String)
    case end
}

/// Cuts an expression into tokens. Whether a slash begins a regular expression is for the parser to say.
struct Lexer {
    private let bytes: [UInt8]
    /// Where the next token is looked for.
    private(set) var index = 0

    /// Signs, longest first.
    private static let signs = [
        ">>>=", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "==", "!=", "<=", ">=", "&&", "||",
        "**", "++", "--", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "=>", "??", "?.",
        "!", "-", "*", "/", "%", "+", "<", ">", "?", ":", "(", ")", "[", "]", ",", ".", "=", "&", "|", "^",
        "~", ";", "{", "}",
    ].map { Array($0.utf8) }

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The next token and the bytes that it covers.
    mutating func next(expectingOperand: Bool) throws(ExpressionError) -> (token: Token, range: Range<Int>) {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        let start = index
        guard index < bytes.count else { return (.end, start..<start) }
        let token = try read(expectingOperand: expectingOperand)
        return (token, start..<index)
    }

    private mutating func read(expectingOperand: Bool) throws(ExpressionError) -> Token {
        let byte = bytes[index]
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            return .constant(.string(try readText()))
        }
        if byte.isDigit || (byte == UInt8(ascii: ".") && peek(1).isDigit) {
            return .constant(try readNumber())
        }
        if byte.isNameStart { return .name(readName()) }
        if byte == UInt8(ascii: "/"), expectingOperand { return try readPattern() }
        for sign in Self.signs where bytes[index...].starts(with: sign) {
            index += sign.count
            return .sign(String(decoding: sign, as: UTF8.self))
        }
        throw failure("Parse error. This character has no meaning here.", from: index)
    }

    private func peek(_ distance: Int) -> UInt8 {
        index + distance < bytes.count ? bytes[index + distance] : 0
    }

    private func failure(_ message: String, from start: Int) -> ExpressionError {
        ExpressionError(message, start..<max(start + 1, min(index, bytes.count)))
    }

    private mutating func readName() -> String {
        let start = index
        while index < bytes.count, bytes[index].isNameStart || bytes[index].isDigit { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func readNumber() throws(ExpressionError) -> Leaf {
        let start = index
        skipDigits()
        if peek(0) == UInt8(ascii: ".") {
            index += 1
            skipDigits()
        }
        if peek(0) | 0x20 == UInt8(ascii: "e") {
            index += 1
            if peek(0) == UInt8(ascii: "+") || peek(0) == UInt8(ascii: "-") { index += 1 }
            skipDigits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        let padded = text.hasSuffix(".") ? text + "0" : text.hasPrefix(".") ? "0" + text : text
        guard !peek(0).isNameStart, let number = Double(padded), number.isFinite else {
            throw failure("Parse error. This is no number.", from: start)
        }
        if let whole = Int64(text) { return .integer(whole) }
        return Leaf(number: number)
    }

    private mutating func skipDigits() {
        while peek(0).isDigit { index += 1 }
    }

    /// A regular expression; a slash within a class does not end it.
    private mutating func readPattern() throws(ExpressionError) -> Token {
        let start = index
        var isInClass = false
        index += 1
        while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                let text = String(decoding: bytes[start + 1..<index - 1], as: UTF8.self)
                return .pattern(text, flags: readName())
            default: break
            }
        }
        index = min(index, bytes.count)
        throw failure("unterminated regular expression literal", from: start)
    }
}

extension Lexer {
    private mutating func readText() throws(ExpressionError) -> String {
        let start = index
        let quote = bytes[index]
        var text: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D {
            let byte = bytes[index]
            index += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                try readEscape(into: &text)
            } else {
                text.append(byte)
            }
        }
        throw failure("unterminated string literal", from: start)
    }

    /// What follows a backslash, as in JavaScript: a sign without a meaning of its own stands for itself.
    private mutating func readEscape(into text: inout [UInt8]) throws(ExpressionError) {
        let byte = peek(0)
        index += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "v"): text.append(0x0B)
        case UInt8(ascii: "x"): try appendScalar(try readHexadecimal(2), to: &text)
        case UInt8(ascii: "u"): try appendScalar(try readCodeUnit(), to: &text)
        case 0: throw failure("unterminated string literal", from: index - 1)
        default: text.append(byte)
        }
    }

    private func appendScalar(_ value: UInt32, to text: inout [UInt8]) throws(ExpressionError) {
        guard let scalar = UnicodeScalar(value) else {
            throw failure("Invalid escape: half a surrogate pair.", from: index - 6)
        }
        text.append(contentsOf: Array(String(Character(scalar)).utf8))
    }

    private mutating func readCodeUnit() throws(ExpressionError) -> UInt32 {
        let high = try readHexadecimal(4)
        guard 0xD800..<0xDC00 ~= high, peek(0) == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else {
            return high
        }
        index += 2
        let low = try readHexadecimal(4)
        return 0xDC00..<0xE000 ~= low ? 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00) : high
    }

    private mutating func readHexadecimal(_ digitCount: Int) throws(ExpressionError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digitCount {
            guard let digit = UInt32(String(decoding: [peek(0)], as: UTF8.self), radix: 16) else {
                throw failure("Invalid escape: expected \(digitCount) hexadecimal digits.", from: index - 1)
            }
            value = value << 4 | digit
            index += 1
        }
        return value
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }

    /// ASCII letters, `$`, `_`, and every byte beyond ASCII.
    fileprivate var isNameStart: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "$"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }
}
