// Bodies by length, by chunks and until close, in any cuts.

import HearthWire
import Testing

@Suite("A body")
struct HTTPBodyDecoderTests {
    /// Feeds `text` and returns the body, or the error, and how many bytes were left over.
    static func decode(
        _ text: String, _ framing: HTTPBodyFraming, arrival: Arrival, limit: Int = 1000,
        limits: HTTPLimits = HTTPLimits()
    ) -> (body: String?, error: HTTPParseError?, unread: Int) {
        var input: [UInt8] = []
        var body: [UInt8] = []
        var rest = Array(text.utf8)[...]
        do {
            var decoder = try HTTPBodyDecoder(framing, limit: limit, limits: limits)
            while true {
                let piece = try input.withUnsafeBytes { try decoder.next(in: $0) }
                body += input[piece.bytes]
                input.removeFirst(piece.consumed)
                if piece.isLast {
                    return (String(decoding: body, as: UTF8.self), nil, input.count + rest.count)
                }
                if piece.consumed > 0 { continue }
                if rest.isEmpty {
                    return (decoder.mayEnd ? String(decoding: body, as: UTF8.self) : nil, nil, input.count)
                }
                input += rest.prefix(arrival.pieceByteCount)
                rest = rest.dropFirst(arrival.pieceByteCount)
            }
        } catch {
            return (nil, error as? HTTPParseError, input.count)
        }
    }

    static let complete: [(String, HTTPBodyFraming, String, Int)] = [
        ("", .none, "", 0),
        ("next", .none, "", 4),
        ("next", .length(0), "", 4),
        ("hellonext", .length(5), "hello", 4),
        ("hello", .untilClose, "hello", 0),
        ("0\r\n\r\nnext", .chunked, "", 4),
        ("5\r\nhello\r\n0\r\n\r\nnext", .chunked, "hello", 4),
        ("00000a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n\r\n", .chunked, "01234567890123456789", 0),
        ("1 ; a=\"b\"\r\nx\r\n0;last\r\nTrailer: a\r\nOther: b\r\n\r\n", .chunked, "x", 0),
        ("2\r\n\r\n\r\n0\r\n\r\n", .chunked, "\r\n", 0),
    ]

    @Test("is found whole, and nothing of what follows is taken", arguments: complete, Arrival.allCases)
    func found(row: (text: String, framing: HTTPBodyFraming, body: String, unread: Int), arrival: Arrival) {
        let result = Self.decode(row.text, row.framing, arrival: arrival)
        #expect(result.error == nil)
        #expect(result.body == row.body)
        #expect(result.unread == row.unread)
    }

    static let refused: [(String, Int)] = [
        ("\r\n", 400), ("x\r\n", 400), ("-1\r\n", 400), ("+1\r\n", 400), ("0x1\r\n", 400), (" 1\r\n", 400),
        ("1 \r\nx", 400), ("1\nx", 400), ("1\r\nxy", 400), ("1\r\nx\n", 400), ("1\r\nx\r\r", 400),
        ("1;a\rb\r\n", 400), ("1;\u{0}\r\n", 400), ("1 2\r\n", 400), ("1000000000000000\r\n", 400),
        ("3e9\r\n", 413), ("fffffffffffffff\r\n", 413), ("0\r\nNo trailer\r\n\r\n", 400),
        ("0\r\n folded: a\r\n", 400),
        ("0\r\nA: b\n\r\n", 400), ("1;" + String(repeating: "e", count: 2000), 400),
        ("0\r\nA: " + String(repeating: "e", count: 9000), 431),
        ("0\r\n" + String(repeating: "A: b\r\n", count: 2000), 431),
    ]

    @Test(
        "of chunks is refused when it can be misread or grows too large", arguments: refused, Arrival.allCases
    )
    func refuses(row: (text: String, status: Int), arrival: Arrival) {
        let result = Self.decode(row.text, .chunked, arrival: arrival)
        #expect(result.error?.status == row.status)
    }

    @Test("is refused beyond the limit in every form")
    func tooLarge() {
        #expect(Self.decode("", .length(11), arrival: .whole, limit: 10).error?.status == 413)
        #expect(Self.decode("0123456789", .length(10), arrival: .whole, limit: 10).body == "0123456789")
        #expect(Self.decode("01234567890", .untilClose, arrival: .inTwos, limit: 10).error?.status == 413)
        let chunks = "6\r\n012345\r\n5\r\n"
        #expect(Self.decode(chunks, .chunked, arrival: .whole, limit: 10).error?.status == 413)
    }

    @Test("cannot be drowned in chunk extensions")
    func extensions() {
        var limits = HTTPLimits()
        limits.extensionBytes = 100
        let chunk = "1;" + String(repeating: "e", count: 30) + "\r\nx\r\n"
        #expect(
            Self.decode(chunk + chunk + chunk + "0\r\n\r\n", .chunked, arrival: .whole, limits: limits).body
                == "xxx")
        let many = String(repeating: chunk, count: 4)
        #expect(Self.decode(many, .chunked, arrival: .whole, limits: limits).error?.status == 400)
    }

    @Test("that stops early is not taken for complete")
    func truncated() {
        #expect(Self.decode("hell", .length(5), arrival: .whole).body == nil)
        #expect(Self.decode("5\r\nhello\r\n0\r\n", .chunked, arrival: .whole).body == nil)
    }
}
