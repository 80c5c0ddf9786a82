// Texts that RFC 8259 allows, and what they say.
import HearthJSON
import HearthTesting
import Testing

@Suite("A valid text")
struct ValidTextTests {
    static let texts: [(String, [Read])] = [
        ("null", [.null]),
        ("true", [.bool(true)]),
        (" \t\r\nfalse \n", [.bool(false)]),
        ("0", [.integer(0)]),
        ("-0", [.integer(0)]),
        ("-7", [.integer(-7)]),
        ("1.0", [.double(1)]),
        ("-0.0", [.double(0)]),
        ("1e3", [.double(1000)]),
        ("1E-2", [.double(0.01)]),
        ("12e+1", [.double(120)]),
        ("\"\"", [.string("")]),
        ("{}", [.beginObject, .endObject]),
        ("[]", [.beginArray, .endArray]),
        (
            "[[],[[]]]",
            [.beginArray, .beginArray, .endArray, .beginArray, .beginArray, .endArray, .endArray, .endArray]
        ),
        ("[ 1 , 2 ]", [.beginArray, .integer(1), .integer(2), .endArray]),
        ("[null,{}]", [.beginArray, .null, .beginObject, .endObject, .endArray]),
        ("{\"\":0}", [.beginObject, .key(""), .integer(0), .endObject]),
        (
            "{\"a\":1,\"a\":{\"a\":2}}",
            [
                .beginObject, .key("a"), .integer(1), .key("a"), .beginObject, .key("a"), .integer(2),
                .endObject,
                .endObject,
            ]
        ),
        (
            "{\n  \"lobby\" : { \"topic\" : \"caf\u{E9} \u{1F642}\" },\n  \"open\" : true\n}\n",
            [
                .beginObject, .key("lobby"), .beginObject, .key("topic"), .string("caf\u{E9} \u{1F642}"),
                .endObject,
                .key("open"), .bool(true), .endObject,
            ]
        ),
        (#""\"\\\/\b\f\n\r\t""#, [.string("\"\\/\u{8}\u{C}\n\r\t")]),
        (#""\u0000\u001f\u0041\u00e9\u20AC""#, [.string("\u{0}\u{1F}A\u{E9}\u{20AC}")]),
        (#""\ud83d\ude42 \uDBFF\uDFFF \uD800\uDC00""#, [.string("\u{1F642} \u{10FFFF} \u{10000}")]),
        (#"{"\u006bey":"k"}"#, [.beginObject, .key("key"), .string("k"), .endObject]),
        ("\"\u{7F} / ' \u{2028}\"", [.string("\u{7F} / ' \u{2028}")]),
        (
            "\"no end of words, and more of them than eight\"",
            [.string("no end of words, and more of them than eight")]
        ),
    ]

    @Test("yields its tokens however it is cut", arguments: texts)
    func tokens(text: String, expected: [Read]) throws {
        try verifyChunked(Array(text.utf8), yields: expected + [.end], copies: 1) { read($0) }
    }
}
