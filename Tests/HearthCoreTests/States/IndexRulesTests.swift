// Which indexes a rules text defines, and how faults in it are named.
import HearthCore
import Testing

@Suite("The indexes of a rules text")
struct IndexRulesTests {
    private let chat = """
        // who may and what is indexed
        {
          "rules": {
            ".read": "auth != null &&
                      auth.uid != 'x'", /* a raw line break */
            ".indexOn": ".value",
            "rooms": {
              "$room": {
                "messages": { ".indexOn": ["time", "from/name", "time", 7,] },
                "lobby": "no object",
              },
              "den": { "messages": { ".read": false } },
            },
            "$other": { ".indexOn": "name" },
          },
        }
        """

    @Test(
        "are found through wildcards, which literal names hide completely",
        arguments: [
            ("/", [".value"]), ("/rooms/lobby/messages", ["time", "from/name"]), ("/rooms/lobby", []),
            ("/rooms/den/messages", []), ("/rooms", []), ("/users", ["name"]), ("/users/ann", []),
        ])
    func found(place: String, names: [String]) throws {
        let rules = try IndexRules(reading: Array(chat.utf8))
        #expect(try rules.orders(at: Path(place)).map { $0.indexName } == names)
    }

    @Test(
        "are none where none can be", arguments: [#"{"rules":{}}"#, "\u{9}{ \"rules\" :\r\n{ } } // end"])
    func none(text: String) throws {
        #expect(try IndexRules(reading: Array(text.utf8)).orders(at: .root).isEmpty)
    }

    @Test(
        "cannot be read from a faulty text, which is named by line and column",
        arguments: [
            ("", "1:1: Parse error. The text ends too early."),
            ("[]", "1:1: Expected '{'."),
            ("{\"files\": {}}", "1:1: No 'rules' object: the document is {\"rules\": {…}}."),
            ("{\"rules\": 1}", "1:11: Expected '{'."),
            ("{\"rules\": {}} x", "1:15: Parse error. Nothing may follow the closing '}'."),
            ("{\n  \"rules\" {}}", "2:11: Parse error. Expected ':'."),
            ("{\"rules\": {\"a\": {},, \"b\": {}}}", "1:20: Unexpected ','."),
            ("{\"rules\": {,}}", "1:12: Unexpected ','."),
            ("{\"rules\": {\"a\": [,]}}", "1:18: Unexpected ','."),
            ("{\"rules\": {\n\n\"a\" : maybe}}", "3:7: Parse error. Expected a value."),
            (
                "{\"rules\": {\"a\": \"b\\\n\"}}",
                "1:19: Invalid escape: only \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u are."
            ),
            ("{\"rules\": {\"a\": \"\\uD800\"}}", "1:18: Invalid escape: half a surrogate pair."),
            ("{\"rules\": {\"a\": \"\\u+123\"}}", "1:20: Invalid escape: \\u needs four hexadecimal digits."),
            ("{\"rules\": {\"a", "1:12: Parse error. This string has no end."),
            ("{ /* \"rules\": {}}", "1:3: Parse error. This comment has no end."),
            ("{ / \"rules\": {}}", "1:3: Parse error. A comment begins with // or /*."),
            ("{\"rules\": {\"a\": \"\u{1}\"}}", "1:18: Parse error. A control character must be escaped."),
        ])
    func faults(text: String, message: String) {
        do {
            _ = try IndexRules(reading: Array(text.utf8))
            Issue.record("read without fault")
        } catch {
            #expect(error.description == message)
        }
    }

    @Test("are refused when nested without end, instead of exhausting the stack")
    func nesting() {
        let text = "{\"rules\": " + String(repeating: "{\"a\":", count: 100_000)
        do {
            _ = try IndexRules(reading: Array(text.utf8))
            Issue.record("read without fault")
        } catch {
            #expect(error.message == "Parse error. More than 100 levels.")
        }
    }

    @Test("understand escapes in names")
    func escapes() throws {
        let text = #"{"rules": {"r\u006Foms": {".indexOn": "\uD83D\uDE00/n\u0061me"}}}"#
        let rules = try IndexRules(reading: Array(text.utf8))
        #expect(try rules.orders(at: Path("/rooms")) == [.child(Path("😀/name"))])
    }

    @Test("are required of a query that orders by a child or by value, and of no other")
    func required() throws {
        let state = State(rules: try StoredRules(checking: Array(chat.utf8)))
        let messages = try Path("/rooms/lobby/messages")
        try state.requireIndex(for: Query(order: .child(Path("from/name"))), at: messages)
        try state.requireIndex(for: Query(order: .value), at: .root)
        try state.requireIndex(for: Query(order: .key, limit: .last(1)), at: messages)
        try state.requireIndex(for: Query(limit: .last(1)), at: messages)
        #expect(throws: Refusal.indexMissing(index: ".value", path: messages)) {
            try state.requireIndex(for: Query(order: .value), at: messages)
        }
        #expect(throws: Refusal.indexMissing(index: "from", path: messages)) {
            try state.requireIndex(for: Query(order: .child(Path("from"))), at: messages)
        }
    }
}
