// The JSON that rules are written in: comments, raw line breaks in strings, one trailing comma.

/// A value of rules text, with the place where it stands. Source: security-rules.md §1.
public struct RelaxedJSON: Sendable {
    /// What kinds of values there are.
    public enum Content: Sendable {
        /// A text, its escapes resolved.
        case string(String)
        /// `true`, `false`, `null` or a number, as it is written.
        case word(String)
        /// The elements in order.
        case list([RelaxedJSON])
        /// The members in the order of the text, doubled names included.
        case object([Member])
    }

    /// A named value of an object.
    public struct Member: Sendable {
        /// The name, its escapes resolved.
        public let name: String
        /// Offset of the quote that begins the name, in bytes of the text.
        public let nameStart: Int
        /// What it names.
        public let value: RelaxedJSON
    }

    /// What it says.
    public let content: Content
    /// Where it stands in the text, in bytes, quotes and brackets included.
    public let range: Range<Int>

    /// How many levels a text may have.
    public static let depthLimit = 100

    init(content: Content, range: Range<Int>) {
        self.content = content
        self.range = range
    }

    /// Reads the one value of a text in UTF-8; at most `depthLimit` levels.
    ///
    /// - Complexity: O(n).
    public init(reading text: [UInt8]) throws(RulesTextError) {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw RulesTextError("Parse error. The text is no UTF-8.", at: 0, in: text)
        }
        var reader = RelaxedJSONReader(text)
        self = try reader.readDocument()
    }

    /// The last member of that name, as later ones win; nil if there is none, or this is no object.
    public func member(_ name: String) -> RelaxedJSON? {
        guard case .object(let members) = content else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// Where in the text the `count`-th byte of a string stands, escapes not counted as they are written.
    ///
    /// - Parameters:
    ///   - count: a number of bytes of the string that `content` tells.
    ///   - text: what the value was read from.
    public func offset(ofByte count: Int, in text: [UInt8]) -> Int {
        var reader = RelaxedJSONReader(text)
        return reader.offset(ofByte: count, inStringAt: range.lowerBound)
    }
}

/// Why a text is not what rules are written in.
public struct RulesTextError: Error, Hashable, Sendable {
    /// Where it is, in bytes of the text.
    public let offset: Int
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in characters.
    public let column: Int
    /// What is wrong there.
    public let message: String

    /// A fault at `offset` bytes of `text`.
    ///
    /// - Complexity: O(offset).
    public init(_ message: String, at offset: Int, in text: [UInt8]) {
        let read = text[..<min(offset, text.count)]
        self.offset = read.endIndex
        self.message = message
        line = read.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = (read.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        column = read[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
    }
}

extension RulesTextError: CustomStringConvertible {
    /// `LINE:COL: message`, as the REST API answers.
    public var description: String { "\(line):\(column): \(message)" }
}
