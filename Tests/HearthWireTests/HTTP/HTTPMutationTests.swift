// Valid requests with random damage: never a trap, and the same answer however the bytes arrive.

import HearthTesting
import HearthWire
import Testing

@Suite("A damaged request")
struct HTTPMutationTests {
    static let valid = [
        "GET /rooms/lobby/messages.json?orderBy=%22%24key%22&limitToLast=50 HTTP/1.1\r\n"
            + "Host: localhost:9000\r\nAccept: text/event-stream\r\nConnection: keep-alive\r\n\r\n",
        "PUT /a.json HTTP/1.1\r\nHost: [::1]:9000\r\nContent-Length: 11\r\n"
            + "Expect: 100-continue\r\n\r\n{\"a\":1,\"b\":2}",
        "POST http://a.example/b.json HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;a=b\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.0\r\n\r\n",
    ]

    static func damage(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2:
                bytes.insert(
                    [0x0d, 0x0a, 0x20, 0x3a, 0x00, 0x30].randomElement(using: &random) ?? 0, at: place)
            case 3: bytes.insert(contentsOf: bytes[place..<min(place + 20, bytes.count)], at: place)
            default: bytes.removeSubrange(place..<min(place + 10, bytes.count))
            }
        }
        return bytes
    }

    @Test("never traps a parser, and is judged the same in one piece and byte by byte")
    func requests() {
        var random = SeededRandom(for: "damaged requests")
        for _ in 0..<4_000 {
            let bytes = Self.damage(Array(Self.valid.randomElement(using: &random)?.utf8 ?? "".utf8), &random)
            var whole = RequestFeed.run(bytes, arrival: .whole)
            var single = RequestFeed.run(bytes, arrival: .byteByByte)
            // After an error the rest is not read.
            if whole.error != nil { (whole.unread, single.unread) = (0, 0) }
            #expect(whole == single, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }

    @Test("never traps a client's parsers either")
    func responses() {
        var random = SeededRandom(for: "damaged answers")
        let valid =
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: abc\r\n\r\n123"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        for _ in 0..<4_000 {
            let bytes = Self.damage(Array(valid.utf8), &random)
            let whole = HTTPResponseParserTests.read([bytes])
            #expect(HTTPResponseParserTests.read(bytes.map { [$0] }) == whole)
        }
    }

    @Test("never traps the reader of events")
    func streams() throws {
        var random = SeededRandom(for: "damaged streams")
        let valid =
            "retry: 1000\n\nevent: put\r\nid: k3-1\r\n"
            + "data: {\"path\":\"/\",\"data\":1}\r\n\r\ndata: x\r\rdata: y\n\n"
        for _ in 0..<4_000 {
            let bytes = Self.damage(Array(valid.utf8), &random)
            #expect(try SSEParserTests.read([bytes]) == SSEParserTests.read(bytes.map { [$0] }))
        }
    }
}
