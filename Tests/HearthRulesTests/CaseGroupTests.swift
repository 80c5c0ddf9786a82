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
}
