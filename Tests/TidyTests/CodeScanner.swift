// Tells code from comments and strings, byte by byte.

/// Blanks comments and the insides of string literals with their interpolations; line ends stay as they are.
///
/// It knows line comments, nested block comments, strings of one and of many lines, raw strings and
/// interpolations. Regular expression literals are taken for code.
struct CodeScanner {
    private enum Mode: Equatable {
        case code
        case lineComment
        case blockComment(depth: Int)
        case string(hashes: Int, quotes: Int)
        /// Inside `\(…)` of a string; `depth` counts its open parentheses.
        case interpolation(depth: Int)
    }

    /// The bytes with which a comment or a literal can begin.
    private static let openers = Array("/\"#".utf8)

    private let text: [UInt8]
    private var index = 0
    private var line = 1
    private var modes: [Mode] = [.code]
    /// As long as the text.
    private(set) var code: [UInt8] = []
    /// Counted from 1.
    private(set) var commentedLines: Set<Int> = []

    init(_ text: [UInt8]) {
        self.text = text
        code.reserveCapacity(text.count)
    }

    mutating func run() {
        while index < text.count {
            switch modes[modes.count - 1] {
            case .code: scanCode()
            case .lineComment: scanLineComment()
            case .blockComment(let depth): scanBlockComment(depth)
            case .string(let hashes, let quotes): scanString(hashes, quotes)
            case .interpolation(let depth): scanInterpolation(depth)
            }
        }
    }

    private mutating func scanCode() {
        if beginsLiteralOrComment() { return }
        take(1, visible: modes.count == 1)
    }

    private mutating func scanInterpolation(_ depth: Int) {
        if beginsLiteralOrComment() { return }
        switch text[index] {
        case UInt8(ascii: "("): modes[modes.count - 1] = .interpolation(depth: depth + 1)
        case UInt8(ascii: ")") where depth == 1: modes.removeLast()
        case UInt8(ascii: ")"): modes[modes.count - 1] = .interpolation(depth: depth - 1)
        default: break
        }
        take(1, visible: false)
    }

    private mutating func scanLineComment() {
        if text[index] == UInt8(ascii: "\n") { modes.removeLast() }
        take(1, visible: false)
    }

    private mutating func scanBlockComment(_ depth: Int) {
        commentedLines.insert(line)
        if sees("/*") {
            modes[modes.count - 1] = .blockComment(depth: depth + 1)
            take(2, visible: false)
        } else if sees("*/") {
            modes.removeLast()
            if depth > 1 { modes.append(.blockComment(depth: depth - 1)) }
            take(2, visible: false)
        } else {
            take(1, visible: false)
        }
    }

    private mutating func scanString(_ hashes: Int, _ quotes: Int) {
        guard text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "\\") else {
            return take(1, visible: false)
        }
        let fence = String(repeating: "#", count: hashes)
        let end = String(repeating: "\"", count: quotes) + fence
        if sees(end) {
            modes.removeLast()
            take(end.utf8.count, visible: modes.count == 1)
        } else if sees("\\" + fence + "(") {
            modes.append(.interpolation(depth: 1))
            take(2 + hashes, visible: false)
        } else if sees("\\" + fence) {
            take(min(2 + hashes, text.count - index), visible: false)
        } else {
            take(1, visible: false)
        }
    }

    /// Steps into a comment or a string when one begins here.
    private mutating func beginsLiteralOrComment() -> Bool {
        guard CodeScanner.openers.contains(text[index]) else { return false }
        if sees("//") {
            commentedLines.insert(line)
            modes.append(.lineComment)
            take(2, visible: false)
            return true
        }
        if sees("/*") {
            modes.append(.blockComment(depth: 1))
            commentedLines.insert(line)
            take(2, visible: false)
            return true
        }
        let hashes = text[index...].prefix { $0 == UInt8(ascii: "#") }.count
        guard sees("\"", after: hashes) else { return false }
        let quotes = sees("\"\"\"", after: hashes) ? 3 : 1
        let visible = modes.count == 1
        modes.append(.string(hashes: hashes, quotes: quotes))
        take(hashes + quotes, visible: visible)
        return true
    }

    private func sees(_ token: String, after skipped: Int = 0) -> Bool {
        text[index...].dropFirst(skipped).starts(with: token.utf8)
    }

    private mutating func take(_ count: Int, visible: Bool) {
        for _ in 0..<count {
            let byte = text[index]
            if byte == UInt8(ascii: "\n") { line += 1 }
            code.append(visible || byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
            index += 1
        }
    }
}
