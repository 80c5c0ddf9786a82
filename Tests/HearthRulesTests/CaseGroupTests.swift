// The cases of the rules language, and of the example rules, played by the pure judge.
import Foundation
import HearthCore
import HearthRules
import Testing

/// A file of cases, with the rules beside it if it is an example.
struct CaseFile: CustomTestStringConvertible, Sendable {
    let cases: URL
    var rules: URL?

    var testDescription: String { cases.pathComponents.suffix(2).joined(separator: "/") }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// The files of the language's own cases.
    static var language: [CaseFile] {
        get throws {
            let folder = folder.appendingPathComponent("Cases")
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }.map { CaseFile(cases: $0) }
        }
    }

    /// The cases of every example under `rules`.
    static var examples: [CaseFile] {
        get throws {
            let top = folder.deletingLastPathComponent().deletingLastPathComponent()
            let examples = top.appendingPathComponent("rules")
            return try FileManager.default.contentsOfDirectory(at: examples, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }.map { example in
                    CaseFile(
                        cases: example.appendingPathComponent("cases.json"),
                        rules: example.appendingPathComponent("rules.json"))
                }
        }
    }
}

@Suite("Cases")
struct CaseGroupTests {
    private let now: Int64 = 1_750_000_000_000

    private func results(_ file: CaseFile) throws -> [CaseResult] {
        let rules = try file.rules.map { Array(try Data(contentsOf: $0)) }
        let groups = try CaseGroup.groups(reading: Array(try Data(contentsOf: file.cases)))
        return groups.flatMap { $0.play(rules: rules, now: now) }
    }

    @Test("of the language all come out as they should", arguments: try CaseFile.language)
    func language(file: CaseFile) throws {
        let results = try results(file)
        #expect(!results.isEmpty)
        for result in results where !result.isTentative {
            #expect(
                result.isPassed, "\(result.group) / \(result.why): \(result.request): \(result.failure ?? "")"
            )
        }
    }

    @Test("of the examples all come out as they should", arguments: try CaseFile.examples)
    func examples(file: CaseFile) throws {
        let results = try results(file)
        #expect(!results.isEmpty)
        for result in results {
            #expect(result.isPassed, "\(result.why): \(result.request): \(result.failure ?? "")")
        }
    }

    @Test("are many: the language's own are not lost on the way")
    func count() throws {
        let count = try CaseFile.language.reduce(0) { try $0 + results($1).count }
        #expect(count > 250)
    }

    @Test(
        "fail with what was expected and what came",
        arguments: [
            (
                #"{"op": "read", "path": "/open", "allow": false}"#,
                "expected deny, got allow\nallowed: read of /open"
            ),
            (
                #"{"op": "write", "path": "/a", "newData": 1, "allow": true}"#,
                "expected allow, got deny\nrefused"
            ),
            (#"{"op": "read", "path": "/open", "allow": true, "expectJson": 2}"#, "expected 2, got 1"),
            (
                #"{"op": "delete", "path": "/open", "allow": true, "after": {"/open": 1}}"#,
                "afterwards /open: expected 1, got null"
            ),
            (
                #"{"op": "deploy", "rules": {".read": "x"}, "valid": true}"#,
                "were refused: 1:20: Unknown variable"
            ),
            (#"{"op": "deploy", "rules": {}, "valid": false}"#, "the rules were taken"),
            (
                #"{"op": "deploy", "rules": {".read": "x"}, "valid": false, "errorContains": "y'"}"#,
                "expected an error with 'y''"
            ),
            (#"{"op": "dance", "path": "/open", "allow": true}"#, "'dance' is no operation"),
            (#"{"op": "read", "path": "/a.b", "allow": true}"#, "'/a.b' is no path"),
            (#"{"op": "write", "path": "/open", "newData": {"$x": 1}, "allow": true}"#, "cannot be read"),
        ])
    func failing(element: String, failure: String) throws {
        let text = """
            {"name": "g", "rules": {"open": {".read": true, ".write": true}}, "data": {"open": 1},
             "cases": [\(element)]}
            """
        let results = try CaseGroup.groups(reading: Array(text.utf8)).flatMap { $0.play(now: now) }
        #expect(results.count == 1 && !results[0].isPassed)
        #expect(results.first?.failure?.contains(failure) == true, "\(results.first?.failure ?? "passed")")
    }

    @Test("fail all when their rules are not valid, and a file without cases is refused by its place")
    func invalid() throws {
        let text = #"{"rules": {".read": "x"}, "cases": [{"op": "read", "path": "/", "allow": false}]}"#
        let results = try CaseGroup.groups(reading: Array(text.utf8)).flatMap { $0.play(now: now) }
        #expect(results.first?.failure?.hasPrefix("the rules are not valid: 1:20") == true)
        #expect(throws: RuleError.self) { try CaseGroup.groups(reading: Array("[{}]".utf8)) }
        #expect(throws: RuleError.self) { try CaseGroup.groups(reading: Array("{\"cases\":[{}]}".utf8)) }
        #expect(throws: RuleError.self) { try CaseGroup.groups(reading: Array("{".utf8)) }
    }
}
