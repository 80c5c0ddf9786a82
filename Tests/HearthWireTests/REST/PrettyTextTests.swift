// Compact JSON laid out over lines.

import HearthWire
import Testing

@Suite("Pretty text")
struct PrettyTextTests {
    static let rows: [(String, String)] = [
        ("null", "null"), ("{}", "{}"), ("[]", "[]"),
        (
            "{\"first\":\"Jack\",\"n\":{\"a\":1.5,\"b\":[true,-2]}}",
            "{\n  \"first\" : \"Jack\",\n  \"n\" : {\n    \"a\" : 1.5,\n    \"b\" : [ true, -2 ]\n  }\n}"
        ),
        ("{\"a\\n\\\"\":\"\\u0001\u{e9}\\\\\"}", "{\n  \"a\\n\\\"\" : \"\\u0001\u{e9}\\\\\"\n}"),
    ]

    @Test("says the same over several lines", arguments: rows)
    func layout(compact: String, pretty: String) {
        #expect(String(decoding: PrettyText.text(of: Array(compact.utf8)), as: UTF8.self) == pretty)
    }

    @Test("holds strings and nesting beyond the limits of what clients may send")
    func large() {
        let long = "\"" + String(repeating: "a", count: 11 << 20) + "\""
        #expect(PrettyText.text(of: Array(long.utf8)).count == long.utf8.count)
    }
}
