// Lines, files and functions stay short enough to be read.
import Foundation

/// The limits of length, depth and number, as CONTRIBUTING.md lists them.
enum LengthChecks {
    static let lineLimit = 110
    static let sourceFileLimit = 500
    static let testFileLimit = 700
    static let functionLimit = 60
    static let nestingLimit = 3
    static let parameterLimit = 6

    static func lines(path: String, text: String) -> [Finding] {
        text.components(separatedBy: "\n").enumerated().compactMap { index, line in
            guard line.count > lineLimit else { return nil }
            return Finding(
                path: path, line: index + 1, reason: "\(line.count) characters; the limit is \(lineLimit)")
        }
    }

    static func file(_ source: SourceText) -> [Finding] {
        let limit = source.isTest ? testFileLimit : sourceFileLimit
        let count = source.lines.count - (source.lines.last == "" ? 1 : 0)
        guard count > limit else { return [] }
        return [
            Finding(
                path: source.path, line: count,
                reason: "\(count) lines; the limit is \(limit): move a feature into a file of its own")
        ]
    }

    static func functions(_ source: SourceText) -> [Finding] {
        BlockReader(source).functions.flatMap { function in
            var findings: [Finding] = []
            if function.lineCount > functionLimit {
                let reason = "\(function.name) has \(function.lineCount) lines; the limit is \(functionLimit)"
                findings.append(Finding(path: source.path, line: function.firstLine, reason: reason))
            }
            if function.nesting > nestingLimit {
                let reason = "\(function.name) nests \(function.nesting) deep; the limit is \(nestingLimit)"
                findings.append(Finding(path: source.path, line: function.deepestLine, reason: reason))
            }
            return findings
        }
    }

    static func parameters(_ source: SourceText) -> [Finding] {
        let declaration = Pattern("(?<![.\\w])(func\\s+\\S+?|init[?]?)\\s*(?:<[^>]*>)?\\(")
        return declaration.matches(in: source.code).compactMap { match in
            let start = source.code.utf16.index(source.code.startIndex, offsetBy: match.range.upperBound)
            let count = parameterCount(source.code[start...])
            guard count > parameterLimit else { return nil }
            return Finding(
                path: source.path, line: source.lineNumber(ofUTF16Offset: match.range.location),
                reason: "\(count) parameters; the limit is \(parameterLimit): group them in a struct")
        }
    }

    /// Counts the colons at the first level up to the closing parenthesis: each parameter has exactly one.
    private static func parameterCount(_ list: Substring) -> Int {
        var depth = 1
        var count = 0
        for character in list {
            switch character {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case ":" where depth == 1: count += 1
            default: break
            }
            if depth == 0 { break }
        }
        return count
    }
}
