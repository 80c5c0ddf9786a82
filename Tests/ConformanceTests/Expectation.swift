// What a case expects of an answer or an event, and whether it came.
import Foundation
import HearthTesting

/// What came was not what a case expects.
struct Mismatch: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Compares answers with the `expect` of a step.
struct Expectation {
    let wanted: JSONValue

    /// - Throws: `Mismatch` with the first difference.
    func check(_ answer: WireClient.Answer) throws {
        if let status = wanted["status"] {
            let allowed = status.elements ?? [status]
            guard allowed.contains(where: { $0.integer == answer.status }) else {
                throw Mismatch("status: expected \(status.text), got \(answer)")
            }
        }
        try checkBody(answer)
        try checkText(answer)
        for (name, value) in wanted["headers"]?.sortedMembers ?? [] {
            try checkHeader(name, value.string ?? value.text, answer.headers[name.lowercased()])
        }
    }

    private func checkBody(_ answer: WireClient.Answer) throws {
        if let value = wanted["json"] {
            let got = try Expectation.json(answer)
            guard value.isSame(as: got) else {
                throw Mismatch("json: expected \(value.short), got \(got.short)")
            }
        }
        if let pattern = wanted["jsonMatch"] {
            let got = try Expectation.json(answer)
            guard try Pattern.matches(pattern, got) else {
                throw Mismatch("jsonMatch: expected \(pattern.short), got \(got.short)")
            }
        }
        if let options = wanted["jsonOneOf"] {
            let got = try Expectation.json(answer)
            guard options.elements?.contains(where: { $0.isSame(as: got) }) ?? false else {
                throw Mismatch("jsonOneOf: expected one of \(options.short), got \(got.short)")
            }
        }
        if let part = wanted["errorContains"]?.string {
            guard let text = try Expectation.json(answer)["error"]?.string else {
                throw Mismatch("expected an object with a string 'error', got \(answer)")
            }
            guard part.isEmpty || text.lowercased().contains(part.lowercased()) else {
                throw Mismatch("error: expected it to contain '\(part)', got '\(text)'")
            }
        }
    }

    private func checkText(_ answer: WireClient.Answer) throws {
        if let text = wanted["text"]?.string, Array(text.utf8) != answer.body {
            throw Mismatch("text: expected '\(text)', got \(answer)")
        }
        if let pattern = wanted["textMatch"]?.string {
            let expression = try Regex(pattern).dotMatchesNewlines()
            guard answer.text.firstMatch(of: expression) != nil else {
                throw Mismatch("textMatch: expected /\(pattern)/, got \(answer)")
            }
        }
    }

    private func checkHeader(_ name: String, _ value: String, _ got: String?) throws {
        if value == "$absent" {
            guard got == nil else { throw Mismatch("header \(name): expected none, got \(got ?? "")") }
            return
        }
        guard let got else { throw Mismatch("header \(name): expected \(value), got none") }
        let isRight =
            if value.hasPrefix("~") {
                got.firstMatch(of: try Regex(String(value.dropFirst())).ignoresCase()) != nil
            } else if value.hasPrefix("$") {
                try Pattern.matches(.string(value), .string(got))
            } else {
                got == value
            }
        guard isRight else { throw Mismatch("header \(name): expected \(value), got \(got)") }
    }

    static func json(_ answer: WireClient.Answer) throws -> JSONValue {
        do {
            return try JSONValue(parsing: answer.text)
        } catch {
            throw Mismatch("the body is no JSON: \(answer)")
        }
    }
}

/// The patterns of `jsonMatch`.
enum Pattern {
    private static let pushAlphabet = Array(
        "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    /// How far a server's clock may be from ours, in milliseconds.
    private static let clockTolerance = 300_000.0

    /// Whether `value` is what `pattern` describes.
    ///
    /// - Throws: `Mismatch` for a pattern that there is not.
    static func matches(_ pattern: JSONValue, _ value: JSONValue) throws -> Bool {
        switch pattern {
        case .string(let text) where text.hasPrefix("$"): return try matches(text, value)
        case .array(let elements):
            guard let got = value.elements, got.count == elements.count else { return false }
            return try zip(elements, got).allSatisfy { try matches($0, $1) }
        case .object(let members): return try matches(members, value)
        default: return pattern.isSame(as: value)
        }
    }

    private static func matches(_ members: [String: JSONValue], _ value: JSONValue) throws -> Bool {
        guard let got = value.members else { return false }
        if let key = members["$eachKey"] {
            let element = members["$eachValue"] ?? .string("$any")
            guard members["$count"]?.integer ?? got.count == got.count else { return false }
            return try got.allSatisfy { try matches(key, .string($0.key)) && matches(element, $0.value) }
        }
        var wanted = members
        let isPartial = wanted.removeValue(forKey: "$partial") != nil
        guard isPartial || wanted.count == got.count else { return false }
        return try wanted.allSatisfy { name, pattern in
            guard let value = got[name] else { return false }
            return try matches(pattern, value)
        }
    }

    private static func matches(_ name: String, _ value: JSONValue) throws -> Bool {
        switch name {
        case "$any": return true
        case "$number": return value.double != nil
        case "$string": return value.string != nil
        case "$etag": return value.string.map { !$0.isEmpty && $0 != "null_etag" } ?? false
        case "$pushId": return pushTime(value) != nil
        case "$pushIdNow": return pushTime(value).map(isNow) ?? false
        case "$nowMs": return value.double.map(isNow) ?? false
        case _ where name.hasPrefix("$re:"):
            return try value.string?.firstMatch(of: Regex(String(name.dropFirst(4)))) != nil
        default: throw Mismatch("there is no pattern \(name)")
        }
    }

    private static func isNow(_ milliseconds: Double) -> Bool {
        abs(milliseconds - Date().timeIntervalSince1970 * 1_000) < clockTolerance
    }

    /// The milliseconds in a push ID, nil for anything else.
    private static func pushTime(_ value: JSONValue) -> Double? {
        guard let text = value.string, text.utf8.count == 20 else { return nil }
        let digits = text.utf8.compactMap { pushAlphabet.firstIndex(of: $0) }
        guard digits.count == 20 else { return nil }
        return digits.prefix(8).reduce(0.0) { $0 * 64 + Double($1) }
    }
}
