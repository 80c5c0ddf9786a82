// Percent-encoded text, in paths and in queries.

import HearthWire
import Testing

@Suite("Percent-encoded text")
struct PercentDecodingTests {
    static let rows: [(String, String?, String?)] = [
        ("", "", ""),
        ("lobby", "lobby", "lobby"),
        ("a%20b", "a b", "a b"),
        ("a+b", "a+b", "a b"),
        ("%2B%2b", "++", "++"),
        ("%C3%A9%f0%9f%98%80", "\u{e9}\u{1f600}", "\u{e9}\u{1f600}"),
        ("\u{e9}%41", "\u{e9}A", "\u{e9}A"),
        ("%00", "\u{0}", "\u{0}"),
        ("%25", "%", "%"),
        ("%2525", "%25", "%25"),
        ("%", nil, nil), ("%4", nil, nil), ("a%4g", nil, nil), ("%g4", nil, nil), ("%%41", nil, nil),
        ("%C3", nil, nil), ("%ff", nil, nil), ("%c0%80", nil, nil), ("%ed%a0%80", nil, nil),
        ("%f5%80%80%80", nil, nil),
    ]

    @Test("is decoded to UTF-8 or refused", arguments: rows)
    func decodes(text: String, inPath: String?, inQuery: String?) {
        #expect(PercentDecoding.path.text(of: Array(text.utf8)[...]) == inPath)
        #expect(PercentDecoding.query.text(of: Array(text.utf8)[...]) == inQuery)
    }

    @Test("that is raw but no UTF-8 is refused")
    func raw() {
        #expect(PercentDecoding.path.text(of: [0x61, 0xff]) == nil)
        #expect(PercentDecoding.query.text(of: [0x2b, 0xc3]) == nil)
    }
}
