// Requests that are understood, and those that are refused because two readers could understand them
// differently.

import HearthTesting
import HearthWire
import Testing

@Suite("A request head")
struct HTTPRequestParserTests {
    static let understood: [(String, String)] = [
        (
            "GET /rooms/lobby.json HTTP/1.1\r\nHost: localhost:9000\r\n\r\n",
            "get /rooms/lobby.json host=localhost:9000 none"
        ),
        (
            "GET /.json?print=pretty&a=b?c HTTP/1.1\r\nhost:a\r\n\r\n",
            "get /.json ?print=pretty&a=b?c host=a none"
        ),
        ("GET /.json? HTTP/1.1\r\nHost: a\r\n\r\n", "get /.json ? host=a none"),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "get / host=a none"),
        ("GET / HTTP/1.0\r\n\r\n", "get / none 1.0 close"),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "get / none 1.0"),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: te, Close\r\n\r\n", "get / host=a none close"),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n",
            "get / host=a none close"
        ),
        (
            "GET http://Hearth.example:81/a.json?b HTTP/1.1\r\nHost: other\r\n\r\n",
            "get /a.json ?b host=Hearth.example:81 none"
        ),
        ("GET HTTPS://h?q HTTP/1.1\r\nHost: a\r\n\r\n", "get  ?q host=h none"),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "options * host=a none"),
        ("GET / HTTP/1.1\r\nHost: [::1]:9000\r\n\r\n", "get / host=[::1]:9000 none"),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", "get / host= none"),
        ("GET /\u{e9}\".json HTTP/1.1\r\nHost: a\r\n\r\n", "get /\u{e9}\".json host=a none"),
        ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "other / host=a none"),
        ("X / HTTP/1.1\r\nHost: a\r\n\r\n", "other / host=a none"),
        ("get / HTTP/1.1\r\nHost: a\r\n\r\n", "other / host=a none"),
        (
            "GET /.ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\r\n",
            "get /.ws host=a none upgrade"
        ),
        ("GET /.ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n", "get /.ws host=a none"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX-Odd:\t \u{fc}, \"b\"\t\r\n\r\n", "get / host=a none"),
    ]

    @Test("is understood however it arrives", arguments: understood, Arrival.allCases)
    func understands(row: (text: String, expected: String), arrival: Arrival) {
        let result = RequestFeed.run(row.text, arrival: arrival)
        #expect(result == Understood(requests: [row.expected], bodies: [""]))
    }

    @Test("with a body is followed by it", arguments: Arrival.allCases)
    func bodies(arrival: Arrival) {
        let text = """
            PUT /a.json HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\nhello\
            POST /b.json HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n\
            5\r\nhello\r\n6;name=\"v\"\r\n world\r\n0\r\nDigest: x\r\n\r\n\
            PATCH /c.json HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n\
            DELETE /d.json HTTP/1.1\r\nHost: a\r\n\r\n
            """
        let result = RequestFeed.run(text, arrival: arrival)
        #expect(
            result
                == Understood(
                    requests: [
                        "put /a.json host=a length(5) continue", "post /b.json host=a chunked",
                        "patch /c.json host=a length(0)", "delete /d.json host=a none",
                    ], bodies: ["hello", "hello world", "", ""]))
    }

    static let refused: [(String, Int)] = [
        // The request line.
        ("GET /\r\n", 400),
        ("GET  / HTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1 \r\n", 400),
        ("GET / a HTTP/1.1\r\n", 400),
        (" GET / HTTP/1.1\r\n", 400),
        ("GET\t/ HTTP/1.1\r\n", 400),
        ("G(T / HTTP/1.1\r\n", 400),
        ("GET / http/1.1\r\n", 400),
        ("GET / HTTP/1.10\r\n", 400),
        ("GET / HTTP/2.0\r\n", 505),
        ("GET / HTTP/1.2\r\n", 505),
        ("GET / HTTP/0.9\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("\r\n\r\nGET / HTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1\n", 400),
        ("GET /a\rb HTTP/1.1\r\n", 400),
        ("GET /a\u{0}b HTTP/1.1\r\n", 400),
        ("GET /a\u{7f} HTTP/1.1\r\n", 400),
        ("GET /a#b HTTP/1.1\r\n", 400),
        ("GET a.json HTTP/1.1\r\n", 400),
        ("GET * HTTP/1.1\r\n", 400),
        ("CONNECT a:80 HTTP/1.1\r\n", 400),
        ("GET ftp://a/ HTTP/1.1\r\n", 400),
        ("GET http:///a HTTP/1.1\r\n", 400),
        ("GET http://user@a/ HTTP/1.1\r\n", 400),
        // Header lines.
        ("GET / HTTP/1.1\r\n Host: a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n\tfolded\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost\r\n", 400),
        ("GET / HTTP/1.1\r\n: a\r\n", 400),
        ("GET / HTTP/1.1\r\nX(Y: a\r\n", 400),
        ("GET / HTTP/1.1\r\nX\u{fc}: a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", 400),
        ("GET / HTTP/1.1\r\nX: a\rb\r\n", 400),
        ("GET / HTTP/1.1\r\nX: a\r\r\n", 400),
        ("GET / HTTP/1.1\r\nX: a\u{0}\r\n", 400),
        ("GET / HTTP/1.1\r\nX: abcdefgh\u{1b}\r\n", 400),
        ("GET / HTTP/1.1\r\nX: abcdefgh\u{7f}\r\n", 400),
        // Host.
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a, b\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: u@a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a:port\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a:123456\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: :80\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: [::1\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: []\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: [::1]x\r\n", 400),
        ("GET http://a/ HTTP/1.1\r\n\r\n", 400),
        // Lengths.
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n", 413),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n", 501),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n", 501),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n", 501),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{b}chunked\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n", 501),
        ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501),
        ("PUT / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n", 501),
        ("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n", 417),
    ]

    @Test("is refused as soon as it is wrong, however it arrives", arguments: refused, Arrival.allCases)
    func refuses(row: (text: String, status: Int), arrival: Arrival) {
        let result = RequestFeed.run(row.text, arrival: arrival)
        #expect(result.error?.status == row.status)
        #expect(result.bodies.isEmpty)
    }

    static func limits() -> HTTPLimits {
        var limits = HTTPLimits()
        limits.headBytes = 200
        limits.targetBytes = 20
        limits.fieldCount = 3
        return limits
    }

    static let bounded: [(String, Int)] = [
        ("GET /" + String(repeating: "a", count: 20) + " HTTP/1.1\r\n", 414),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 200), 431),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 200) + "\r\n", 431),
        ("GET / HTTP/1.1\r\nA: a\r\nB: b\r\nC: c\r\nD: d\r\n", 431),
    ]

    @Test("is refused beyond its limits", arguments: bounded, Arrival.allCases)
    func bounds(row: (text: String, status: Int), arrival: Arrival) {
        let result = RequestFeed.run(row.text, arrival: arrival, limits: Self.limits())
        #expect(result.error?.status == row.status)
    }

    @Test("may be exactly as long as the limits say", arguments: Arrival.allCases)
    func exact(arrival: Arrival) {
        let start = "GET /" + String(repeating: "a", count: 19) + " HTTP/1.1\r\nHost: a\r\nX: "
        let text = start + String(repeating: "x", count: 200 - start.utf8.count - 4) + "\r\n\r\n"
        let result = RequestFeed.run(text + text, arrival: arrival, limits: Self.limits())
        #expect(result.error == nil)
        #expect(result.requests.count == 2)
    }

    @Test("of many pipelined requests keeps each apart", arguments: Arrival.allCases)
    func pipelined(arrival: Arrival) {
        let text = (0..<50).map { "GET /rooms/\($0).json HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
        let result = RequestFeed.run(text, arrival: arrival)
        #expect(result.requests == (0..<50).map { "get /rooms/\($0).json host=a none" })
        #expect(result.unread == 0)
    }

    @Test("that comes again means the same, whatever came between", arguments: Arrival.allCases)
    func again(arrival: Arrival) {
        let texts = [
            "GET /rooms/lobby.json?print=pretty HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
            "POST /rooms.json HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
            "GET /rooms HTTP/1.1\r\nHost: a\r\n\r\n", "GET /rooms HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n",
            "\r\nGET /rooms HTTP/1.1\r\nHost: a\r\n\r\n",
            "PUT /a.json HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n",
        ]
        var random = SeededRandom(for: "heads again")
        for _ in 0..<30 {
            let chosen =
                (0..<8).map { _ in texts[Int.random(in: texts.indices, using: &random) / 2 * 2] }
                + (0..<8).map { _ in texts[Int.random(in: texts.indices, using: &random)] }
            let each = chosen.map { RequestFeed.run($0, arrival: .whole) }
            let all = RequestFeed.run(chosen.joined(), arrival: arrival)
            #expect(all.requests == each.flatMap(\.requests))
            #expect(all.bodies == each.flatMap(\.bodies))
            #expect(all.error == nil && all.unread == 0)
        }
    }

    @Test("says whether the one before it was the same, or differs where it may")
    func repeated() throws {
        var parser = HTTPRequestParser()
        func repetition(_ text: String) throws -> HTTPRequestHead.Repetition? {
            try Array(text.utf8).withUnsafeBytes { try parser.next(in: $0)?.repetition }
        }
        func poll(_ since: String, _ host: String = "a") -> String {
            "GET /rooms.json?since=\(since)&feed=longpoll HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        }
        #expect(try repetition(poll("abc-12")) == HTTPRequestHead.Repetition.none)
        #expect(try repetition(poll("abc-12")) == .whole)
        #expect(try repetition(poll("abc-12") + "GET") == .whole)
        #expect(try repetition(poll("abc-13")) == HTTPRequestHead.Repetition.none)
        // In pieces it is another one, even if it is not.
        #expect(try repetition(String(poll("abc-13").dropLast(3))) == nil)
        #expect(try repetition(poll("abc-13")) == HTTPRequestHead.Repetition.none)
        #expect(try repetition(poll("abc-13")) == .whole)
        let place = 22..<28
        parser.variation = place
        let head = try #require(
            try Array(poll("abc-14").utf8).withUnsafeBytes { try parser.next(in: $0) })
        #expect(head.repetition == .varied && head.fields.text(place) == "abc-14")
        #expect(head.fields.text(0..<head.byteCount) == poll("abc-14"))
        #expect(try repetition(poll("abc-14")) == .whole)
        #expect(try repetition(poll("ab.-15")) == .varied)
        for other in [poll("abc-9"), poll("abc-16", "b"), poll("abc%16"), poll("abc&16"), poll("abc 16")] {
            parser = HTTPRequestParser()
            _ = try repetition(poll("abc-12"))
            parser.variation = place
            // What is no request at all is refused as ever.
            let found = try? repetition(other)
            #expect(found != .varied && found != .whole)
        }
    }

    @Test("that is incomplete is waited for, without losing a byte")
    func incomplete() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        for count in 0..<text.utf8.count {
            let result = RequestFeed.run(Array(text.utf8.prefix(count)), arrival: .whole)
            #expect(result == Understood(unread: count))
        }
    }
}
