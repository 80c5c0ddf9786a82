// Which namespace a request means, and the small parts that count and mark.
import Testing

@testable import HearthServer

@Suite("The name of a namespace")
struct NamespaceNameTests {
    @Test(
        "comes from the parameter, else from the host",
        arguments: [
            (nil, "localhost:9000", "default"), (nil, "127.0.0.1:9000", "default"),
            (nil, "[::1]:9000", "default"), (nil, "chat.example.com", "chat"),
            (nil, "chat.example.com:80", "chat"), (nil, "example.com", "default"), (nil, nil, "default"),
            ("rooms", "chat.example.com", "rooms"), ("", "chat.example.com", "chat"),
            ("127", "127.0.0.1:9000", "default"), ("rooms", "127.0.0.1:9000", "rooms"),
            ("127", "localhost", "127"),
        ] as [(String?, String?, String)])
    func choice(parameter: String?, host: String?, name: String) {
        #expect(Namespaces.name(parameter: parameter, host: host) == name)
    }

    @Test(
        "has letters, digits, hyphens and underscores",
        arguments: [
            ("chat", true), ("chat-2_B", true), ("", false), ("a.b", false), ("ä", false), ("a/b", false),
            (String(repeating: "n", count: 128), true), (String(repeating: "n", count: 129), false),
        ])
    func letters(text: String, isName: Bool) {
        #expect(Namespaces.isName(text) == isName)
    }
}

@Suite("The marks of a history")
struct HistoryMarksTests {
    @Test("say from where on the journal is needed, at most some commits too early")
    func needed() {
        var marks = HistoryMarks(floor: 10, position: 100)
        #expect(marks.needed(from: 10) == 100)
        for revision in 11...2_000 { marks.note(Int64(revision), at: Int64(revision) * 10) }
        #expect(marks.needed(from: 10) == 100)
        for floor in [500, 1_000, 1_999] {
            let needed = marks.needed(from: Int64(floor))
            #expect(needed <= Int64(floor) * 10)
            #expect(needed > Int64(floor - 512) * 10)
        }
    }
}

@Suite("The growth of a journal")
struct GrowthTests {
    @Test("calls for a checkpoint each time the limit is passed, and knows how far back some bytes reach")
    func growth() {
        var growth = Growth()
        growth.limit = 10 << 20
        growth.action = {}
        var calls = 0
        for position in 1...100 where growth.add(1 << 20, upTo: Int64(position)) != nil { calls += 1 }
        #expect(calls == 10)
        #expect(growth.position(keeping: 30 << 20) == 70)
        #expect(growth.position(keeping: 200 << 20) == 0)
    }
}

@Suite("Rules text made strict")
struct RulesTextTests {
    @Test(
        "loses comments, commas and raw line breaks, and nothing in strings",
        arguments: [
            ("{\"a\": 1, // x\n}", "{\"a\": 1 \n}"), ("[1,/* , */]", "[1]"),
            ("{\"// \\\" /*\": \"a,}\"}", "{\"// \\\" /*\": \"a,}\"}"), ("\"a\nb\tc\"", "\"a\\nb\\tc\""),
        ])
    func strict(text: String, expected: String) {
        #expect(String(decoding: RulesText.strict(Array(text.utf8)), as: UTF8.self) == expected)
    }
}
