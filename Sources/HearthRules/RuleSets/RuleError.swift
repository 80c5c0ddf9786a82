// What is wrong with a rules text, where, and what may have been meant.
import HearthCore

/// What is wrong with a rules text, where, and what may have been meant. Source: security-rules.md §7.
public struct RuleError: Error, Hashable, Sendable {
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in characters.
    public let column: Int
    /// What is wrong, in the words that clients of Firebase know.
    public let message: String
    /// The line of the text, cut around the place if it is long.
    public let excerpt: String
    /// Where in the excerpt the fault is, in characters.
    public let mark: Range<Int>
    /// A name that may have been meant.
    public let suggestion: String?

    private static let excerptLimit = 100

    /// A fault at bytes of a text in UTF-8; only those on the first line are marked.
    init(_ message: String, at range: Range<Int>, in text: [UInt8], suggestion: String? = nil) {
        let place = RulesTextError(message, at: range.lowerBound, in: text)
        self.init(place, until: range.upperBound, in: text, suggestion: suggestion)
    }

    /// A fault that reading found.
    init(_ error: RulesTextError, in text: [UInt8]) {
        self.init(error, until: error.offset + 1, in: text, suggestion: nil)
    }

    private init(_ place: RulesTextError, until end: Int, in text: [UInt8], suggestion: String?) {
        line = place.line
        column = place.column
        message = place.message
        self.suggestion = suggestion
        let isBreak: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        let lineStart = text[..<place.offset].lastIndex { $0 == 0x0A }.map { $0 + 1 } ?? 0
        let lineEnd = text[place.offset...].firstIndex(where: isBreak) ?? text.count
        let before = Self.shown(text[lineStart..<place.offset])
        let marked = Self.shown(text[place.offset..<max(place.offset, min(end, lineEnd))])
        let after = Self.shown(text[max(place.offset, min(end, lineEnd))..<lineEnd])
        let head = before.count > Self.excerptLimit / 2 ? "…" + before.suffix(Self.excerptLimit / 2) : before
        let body = String(marked.prefix(Self.excerptLimit / 2))
        let isCut = body.count < marked.count || after.count > Self.excerptLimit / 2
        let tail = body.count < marked.count ? "" : String(after.prefix(Self.excerptLimit / 2))
        excerpt = head + body + tail + (isCut ? "…" : "")
        mark = head.count..<(head.count + max(1, body.count))
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
    }
}

extension RuleError: CustomStringConvertible {
    /// `LINE:COL: message`, as the REST API answers.
    public var description: String { "\(line):\(column): \(message)" }

    /// The fault for people: place, the line with the fault underlined, and the suggestion. Lines end with
    /// LF.
    ///
    /// - Parameter name: what the text is called.
    public func text(naming name: String) -> String {
        let indent = String(repeating: " ", count: mark.lowerBound)
        let underline = "^" + String(repeating: "~", count: mark.count - 1)
        let question = suggestion.map { "did you mean '\($0)'?\n" } ?? ""
        return "\(name):\(self)\n\(excerpt)\n\(indent)\(underline)\n\(question)"
    }
}
