// A Swift file taken apart far enough for the checks: its code without comments and the insides of strings.
import Foundation

/// One Swift file: the lines as written, the same lines with only code left, and which of them have comments.
struct SourceText: Sendable {
    let path: String
    let lines: [String]
    /// The text with comments and the insides of strings blanked, so that every offset and line stays.
    let code: String
    /// `code`, line by line; as many as `lines`.
    let codeLines: [String]
    /// For each line whether some comment stands on it.
    let hasComment: [Bool]

    init(path: String, text: String) {
        self.path = path
        var scanner = CodeScanner(Array(text.utf8))
        scanner.run()
        code = String(decoding: scanner.code, as: UTF8.self)
        lines = text.components(separatedBy: "\n")
        codeLines = code.components(separatedBy: "\n")
        hasComment = lines.indices.map { scanner.commentedLines.contains($0 + 1) }
    }

    /// The first folder below `Sources` or `Tests`, or nil elsewhere.
    var module: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && ["Sources", "Tests"].contains(parts[0]) ? String(parts[1]) : nil
    }

    var isTest: Bool { path.hasPrefix("Tests/") }

    /// Returns the 1-based lines on which `pattern` begins to match in the code, once per match.
    func linesOfCode(matching pattern: String) -> [Int] {
        Pattern(pattern).matches(in: code).map { lineNumber(ofUTF16Offset: $0.range.location) }
    }

    /// The 1-based line of an offset into `code`, counted in UTF-16 units.
    func lineNumber(ofUTF16Offset offset: Int) -> Int {
        code.lineNumber(ofUTF16Offset: offset)
    }
}

extension String {
    /// The 1-based line of an offset counted in UTF-16 units.
    func lineNumber(ofUTF16Offset offset: Int) -> Int {
        utf16.prefix(offset).count { $0 == 0x0A } + 1
    }
}

/// A regular expression that is a constant of the program.
struct Pattern {
    private let expression: NSRegularExpression

    init(_ pattern: String) {
        do {
            expression = try NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
        } catch {
            preconditionFailure("'\(pattern)' is no regular expression: \(error)")
        }
    }

    func matches(in text: String) -> [NSTextCheckingResult] {
        expression.matches(in: text, range: NSRange(location: 0, length: text.utf16.count))
    }

    /// The 1-based lines on which matches begin, each line once.
    func lines(in text: String) -> [Int] {
        let lines = matches(in: text).map { text.lineNumber(ofUTF16Offset: $0.range.location) }
        return Set(lines).sorted()
    }

    func isFound(in text: String) -> Bool {
        !matches(in: text).isEmpty
    }

    /// The text of the `group`th parenthesis for each match; a group that took no part gives an empty text.
    func groups(_ group: Int, in text: String) -> [String] {
        matches(in: text).map { match in
            Range(match.range(at: group), in: text).map { String(text[$0]) } ?? ""
        }
    }
}
