// Texts that RFC 8259 does not allow, each with the place and the reason that a person is told.
import HearthJSON
import HearthTesting
import Testing

@Suite("An invalid text")
struct InvalidTextTests {
    static let texts: [(String, String)] = [
        ("", "line 1, column 1: expected a value, but the text ends"),
        (" \n ", "line 2, column 2: expected a value, but the text ends"),
        ("{", "line 1, column 2: expected a key in double quotes or '}', but the text ends"),
        ("[", "line 1, column 2: expected a value or ']', but the text ends"),
        ("{\"a\"", "line 1, column 5: expected ':' after a key, but the text ends"),
        ("{\"a\":", "line 1, column 6: expected a value, but the text ends"),
        ("{\"a\":1", "line 1, column 7: expected ',' or '}' after a member, but the text ends"),
        ("{\"a\":1,", "line 1, column 8: expected a key in double quotes, but the text ends"),
        ("[1,", "line 1, column 4: expected a value, but the text ends"),
        ("[true", "line 1, column 6: expected ',' or ']' after an element, but the text ends"),
        ("\"open", "line 1, column 6: expected a double quote at the end of a string, but the text ends"),
        ("\"\\", "line 1, column 3: expected a double quote at the end of a string, but the text ends"),
        ("\"\\u12", "line 1, column 6: expected a double quote at the end of a string, but the text ends"),
        ("tru", "line 1, column 4: expected 'true', but the text ends"),
        ("-", "line 1, column 2: expected a digit, but the text ends"),
        ("1.", "line 1, column 3: expected a digit, but the text ends"),
        ("1e", "line 1, column 3: expected a digit, but the text ends"),
        ("1e+", "line 1, column 4: expected a digit, but the text ends"),
        (
            "{\n  \"a\": 1,\n  \"topic\": 5x\n}",
            "line 3, column 13: expected ',' or '}' after a member, found 'x'"
        ),
        ("{\r\n\"a\":\r\n!}", "line 3, column 1: expected a value, found '!'"),
        ("[1\r2]", "line 1, column 4: expected ',' or ']' after an element, found '2'"),
        ("{\"caf\u{E9} \u{1F642}\" 1}", "line 1, column 11: expected ':' after a key, found '1'"),
        ("[\"\u{E9}\",\n\"\u{1F642}\", ?]", "line 2, column 6: expected a value, found '?'"),
        ("[1,]", "line 1, column 4: expected a value, found ']'"),
        ("[,1]", "line 1, column 2: expected a value or ']', found ','"),
        ("[1 2]", "line 1, column 4: expected ',' or ']' after an element, found '2'"),
        ("[1}", "line 1, column 3: expected ',' or ']' after an element, found '}'"),
        ("{\"a\":1]", "line 1, column 7: expected ',' or '}' after a member, found ']'"),
        ("{\"a\":1,}", "line 1, column 8: expected a key in double quotes, found '}'"),
        ("{,}", "line 1, column 2: expected a key in double quotes or '}', found ','"),
        ("{a:1}", "line 1, column 2: expected a key in double quotes or '}', found 'a'"),
        ("{'a':1}", "line 1, column 2: expected a key in double quotes or '}', found a single quote"),
        ("{1:1}", "line 1, column 2: expected a key in double quotes or '}', found '1'"),
        ("{\"a\":1,2:1}", "line 1, column 8: expected a key in double quotes, found '2'"),
        ("{\"a\"=1}", "line 1, column 5: expected ':' after a key, found '='"),
        ("{\"a\"::1}", "line 1, column 6: expected a value, found ':'"),
        ("]", "line 1, column 1: expected a value, found ']'"),
        ("1 2", "line 1, column 3: expected nothing after the value, found '2'"),
        ("{}\n{}", "line 2, column 1: expected nothing after the value, found '{'"),
        ("[]]", "line 1, column 3: expected nothing after the value, found ']'"),
        ("nullx", "line 1, column 5: expected nothing after the value, found 'x'"),
        ("True", "line 1, column 1: expected a value, found 'T'"),
        ("trUe", "line 1, column 3: expected 'true', found 'U'"),
        ("fals\n", "line 1, column 5: expected 'false', found a line break"),
        ("nul ", "line 1, column 4: expected 'null', found a space"),
        ("NaN", "line 1, column 1: expected a value, found 'N'"),
        ("-Infinity", "line 1, column 2: expected a digit, found 'I'"),
        ("01", "line 1, column 1: a number must not have a leading zero"),
        ("[-007]", "line 1, column 3: a number must not have a leading zero"),
        ("+1", "line 1, column 1: expected a value, found '+'"),
        (".5", "line 1, column 1: expected a value, found '.'"),
        ("1.e3", "line 1, column 3: expected a digit, found 'e'"),
        ("1e+-2", "line 1, column 4: expected a digit, found '-'"),
        ("0x10", "line 1, column 2: expected nothing after the value, found 'x'"),
        ("[1e999]", "line 1, column 2: the number is beyond the range of a double (about 1.8e308)"),
        ("-1e309", "line 1, column 1: the number is beyond the range of a double (about 1.8e308)"),
        ("\"a\nb\"", "line 1, column 3: control characters in strings must be escaped, found a line break"),
        ("\"\u{0}\"", "line 1, column 2: control characters in strings must be escaped, found byte 0x00"),
        (
            "\"12345678\u{1F}\"",
            "line 1, column 10: control characters in strings must be escaped, found byte 0x1F"
        ),
        ("\"\\x41\"", "line 1, column 3: no escape begins with a backslash and 'x'"),
        ("\"\\U0041\"", "line 1, column 3: no escape begins with a backslash and 'U'"),
        ("\"\\\u{E9}\"", "line 1, column 3: no escape begins with a backslash and a character beyond ASCII"),
        ("\"\\u12g4\"", "line 1, column 6: expected four hexadecimal digits after \\u, found 'g'"),
        ("\"\\u12\"", "line 1, column 6: expected four hexadecimal digits after \\u, found '\"'"),
        ("\"\u{E9}\\u d83d\"", "line 1, column 5: expected four hexadecimal digits after \\u, found a space"),
        ("// no\n1", "line 1, column 1: expected a value, found '/'"),
        ("\u{A0}1", "line 1, column 1: expected a value, found a character beyond ASCII"),
        ("\u{B}1", "line 1, column 1: expected a value, found byte 0x0B"),
        ("[1]\u{0}", "line 1, column 4: expected nothing after the value, found byte 0x00"),
        ("\u{FEFF}1", "line 1, column 1: the text begins with a byte order mark; send UTF-8 without one"),
        ("\u{FEFF}", "line 1, column 1: the text begins with a byte order mark; send UTF-8 without one"),
        ("\u{FF21}", "line 1, column 1: expected a value, found a character beyond ASCII"),
        ("[\u{FEFF}1]", "line 1, column 2: expected a value or ']', found a character beyond ASCII"),
    ]

    @Test("is refused with place and reason", arguments: texts)
    func reason(text: String, description: String) {
        #expect(fault(of: text)?.description == description)
    }

    @Test("yields the same tokens and the same fault however it is cut", arguments: texts)
    func cut(text: String, description: String) throws {
        try verifyChunked(Array(text.utf8), yields: read(text), copies: 1) { read($0) }
    }

    @Test(
        "is refused for half a surrogate pair",
        arguments: [
            #""\ud83d""#, #""\ude42""#, #""\ud83d\ud83d""#, #""\ude42\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#,
            #""\ud83d\u0041""#, #""\udfff\udbff""#,
        ])
    func surrogates(text: String) throws {
        let error = try #require(fault(of: text))
        #expect(error.reason == .loneSurrogate)
        #expect(error.place.offset == 1)
        try verifyChunked(Array(text.utf8), yields: read(text), copies: 1) { read($0) }
    }

    @Test("counts the offset over all lines and characters")
    func offset() {
        let text = "{\"\u{E9}\":\n\"\u{1F642}\",\n?"
        #expect(fault(of: text)?.place.offset == text.utf8.count - 1)
    }

    @Test("shows nothing of the values in it")
    func secret() {
        for text in [
            "{\"token\":\"hunter2\"", "[\"hunter2\" \"hunter2\"]", "\"hunter2", "{\"hunter2\":hunter2}",
        ] {
            #expect(fault(of: text)?.description.contains("unter2") == false)
        }
    }
}
