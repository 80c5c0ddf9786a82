// Frames of clients, right and wrong, however they arrive.
import HearthTesting
import HearthWire
import Testing

@Suite("A WebSocket parser")
struct WebSocketParserTests {
    /// What a parser made of its input: events, and the error that ended it.
    enum Heard: Equatable {
        case event(WebSocketParser.Event)
        case error(WebSocketCloseCode)
    }

    static func hear(
        _ pieces: [[UInt8]], messageLimit: Int = 1 << 20, takesCompressed: Bool = false
    ) -> [Heard] {
        var parser = WebSocketParser(messageLimit: messageLimit, takesCompressed: takesCompressed)
        var heard: [Heard] = []
        for piece in pieces {
            let error = piece.withUnsafeBytes { take($0, &parser, &heard) }
            if let error { return heard + [.error(error.code)] }
        }
        return heard
    }

    private static func take(
        _ bytes: UnsafeRawBufferPointer, _ parser: inout WebSocketParser, _ heard: inout [Heard]
    ) -> WebSocketError? {
        var start = 0
        do throws(WebSocketError) {
            while let event = try parser.next(in: bytes, from: &start) { heard.append(.event(event)) }
            #expect(start == bytes.count, "every byte is taken")
            return nil
        } catch {
            return error
        }
    }

    private static func text(_ text: String) -> Heard { .event(.text(Array(text.utf8))) }

    @Test("reads the examples of the standard")
    func examples() {
        let hello: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(Self.hear([hello]) == [Self.text("Hello")])
        #expect(ClientFrames.text("Hello") == hello)
    }

    @Test("finds the same messages however their bytes arrive")
    func arrivals() throws {
        let long = String(repeating: "Grüße 😀 ", count: 40)
        let input =
            ClientFrames.text("Hello") + ClientFrames.frame(0x89, [1, 2, 3]) + ClientFrames.text("")
            + ClientFrames.frame(0x01, Array("Hel".utf8)) + ClientFrames.frame(0x8A, [])
            + ClientFrames.frame(0x00, Array("lo ".utf8), mask: 0) + ClientFrames.frame(0x89, [])
            + ClientFrames.frame(0x80, Array("again".utf8), mask: 0xFFFF_FFFF)
            + ClientFrames.text(long) + ClientFrames.frame(0x82, [0, 0xFF])
        let expected: [Heard] = [
            Self.text("Hello"), .event(.ping([1, 2, 3])), Self.text(""), .event(.pong), .event(.ping([])),
            Self.text("Hello again"), Self.text(long), .event(.binary([0, 0xFF])),
        ]
        try verifyChunked(input, yields: expected) { Self.hear($0) }
    }

    @Test(
        "reads every length at the borders of the three forms", arguments: [0, 125, 126, 127, 65_535, 65_536])
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8(0x20 + $0 % 64) }
        #expect(Self.hear([ClientFrames.frame(0x81, payload)]) == [.event(.text(payload))])
    }

    @Test(
        "refuses what breaks the protocol",
        arguments: [
            ("reserved bit 2", [0xA1, 0x80, 0, 0, 0, 0]),
            ("reserved bit 3", [0x91, 0x80, 0, 0, 0, 0]),
            ("compression that was not agreed on", [0xC1, 0x80, 0, 0, 0, 0]),
            ("no mask", [0x81, 0x05, 0x48]),
            ("a fragmented ping", [0x09, 0x80, 0, 0, 0, 0]),
            ("a fragmented close", [0x08, 0x80, 0, 0, 0, 0]),
            ("a long ping", [0x89, 0xFE, 0, 126]),
            ("a short length in the long form", [0x81, 0xFE, 0, 125]),
            ("a middle length in the longest form", [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
            ("a length of 64 bits", [0x81, 0xFF, 0x80]),
            ("a continuation of nothing", [0x80, 0x80, 0, 0, 0, 0]),
            ("a close frame of one byte", ClientFrames.frame(0x88, [3])),
        ] as [(String, [UInt8])])
    func refused(name: String, bytes: [UInt8]) throws {
        try verifyChunked(bytes, yields: [.error(.protocolError)], copies: 1) { Self.hear($0) }
    }

    @Test("refuses every reserved opcode", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func reservedOpcodes(opcode: UInt8) {
        #expect(Self.hear([ClientFrames.frame(0x80 | opcode, [])]) == [.error(.protocolError)])
    }

    @Test("refuses a message inside another")
    func messageInMessage() {
        let input = ClientFrames.frame(0x01, [0x41]) + ClientFrames.text("B")
        #expect(Self.hear([input]) == [.error(.protocolError)])
    }

    @Test("refuses a continuation after the end of its message")
    func lateContinuation() {
        let input = ClientFrames.text("A") + ClientFrames.frame(0x80, [0x42])
        #expect(Self.hear([input]) == [Self.text("A"), .error(.protocolError)])
    }

    @Test(
        "hands on the codes that may be sent",
        arguments: [1000, 1001, 1003, 1007, 1011, 3000, 4999] as [UInt16])
    func closeCodes(code: UInt16) {
        let frame = ClientFrames.close(code, Array("done".utf8))
        #expect(Self.hear([frame]) == [.event(.close(WebSocketCloseCode(rawValue: code)))])
    }

    @Test(
        "refuses codes that may not be sent",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535] as [UInt16])
    func wrongCloseCodes(code: UInt16) {
        #expect(Self.hear([ClientFrames.close(code)]) == [.error(.protocolError)])
    }

    @Test("takes a close frame without a code, and refuses a reason that is not UTF-8")
    func closeForms() {
        #expect(Self.hear([ClientFrames.frame(0x88, [])]) == [.event(.close(nil))])
        #expect(Self.hear([ClientFrames.close(1000, [0xC3])]) == [.error(.invalidData)])
    }

    @Test("refuses a message beyond its limit when the head tells the length, before the bytes come")
    func tooBig() {
        let head: [UInt8] = [0x81, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1, 1, 2, 3, 4]
        #expect(Self.hear([head]) == [.error(.tooBig)])
        let half = [UInt8](repeating: 0x41, count: 600)
        let two = ClientFrames.frame(0x01, half) + ClientFrames.frame(0x80, half)
        #expect(Self.hear([two], messageLimit: 1199) == [.error(.tooBig)])
        #expect(Self.hear([two], messageLimit: 1200) == [.event(.text(half + half))])
    }

    @Test("refuses text that is not UTF-8 at the first byte that cannot be right", arguments: wrongTexts)
    func invalidText(bytes: [UInt8], goodCount: Int) {
        let frame = ClientFrames.frame(0x81, [0x41] + bytes + [UInt8](repeating: 0x41, count: 20))
        let headCount = frame.count - 21 - bytes.count
        var parser = WebSocketParser(messageLimit: 1 << 20)
        var heard: [Heard] = []
        for (index, byte) in frame.enumerated() {
            guard [byte].withUnsafeBytes({ Self.take($0, &parser, &heard) }) != nil else { continue }
            #expect(index == headCount + 1 + goodCount)
            return
        }
        Issue.record("nothing was refused")
    }

    /// Bytes, and how many of them may still be right.
    private static let wrongTexts: [([UInt8], Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0xC0, 0xAF], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x9F, 0xBF], 1),
        ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
        ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0), ([0xC3, 0x28], 1),
        ([0xE2, 0x82, 0x28], 2), ([0xF0, 0x9F, 0x98, 0x28], 3),
    ]

    @Test("refuses text whose last character is cut off, in one frame or in several")
    func cutText() {
        let euro: [UInt8] = [0xE2, 0x82]
        #expect(Self.hear([ClientFrames.frame(0x81, euro)]) == [.error(.invalidData)])
        let whole = ClientFrames.frame(0x01, euro) + ClientFrames.frame(0x80, [0xAC])
        #expect(Self.hear([whole]) == [Self.text("€")])
        let cut = ClientFrames.frame(0x01, euro) + ClientFrames.frame(0x80, [])
        #expect(Self.hear([cut]) == [.error(.invalidData)])
    }

    @Test("refuses an invalid byte at every position of a text", arguments: [1, 7, 8, 9, 16, 31, 64])
    func invalidEverywhere(count: Int) {
        for position in 0..<count {
            var payload = [UInt8](repeating: 0x61, count: count)
            payload[position] = 0xFE
            #expect(Self.hear([ClientFrames.frame(0x81, payload)]) == [.error(.invalidData)])
        }
    }

    @Test("hands on compressed messages unread, and refuses the mark where it cannot stand")
    func compressed() {
        let message = ClientFrames.frame(0x41, [0xFF]) + ClientFrames.frame(0x80, [0xFE])
        #expect(
            Self.hear([message], takesCompressed: true) == [.event(.compressed([0xFF, 0xFE], isText: true))])
        let continuation = ClientFrames.frame(0x41, [0]) + ClientFrames.frame(0xC0, [0])
        #expect(Self.hear([continuation], takesCompressed: true) == [.error(.protocolError)])
        #expect(
            Self.hear([ClientFrames.frame(0xC9, [])], takesCompressed: true) == [.error(.protocolError)])
    }

    @Test("finds random texts of every length, under any mask")
    func random() throws {
        var random = SeededRandom(for: "WebSocket texts")
        for _ in 0..<20 {
            let texts = (0..<4).map { _ in
                (0..<Int.random(in: 0...200, using: &random)).map { _ in
                    ["a", "é", "€", "😀", "\u{FFFD}"][Int.random(in: 0..<5, using: &random)]
                }.joined()
            }
            let input = texts.flatMap { text in
                ClientFrames.frame(
                    0x81, Array(text.utf8), mask: UInt32.random(in: 0 ... .max, using: &random))
            }
            try verifyChunked(input, yields: texts.map(Self.text), copies: 1, seed: random.next()) {
                Self.hear($0)
            }
        }
    }
}
