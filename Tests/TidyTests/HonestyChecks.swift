// Nothing is left half done, quieted or undocumented without a word about it.
import Foundation

/// Leftovers, silenced errors, sleeping tests, and public declarations without a doc comment.
enum HonestyChecks {
    /// Words that mark something unfinished, put together here so that this file does not contain them.
    static let markers = [
        "TO" + "DO", "FIX" + "ME", "X" + "XX", "un" + "implemented", "not " + "implemented",
    ]

    static func markers(path: String, text: String) -> [Finding] {
        let words = markers.map { "\\b\($0)\\b" }.joined(separator: "|")
        let pattern = Pattern("\(words)|#expect\\(tr" + "ue\\)")
        return pattern.lines(in: text).map { Finding(path: path, line: $0, reason: "a leftover mark") }
    }

    /// Whatever silences the compiler or an error has its reason in a comment on the same line or above.
    static func silence(_ source: SourceText) -> [Finding] {
        let quiet =
            "\\btry[!?]|\\bas!|@unchecked\\s+Sendable|\\bnonisolated\\s*\\(\\s*unsafe\\s*\\)"
        return source.linesOfCode(matching: quiet).filter { !hasReason(source, line: $0) }.map {
            Finding(path: source.path, line: $0, reason: "needs its reason in a comment beside it")
        }
    }

    /// An empty `catch` says in a comment why the error does not matter.
    static func emptyCatches(_ source: SourceText) -> [Finding] {
        let pattern = Pattern("\\bcatch\\b[^{}\\n]*\\{\\s*\\}")
        return pattern.matches(in: source.code).compactMap { match in
            let first = source.lineNumber(ofUTF16Offset: match.range.location)
            let last = source.lineNumber(ofUTF16Offset: match.range.upperBound)
            guard !(first...last).contains(where: { source.hasComment[$0 - 1] }) else { return nil }
            return Finding(path: source.path, line: first, reason: "an error is dropped without a word")
        }
    }

    /// Tests wait for conditions, never for time.
    static func sleeping(_ source: SourceText) -> [Finding] {
        guard source.isTest else { return [] }
        return source.linesOfCode(
            matching: "(?<!func )\\b(?:sleep|usleep|nanosleep|sleepForTimeInterval)\\s*\\("
        ).map {
            Finding(path: source.path, line: $0, reason: "sleeps: wait for a condition instead")
        }
    }

    /// Every public declaration has a doc comment right above it, attributes apart.
    static func documentation(_ source: SourceText) -> [Finding] {
        let pattern =
            "^[ \\t]*(?:@\\w+(?:\\([^)]*\\))?\\s+)*public\\s+(?:[a-z]+(?:\\([a-z]+\\))?\\s+)*"
            + "(?:func|var|let|init|struct|class|enum|protocol|typealias|subscript|actor)\\b"
        let matches = Pattern(pattern).matches(in: source.code)
        return matches.map { source.lineNumber(ofUTF16Offset: $0.range.location) }.compactMap { first in
            var line = first
            while line <= source.lines.count, source.lines[line - 1].trimming().isEmpty { line += 1 }
            guard !source.isTest, !isDocumented(source, line: line) else { return nil }
            return Finding(
                path: source.path, line: line, reason: "a public declaration without a doc comment")
        }
    }

    /// The first comment stands before the first declaration and says what the file is for; it is no banner.
    static func opening(_ source: SourceText) -> [Finding] {
        let banner = Pattern("Copyright|SPDX|Created by|===")
        let importing = Pattern("\\bimport\\s")
        for (index, line) in source.lines.enumerated() {
            let text = line.trimming()
            if banner.isFound(in: text) {
                return [
                    Finding(path: source.path, line: index + 1, reason: "a banner: LICENSE covers the file")
                ]
            }
            if text.hasPrefix("//") { return [] }
            guard text.isEmpty || importing.isFound(in: text) else { break }
        }
        return [Finding(path: source.path, line: 1, reason: "no comment says what the file is for")]
    }

    private static func hasReason(_ source: SourceText, line: Int) -> Bool {
        if source.hasComment[line - 1] { return true }
        var above = line - 1
        while above > 0, source.lines[above - 1].trimming().hasPrefix("@") { above -= 1 }
        return above > 0 && source.hasComment[above - 1]
    }

    private static func isDocumented(_ source: SourceText, line: Int) -> Bool {
        var above = line - 1
        while above > 0 {
            let text = source.lines[above - 1].trimming()
            if text.hasPrefix("///") { return true }
            guard text.hasPrefix("@") || text.hasPrefix("//") else { return false }
            above -= 1
        }
        return false
    }
}
