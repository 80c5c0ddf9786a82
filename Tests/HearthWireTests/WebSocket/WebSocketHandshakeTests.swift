// What must be asked before a connection becomes a WebSocket.
import HearthWire
import Testing

@Suite("A WebSocket handshake")
struct WebSocketHandshakeTests {
    private static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

    private static func asked(_ lines: [String], line: String = "GET /.ws?v=5&ns=chat") throws
        -> HTTPRequestHead
    {
        let text = "\(line) HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        var parser = HTTPRequestParser()
        return try #require(try Array(text.utf8).withUnsafeBytes { try parser.next(in: $0) })
    }

    private static func browser(_ more: String...) throws -> HTTPRequestHead {
        try asked(
            ["Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13", key] + more
        )
    }

    @Test("is answered with what the standard's example says")
    func example() throws {
        let handshake = try WebSocketHandshake(Self.browser())
        #expect(handshake.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        var output: [UInt8] = []
        handshake.appendAnswer(to: &output)
        #expect(
            String(decoding: output, as: UTF8.self)
                == """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                \r

                """)
    }

    @Test(
        "agrees to compression in the forms that it can keep",
        arguments: [
            ("permessage-deflate", true),
            ("permessage-deflate; client_max_window_bits", true),
            ("permessage-deflate; client_max_window_bits=10; server_no_context_takeover", true),
            (#"permessage-deflate; client_max_window_bits="12""#, true),
            ("x-webkit-deflate-frame, permessage-deflate;client_no_context_takeover", true),
            ("permessage-deflate; server_max_window_bits=9, permessage-deflate", true),
            ("permessage-deflate; server_max_window_bits=9", false),
            ("permessage-deflate; client_max_window_bits=7", false),
            ("permessage-deflate; client_max_window_bits; client_max_window_bits", false),
            ("permessage-deflate; unknown", false),
            ("x-webkit-deflate-frame", false),
            ("", false),
        ])
    func compression(offer: String, isAgreed: Bool) throws {
        let handshake = try WebSocketHandshake(Self.browser("Sec-WebSocket-Extensions: \(offer)"))
        #expect(handshake.compresses == isAgreed)
        var output: [UInt8] = []
        handshake.appendAnswer(to: &output)
        let text = String(decoding: output, as: UTF8.self)
        #expect(
            text.contains(
                "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                    + "client_no_context_takeover\r\n\r\n") == isAgreed)
    }

    @Test(
        "is refused when something is missing",
        arguments: [
            ([], .notAsked),
            (["Upgrade: h2c", "Connection: Upgrade"], .notAsked),
            (["Upgrade: websocket"], .notAsked),
            (["Upgrade: websocket", "Connection: Upgrade", key], .unknownVersion),
            (
                ["Upgrade: websocket", "Connection: Upgrade", key, "Sec-WebSocket-Version: 8"],
                .unknownVersion
            ),
            (["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"], .malformed),
            (
                ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", key, key],
                .malformed
            ),
            (
                [
                    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: c2hvcnQ=",
                ], .malformed
            ),
        ] as [([String], WebSocketHandshake.Refusal)])
    func refused(lines: [String], reason: WebSocketHandshake.Refusal) throws {
        let head = try Self.asked(lines)
        #expect(throws: reason) { try WebSocketHandshake(head) }
    }

    @Test("is refused on other methods")
    func method() throws {
        let head = try Self.asked(
            ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", Self.key],
            line: "POST /.ws")
        #expect(throws: WebSocketHandshake.Refusal.malformed) { try WebSocketHandshake(head) }
    }
}
