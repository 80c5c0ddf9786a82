// The project keeps its limits, and the checks notice when it does not.
import Testing

@Suite("Lengths")
struct LengthTests {
    private func source(_ text: String, path: String = "Sources/HearthCore/Sample.swift") -> SourceText {
        SourceText(path: path, text: text)
    }

    @Test("of lines are within the limit")
    func projectLines() {
        let files = Project.shared.swiftFiles + Project.shared.files.filter { $0.path == "Package.swift" }
        expectNone(files.flatMap { LengthChecks.lines(path: $0.path, text: $0.text) })
    }

    @Test("of files are within the limit")
    func projectFiles() {
        expectNone(Project.shared.sources.flatMap(LengthChecks.file))
    }

    @Test("and depths of functions are within the limit")
    func projectFunctions() {
        expectNone(Project.shared.sources.flatMap(LengthChecks.functions))
    }

    @Test("of parameter lists are within the limit")
    func projectParameters() {
        expectNone(Project.shared.sources.flatMap(LengthChecks.parameters))
    }

    @Test("that are one too many are noticed")
    func noticesLines() {
        let fitting = String(repeating: "x", count: 110)
        #expect(LengthChecks.lines(path: "a", text: "\(fitting)\n").isEmpty)
        #expect(LengthChecks.lines(path: "a", text: "\n\(fitting)x\n").map(\.line) == [2])
    }

    @Test(
        "of a file that is one line too long are noticed",
        arguments: [("Sources/HearthCore/A.swift", 500), ("Tests/HearthCoreTests/A.swift", 700)])
    func noticesFiles(path: String, limit: Int) {
        let text = String(repeating: "\n", count: limit)
        #expect(LengthChecks.file(source(text, path: path)).isEmpty)
        #expect(LengthChecks.file(source(text + "\n", path: path)).map(\.line) == [limit + 1])
    }

    @Test("of a function that is one line too long are noticed")
    func noticesFunctions() {
        let fitting = "func f() {\n" + String(repeating: "    a()\n", count: 58) + "}\n"
        let long = "func f() {\n" + String(repeating: "    a()\n", count: 59) + "}\n"
        #expect(LengthChecks.functions(source(fitting)).isEmpty)
        #expect(LengthChecks.functions(source(long)).map(\.line) == [1])
    }

    @Test("of nesting that is one too deep are noticed")
    func noticesNesting() {
        let three = "func f() {\nif a {\nif b {\nif c {\nd()\n}\n}\n}\n}\n"
        let four = "func f() {\nif a {\nif b {\nif c {\nif d {\ne()\n}\n}\n}\n}\n}\n"
        #expect(LengthChecks.functions(source(three)).isEmpty)
        #expect(LengthChecks.functions(source(four)).map(\.line) == [5])
    }

    @Test("of a parameter list that is one too long are noticed")
    func noticesParameters() {
        let six = "func f(a: A, b: [B: B], c: (C, d: D), e: E, f: F, g: G) {}"
        let seven = "init(a: A, b: B, c: C, d: D, e: E, f: F,\n g: G) {}"
        let call = "x.init(a: a, b: b, c: c, d: d, e: e, f: f, g: g)"
        #expect(LengthChecks.parameters(source(six)).isEmpty)
        #expect(LengthChecks.parameters(source(seven)).map(\.line) == [1])
        #expect(LengthChecks.parameters(source(call)).isEmpty)
    }
}

/// Records every finding on a line of its own.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings {
        Issue.record("\(finding)", sourceLocation: sourceLocation)
    }
}
