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
                _ = try JSONSerialization.jsonObject(with: Data(file.text.utf8), options: [.fragmentsAllowed])
            }
        }
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
