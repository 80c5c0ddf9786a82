// Reading the JSON that rules are written in.

/// Reads rules text; recursion is bounded by `RelaxedJSON.depthLimit`.
struct RelaxedJSONReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The one value of the text.
    mutating func readDocument() throws(RulesTextError) -> RelaxedJSON {
        let value = try readValue(depth: 0)
        guard try peek() == nil else { throw failure("Parse error. Nothing may follow the closing '}'.") }
        return value
    }

    private func failure(_ message: String, at place: Int? = nil) -> RulesTextError {
        RulesTextError(message, at: place ?? index, in: bytes)
    }

    private mutating func readValue(depth: Int) throws(RulesTextError) -> RelaxedJSON {
        guard depth < RelaxedJSON.depthLimit else {
            throw failure("Parse error. More than \(RelaxedJSON.depthLimit) levels.")
        }
        let next = try peek()
        let start = index
        let content: RelaxedJSON.Content
        switch next {
        case UInt8(ascii: "{"): content = try readObject(depth: depth)
        case UInt8(ascii: "["): content = try readList(depth: depth)
        case UInt8(ascii: "\""): content = .string(try readString())
        case UInt8(ascii: ","): throw failure("Unexpected ','.")
        case nil: throw failure("Parse error. The text ends too early.")
        default: content = try readWord()
        }
        return RelaxedJSON(content: content, range: start..<index)
    }

    private mutating func readObject(depth: Int) throws(RulesTextError) -> RelaxedJSON.Content {
        var members: [RelaxedJSON.Member] = []
        index += 1
        while try peek() != UInt8(ascii: "}") {
            guard try peek() == UInt8(ascii: "\"") else { throw unexpected("a quoted name or '}'") }
            let start = index
            let name = try readString()
            guard try peek() == UInt8(ascii: ":") else { throw unexpected("':'") }
            index += 1
            let value = try readValue(depth: depth + 1)
            members.append(RelaxedJSON.Member(name: name, nameStart: start, value: value))
            guard try skipComma(before: UInt8(ascii: "}")) else { throw unexpected("',' or '}'") }
        }
        index += 1
        return .object(members)
    }

    private mutating func readList(depth: Int) throws(RulesTextError) -> RelaxedJSON.Content {
        var elements: [RelaxedJSON] = []
        index += 1
        while try peek() != UInt8(ascii: "]") {
            elements.append(try readValue(depth: depth + 1))
            guard try skipComma(before: UInt8(ascii: "]")) else { throw unexpected("',' or ']'") }
        }
        index += 1
        return .list(elements)
    }

    /// Passes a comma, if there is one; false if something else than it or `end` comes.
    private mutating func skipComma(before end: UInt8) throws(RulesTextError) -> Bool {
        let next = try peek()
        if next == UInt8(ascii: ",") {
            index += 1
            return true
        }
        return next == end
    }

    private func unexpected(_ wanted: String) -> RulesTextError {
        if index < bytes.count, bytes[index] == UInt8(ascii: ",") { return failure("Unexpected ','.") }
        return failure("Parse error. Expected \(wanted).")
    }

    private mutating func readWord() throws(RulesTextError) -> RelaxedJSON.Content {
        let start = index
        while index < bytes.count, Self.isWordByte(bytes[index]) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        guard ["true", "false", "null"].contains(word) || Double(word) != nil else {
            throw failure("Parse error. Expected a value.", at: start)
        }
        return .word(word)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// The next byte that is neither space nor comment; nil at the end.
    private mutating func peek() throws(RulesTextError) -> UInt8? {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            case UInt8(ascii: "/"): try skipComment()
            default: return bytes[index]
            }
        }
        return nil
    }

    private mutating func skipComment() throws(RulesTextError) {
        let start = index
        let second = index + 1 < bytes.count ? bytes[index + 1] : 0
        switch second {
        case UInt8(ascii: "/"):
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        case UInt8(ascii: "*"):
            index += 2
            while !isAtCommentEnd {
                guard index < bytes.count else {
                    throw failure("Parse error. This comment has no end.", at: start)
                }
                index += 1
            }
            index += 2
        default:
            throw failure("Parse error. A comment begins with // or /*.")
        }
    }

    private var isAtCommentEnd: Bool {
        index + 1 < bytes.count && bytes[index] == UInt8(ascii: "*") && bytes[index + 1] == UInt8(ascii: "/")
    }
}

extension RelaxedJSONReader {
    private mutating func readString() throws(RulesTextError) -> String {
        let start = index
        var text: [UInt8] = []
        index += 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                return String(decoding: text, as: UTF8.self)
            }
            try readCharacter(into: &text)
        }
        throw failure("Parse error. This string has no end.", at: start)
    }

    /// Reads one byte or one escape.
    private mutating func readCharacter(into text: inout [UInt8]) throws(RulesTextError) {
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\\"):
            try readEscape(into: &text)
        case 0..<0x20 where byte != 0x0A && byte != 0x0D && byte != 0x09:
            throw failure("Parse error. A control character must be escaped.", at: index - 1)
        default:
            text.append(byte)
        }
    }

    mutating func offset(ofByte count: Int, inStringAt start: Int) -> Int {
        index = start + 1
        var text: [UInt8] = []
        while index < bytes.count, text.count < count {
            do throws(RulesTextError) {
                try readCharacter(into: &text)
            } catch {
                preconditionFailure("the string was read before")
            }
        }
        return index
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(RulesTextError) {
        guard index < bytes.count else { throw failure("Parse error. The text ends too early.") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: try readCharacterNumber())
        default:
            throw failure("Invalid escape: only \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u are.", at: index - 2)
        }
    }

    private mutating func readCharacterNumber() throws(RulesTextError) -> [UInt8] {
        let start = index - 2
        let unit = try readHexDigits()
        guard unit & 0xF800 == 0xD800 else { return utf8(unit) }
        guard unit < 0xDC00, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { throw failure("Invalid escape: half a surrogate pair.", at: start) }
        index += 2
        let low = try readHexDigits()
        guard low & 0xFC00 == 0xDC00 else {
            throw failure("Invalid escape: half a surrogate pair.", at: start)
        }
        return utf8(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func readHexDigits() throws(RulesTextError) -> UInt32 {
        let digits = bytes[min(index, bytes.count)..<min(index + 4, bytes.count)]
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, !text.hasPrefix("+"), !text.hasPrefix("-"),
            let unit = UInt32(text, radix: 16)
        else { throw failure("Invalid escape: \\u needs four hexadecimal digits.") }
        index += 4
        return unit
    }

    private func utf8(_ number: UInt32) -> [UInt8] {
        guard let scalar = UnicodeScalar(number) else { return [] }
        return Array(String(Character(scalar)).utf8)
    }
}
