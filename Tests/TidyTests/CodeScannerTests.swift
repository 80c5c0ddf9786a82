// The scanner under all checks must not take strings or comments for code.
import Testing

@Suite("The code scanner")
struct CodeScannerTests {
    private func code(_ text: String) -> String {
        SourceText(path: "Sources/HearthCore/Sample.swift", text: text).code
    }

    @Test(
        "blanks comments and the insides of strings, and nothing else",
        arguments: [
            ("let a = 1 // b", "let a = 1     "),
            ("a /* b /* c */ d */ e", "a                   e"),
            (#"f("{") + g"#, #"f(" ") + g"#),
            (#"f("a\"{") + g"#, #"f("    ") + g"#),
            (#"f("\(x["{"]) {") + g"#, #"f("           ") + g"#),
            (##"f(#"a"{"#) + g"##, ##"f(#"   "#) + g"##),
            ("let s = \"\"\"\n  { \" }\n  \"\"\" + t", "let s = \"\"\"\n       \n  \"\"\" + t"),
            ("let s = \"// no comment\" + t", "let s = \"             \" + t"),
        ])
    func blanks(text: String, expected: String) {
        #expect(code(text) == expected)
    }

    @Test("knows on which lines comments stand")
    func comments() {
        let source = SourceText(path: "Sources/X/Y.swift", text: "a\n/* b\nc */ d\n\"//\"\n// e\n")
        #expect(source.hasComment == [false, true, true, false, true, false])
    }

    @Test("counts lines as they were written")
    func lines() {
        let source = SourceText(path: "Sources/X/Y.swift", text: "a\n\"\"\"\nb\n\"\"\"\nfind me\n")
        #expect(source.linesOfCode(matching: "find me") == [5])
    }
}

@Suite("The block reader")
struct BlockReaderTests {
    private func functions(_ text: String) -> [FunctionShape] {
        BlockReader(SourceText(path: "Sources/HearthCore/Sample.swift", text: text)).functions
    }

    @Test("finds functions, initializers, accessors and computed properties by name")
    func names() {
        let text = """
            struct A:
                B, C
            {
                public static func walk<T>(
                    _ a: T
                ) throws(E) -> Int {
                    1
                }
                init?(_ a: Int) { nil }
                var area: Int { 4 }
                private(set) var size: Int {
                    get { 1 }
                    set {
                    }
                }
                static let table: [Int] = {
                    [1]
                }()
                let plain = [1].map { $0 }
            }
            """
        let found = functions(text)
        #expect(found.map(\.name) == ["walk", "init", "area", "get", "set", "size", "table"])
        #expect(found.map(\.lineCount) == [5, 1, 1, 1, 2, 5, 3])
        #expect(found.map(\.firstLine) == [4, 9, 10, 12, 13, 11, 16])
    }

    @Test("counts blocks of several lines within each other, without the exits of guards")
    func nesting() throws {
        let text = """
            func f() {
                for a in b {
                    guard a else {
                        return
                    }
                    if a { g { $0 } }
                    switch a {
                    case 1:
                        while b {
                            c()
                        }
                    default:
                        break
                    }
                }
                if d {
                    e()
                }
            }
            """
        let function = try #require(functions(text).first)
        #expect(function.nesting == 3)
        #expect(function.deepestLine == 9)
    }

    @Test("begins anew in a function within a function")
    func inner() {
        let text = """
            func outer() {
                if a {
                    func inner() {
                        if b {
                            c()
                        }
                    }
                }
            }
            """
        #expect(functions(text).map(\.nesting) == [1, 1])
    }
}
