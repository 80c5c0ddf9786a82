// The tree holds what it must, nothing else at its top, and its texts point to what exists.
import Foundation
import Testing

@Suite("The tree")
struct TreeTests {
    private let paths: Set<String> = ["README.md", "Sources/A/B.swift", "rules/c/rules.json"]

    @Test("has only the layout's entries at its top")
    func projectTopLevel() {
        expectNone(TreeChecks.topLevel(Project.shared.topLevelEntries))
    }

    @Test("has everything that is required")
    func projectRequired() {
        expectNone(TreeChecks.missing(Project.shared.paths))
    }

    @Test("has programs that can be run", arguments: TreeChecks.programs)
    func projectPrograms(path: String) {
        let full = Project.shared.top.appendingPathComponent(path).path
        #expect(FileManager.default.isExecutableFile(atPath: full), "\(path) is not executable")
    }

    @Test("names no path of one machine")
    func projectMachinePaths() {
        expectNone(
            Project.shared.files.filter { $0.path != "LICENSE" }.flatMap {
                TreeChecks.machinePaths(path: $0.path, text: $0.text)
            })
    }

    @Test("has no link that leads nowhere")
    func projectLinks() {
        let paths = Project.shared.paths
        expectNone(
            Project.shared.files.filter { $0.path.hasSuffix(".md") }.flatMap {
                TreeChecks.links(path: $0.path, text: $0.text, paths: paths)
            })
    }

    @Test("has a changelog whose first entry is what is not released")
    func projectChangelog() throws {
        let text = try #require(Project.shared.files.first { $0.path == "CHANGELOG.md" }).text
        #expect(Pattern("^## (.*)$").groups(1, in: text).first == "Unreleased")
    }

    @Test("has JSON in its JSON files")
    func projectJSON() {
        for file in Project.shared.files where file.path.hasSuffix(".json") {
            #expect(throws: Never.self, "\(file.path)") {
                _ = try json(file.path.hasSuffix("/rules.json") ? strict(file.text) : file.text)
            }
        }
    }

    @Test("has cases beside all rules, each with what it plays and why")
    func projectRules() throws {
        let rules = Project.shared.files.filter { $0.path.hasSuffix("/rules.json") }
        for file in rules {
            let document = try #require(try json(strict(file.text)) as? [String: Any], "\(file.path)")
            #expect(document["rules"] != nil && Set(document.keys).isSubset(of: ["rules", "files"]))
            let path = file.path.replacingOccurrences(of: "/rules.json", with: "/cases.json")
            let text = try #require(Project.shared.files.first { $0.path == path }, "\(path) is missing").text
            let group = try #require(try json(text) as? [String: Any])
            let cases = try #require(group["cases"] as? [[String: Any]])
            let onData: Set<String> = ["read", "write", "update", "delete", "push"]
            let onFiles: Set<String> = ["upload", "download", "discard"]
            for step in cases {
                let why = try #require(step["why"] as? String, "\(path): a case without a reason")
                let operation = step["op"] as? String ?? ""
                #expect(onData.contains(operation) || onFiles.contains(operation), "\(path): \(why)")
                let place = try #require(step["path"] as? String, "\(path): \(why)")
                // Files have no root of their own: their paths begin with a name.
                #expect(place.hasPrefix("/") == onData.contains(operation), "\(path): \(why)")
                #expect(step["allow"] is Bool, "\(path): \(why)")
            }
            // Rules without an expression say the same to everybody.
            let isConstant = (document["rules"] as? [String: Any])?.allSatisfy { $0.value is Bool } == true
            let verdicts = Set(cases.compactMap { $0["allow"] as? Bool })
            #expect(isConstant || verdicts == [true, false], "\(path) is one-sided")
        }
        #expect(!rules.isEmpty)
    }

    private func json(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
    }

    /// Rules may have comments, and line breaks within strings; this is the same document without them.
    private func strict(_ rules: String) -> String {
        var isString = false
        let lines = rules.components(separatedBy: "\n").map { line -> String in
            if !isString && line.trimming().hasPrefix("//") { return "" }
            let quotes = line.replacingOccurrences(of: "\\\\", with: "").replacingOccurrences(
                of: "\\\"", with: "")
            if quotes.count(where: { $0 == "\"" }) % 2 == 1 { isString.toggle() }
            return line + (isString ? " " : "\n")
        }
        return lines.joined()
    }

    @Test("does not get by with another entry at its top")
    func noticesTopLevel() {
        let entries = ["README.md", "Sources", ".ci", "docs", "notes.txt"]
        #expect(TreeChecks.topLevel(entries).map(\.path) == ["docs", "notes.txt"])
    }

    @Test("does not get by without a required file")
    func noticesMissing() {
        let all = Set(TreeChecks.required)
        #expect(TreeChecks.missing(all).isEmpty)
        #expect(TreeChecks.missing(all.subtracting(["LICENSE"])).map(\.path) == ["LICENSE"])
    }

    @Test("does not get by with a path of one machine", arguments: ["work", "root", "home/ann", "Users/bob"])
    func noticesMachinePaths(folder: String) {
        #expect(TreeChecks.machinePaths(path: "a", text: "one\ncd /\(folder)/hearth\n").map(\.line) == [2])
        #expect(TreeChecks.machinePaths(path: "a", text: "rooms/\(folder)/hearth").isEmpty)
    }

    @Test(
        "does not get by with a link that leads nowhere",
        arguments: ["[a](missing.md)", "[a](../README.md)", "[a](#nothing)", "![a](Sources/A/C.png \"c\")"])
    func noticesLinks(link: String) {
        #expect(
            TreeChecks.links(path: "README.md", text: "# A\n\nsee \(link)\n", paths: paths).map(\.line) == [3]
        )
    }

    @Test(
        "allows links to files, folders, headings and the world",
        arguments: [
            "[a](README.md)", "[a](./Sources/A/B.swift#L3)", "[a](rules/c/)", "[a](#try-it-now)",
            "[a](https://example.com/x)",
        ])
    func allowsLinks(link: String) {
        let text = "## Try it, now\n\n\(link)\n```\n[a](missing.md)\n```\n"
        #expect(TreeChecks.links(path: "README.md", text: text, paths: paths).isEmpty)
    }
}
