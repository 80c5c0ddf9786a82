// How command lines are read and refused.

import HearthServer
import Testing

@testable import hearth

@Suite("A command line")
struct ArgumentTests {
    private static let command = Command(
        name: "try", summary: "tries", operands: [.required("PATH", "where"), .optional("FILE", "what")],
        options: [
            .flag("pretty", "nice"), .value("output", "FILE", "to", letter: "o"),
            .value("listen", "WHERE", "at", isRepeatable: true), .value("start-at", "VALUE", "from"),
        ],
        notes: [], examples: [], run: { _ in })

    private func parse(_ words: [String]) throws -> ParsedArguments {
        try ArgumentParser.parse(words, of: Self.command)
    }

    @Test(
        "is read GNU style",
        arguments: [
            (["/a"], ["/a"], [:]),
            (["/a", "--pretty"], ["/a"], ["pretty": [""]]),
            (["--pretty", "/a", "b"], ["/a", "b"], ["pretty": [""]]),
            (["/a", "--output", "x"], ["/a"], ["output": ["x"]]),
            (["/a", "--output=x=y"], ["/a"], ["output": ["x=y"]]),
            (["/a", "--output="], ["/a"], ["output": [""]]),
            (["/a", "-o", "x"], ["/a"], ["output": ["x"]]),
            (["/a", "-ox"], ["/a"], ["output": ["x"]]),
            (["/a", "-o", "-"], ["/a"], ["output": ["-"]]),
            (["/a", "-"], ["/a", "-"], [:]),
            (["--", "/a", "--pretty"], ["/a", "--pretty"], [:]),
            (["--listen", "a", "/a", "--listen=b"], ["/a"], ["listen": ["a", "b"]]),
            (["/a", "--start-at", "-5"], ["/a"], ["start-at": ["-5"]]),
            (["/a", "-5"], ["/a", "-5"], [:]),
            (["/a", "--start-at=--x"], ["/a"], ["start-at": ["--x"]]),
        ] as [([String], [String], [String: [String]])])
    func read(words: [String], operands: [String], values: [String: [String]]) throws {
        #expect(try parse(words) == ParsedArguments(operands: operands, values: values))
    }

    @Test(
        "is refused with the reason",
        arguments: [
            ([], "PATH is missing; usage: hearth try PATH [FILE] [options]"),
            (["/a", "b", "c"], "'c' is one operand too many; usage: hearth try PATH [FILE] [options]"),
            (["/a", "--prety"], "unknown option '--prety'; did you mean '--pretty'?"),
            (["/a", "--outptu", "x"], "unknown option '--outptu'; did you mean '--output'?"),
            (["/a", "--zzz"], "unknown option '--zzz'"),
            (["/a", "-x"], "unknown option '-x'"),
            (["/a", "--pretty=yes"], "--pretty takes no value"),
            (["/a", "--output"], "--output needs a value: --output FILE"),
            (
                ["/a", "--output", "--pretty"],
                "--output needs a value, but '--pretty' follows; if that is the value, write "
                    + "--output=--pretty"
            ),
            (["/a", "--output", "x", "-o", "y"], "--output is given twice; it can have only one value"),
        ] as [([String], String)])
    func refused(words: [String], reason: String) {
        #expect(throws: CommandFailure.misused(reason)) { try parse(words) }
    }

    @Test(
        "asks for help wherever the wish stands, but not behind --",
        arguments: [["--help"], ["/a", "-h", "--zzz"]])
    func help(words: [String]) throws {
        #expect(try parse(words).asksForHelp)
        #expect(try !parse(["/a", "--", "--help"]).asksForHelp)
    }

    @Test("in a file has one option a line")
    func configurationFile() throws {
        let text = "# comment\n\n output = a b = c \npretty=true\r\nlisten = x\nlisten = y\n"
        let values = try ConfigurationFile.parse(text, named: "f", for: Self.command)
        #expect(values == ["output": ["a b = c"], "pretty": [""], "listen": ["x", "y"]])
        #expect(try ConfigurationFile.parse("pretty = false", named: "f", for: Self.command).isEmpty)
    }

    @Test(
        "in a file is refused with file and line",
        arguments: [
            ("\npretty", "f:2: expected 'name = value', found 'pretty'"),
            ("prety = true", "f:1: unknown option 'prety'; did you mean 'pretty'?"),
            ("pretty = yes", "f:1: pretty is true or false, not 'yes'"),
            ("output =", "f:1: output has no value"),
            ("output = a\noutput = b", "f:2: --output is given twice; it can have only one value"),
        ])
    func badConfigurationFile(text: String, reason: String) {
        #expect(throws: CommandFailure.misused(reason)) {
            try ConfigurationFile.parse(text, named: "f", for: Self.command)
        }
    }

    @Test(
        "is compared with what was meant",
        arguments: [
            ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("ab", "ba", 1),
            ("wacth", "watch", 1), ("gte", "get", 1),
        ])
    func distance(from: String, to: String, expected: Int) {
        #expect(Suggestion.distance(Array(from), Array(to)) == expected)
        #expect(Suggestion.distance(Array(to), Array(from)) == expected)
    }

    @Test(
        "names sizes by powers of 1,024",
        arguments: [
            ("1", 1), ("500000", 500_000), ("64kB", 65_536), ("64MB", 67_108_864), ("2g", 2_147_483_648),
            ("1TB", 1_099_511_627_776), ("0", nil), ("", nil), ("MB", nil), ("-1", nil), ("1.5GB", nil),
            ("9223372036854775807", Int.max), ("9223372036854775807k", nil), ("5 MB", nil), ("5XB", nil),
        ] as [(String, Int?)])
    func sizes(text: String, bytes: Int?) {
        #expect(ServeOptions.size(text) == bytes)
    }

    @Test("says when writes are on the disk")
    func durability() throws {
        #expect(try ServeOptions.durability("always") == .always)
        #expect(try ServeOptions.durability("interval=50ms") == .interval(.milliseconds(50)))
        #expect(try ServeOptions.durability("interval=2s") == .interval(.seconds(2)))
        for text in [
            "", "never", "interval", "interval=", "interval=0ms", "interval=50", "interval=2h",
            "interval=-1s",
        ] {
            #expect(throws: CommandFailure.self) { try ServeOptions.durability(text) }
        }
    }
}
