// Answers as clients read them.

import HearthTesting
import HearthWire
import Testing

@Suite("A received answer")
struct HTTPResponseParserTests {
    /// A client's connection: unread input and the parsers that look at it.
    struct Reading {
        let method: HTTPMethod
        var texts: [String] = []
        var input: [UInt8] = []
        var parser = HTTPResponseParser()
        var decoder: HTTPBodyDecoder?
        var body: [UInt8] = []

        init(answering method: HTTPMethod) {
            self.method = method
        }

        /// Takes one step; returns whether another one may be possible.
        mutating func takeOne() throws -> Bool {
            guard var decoder else { return try takeHead() }
            let part = try input.withUnsafeBytes { try decoder.next(in: $0) }
            body += input[part.bytes]
            input.removeFirst(part.consumed)
            self.decoder = part.isLast ? nil : decoder
            guard part.isLast else { return part.consumed > 0 }
            texts[texts.count - 1] += " " + String(decoding: body, as: UTF8.self)
            body = []
            return true
        }

        private mutating func takeHead() throws -> Bool {
            guard let head = try input.withUnsafeBytes({ try parser.next(in: $0, answering: method) }) else {
                return false
            }
            let etag = head.fields.value(of: "etag").map(head.fields.text) ?? "-"
            texts.append("\(head.status) \(head.body) \(head.keepsAlive ? "alive" : "close") \(etag)")
            input.removeFirst(head.byteCount)
            decoder = try HTTPBodyDecoder(head.body, limit: 1000)
            return true
        }
    }

    /// Reads all answers in the pieces, bodies included; one text for each, errors by their message.
    static func read(_ pieces: [[UInt8]], answering method: HTTPMethod = .get) -> [String] {
        var reading = Reading(answering: method)
        do {
            for piece in pieces {
                reading.input += piece
                while try reading.takeOne() {}
            }
        } catch {
            return reading.texts + [(error as? HTTPParseError)?.message ?? "another error"]
        }
        let rest = String(decoding: reading.body, as: UTF8.self)
        return reading.texts + (rest.isEmpty ? [] : ["until close: \(rest)"])
    }

    static let understood: [(String, String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: abc\r\n\r\nhello", "200 length(5) alive abc hello"),
        ("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "200 chunked alive - hi"),
        ("HTTP/1.1 204 No Content\r\n\r\n", "204 none alive - "),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: x\r\n\r\n", "304 none alive x "),
        (
            "HTTP/1.1 100 Continue\r\nA: b\r\n\r\n"
                + "HTTP/1.1 412 Precondition Failed\r\nETag: y\r\nContent-Length: 1\r\n\r\n1",
            "412 length(1) alive y 1"
        ),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
                + "HTTP/1.1 200\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "200 length(0) close - "
        ),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", "200 length(0) alive - "),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "101 none alive - "),
    ]

    @Test("is understood however it arrives", arguments: understood)
    func understands(text: String, expected: String) throws {
        try verifyChunked(Array(text.utf8), yields: [expected]) { Self.read($0) }
    }

    @Test("to HEAD has no body, and one without a length goes on until the connection ends")
    func forms() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        try verifyChunked(Array(head.utf8), yields: ["200 length(5) alive - hello"], copies: 1) {
            Self.read($0 + [Array("hello".utf8)])
        }
        try verifyChunked(Array(head.utf8), yields: ["200 none alive - "]) { Self.read($0, answering: .head) }
        let open = "HTTP/1.0 200 OK\r\n\r\nhello"
        try verifyChunked(
            Array(open.utf8), yields: ["200 untilClose close -", "until close: hello"], copies: 1
        ) {
            Self.read($0)
        }
    }

    static let refused = [
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 600 OK\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "ICY 200 OK okay\r\n\r\n", "\r\n",
        "HTTP/1.1 200 OK\n\n",
        "HTTP/1.1 200 O\u{1}K\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    ]

    @Test("is refused when it could be read in two ways", arguments: refused)
    func refuses(text: String) {
        let whole = Self.read([Array(text.utf8)])
        #expect(whole.count == 1 && whole[0].hasSuffix("."))
        #expect(Self.read(text.utf8.map { [$0] }) == whole)
    }
}
