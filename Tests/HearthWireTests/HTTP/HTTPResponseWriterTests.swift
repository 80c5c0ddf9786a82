// The bytes of answers.

import HearthCore
import HearthWire
import Testing

@Suite("An answer's head")
struct HTTPResponseWriterTests {
    static func text(_ head: HTTPResponseHead) -> (text: String, keepsAlive: Bool) {
        var output: [UInt8] = []
        let keepsAlive = HTTPResponseWriter.append(head, to: &output)
        return (String(decoding: output, as: UTF8.self), keepsAlive)
    }

    @Test("of a plain JSON answer is one block of constant lines and the length")
    func plain() {
        let (text, keepsAlive) = Self.text(HTTPResponseHead(status: 200, body: .length(1234)))
        #expect(
            text
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
                + "Cache-Control: no-cache\r\n"
                + "Access-Control-Allow-Origin: *\r\n"
                + "Access-Control-Expose-Headers: ETag, Hearth-Cursor, Retry-After\r\n"
                + "Content-Length: 1234\r\n\r\n")
        #expect(keepsAlive)
    }

    @Test("says the same by the quick way and by the general one")
    func sameLines() {
        let quick = Self.text(HTTPResponseHead(status: 200, body: .length(0))).text.split(separator: "\r\n")
            .dropFirst()
        let general = Self.text(HTTPResponseHead(status: 404, body: .length(0))).text.split(separator: "\r\n")
            .dropFirst()
        #expect(Array(quick) == Array(general))
    }

    @Test("of a value with a cursor is the same whether it is written in one go or in parts")
    func inOneGo() throws {
        let versions = [HTTPVersion.http11, .http10]
        for (byteCount, revision) in [(0, Revision(0)), (9, 10), (69, 1_042), (65_536, .max)] {
            for (version, keepsAlive) in versions.flatMap({ [($0, true), ($0, false)] }) {
                for epoch in ["k", "k3Jx9a", "0123456789abcdef"] {
                    var reply = RESTReply()
                    reply.version = version
                    reply.keepsAlive = keepsAlive
                    reply.cursor = Cursor(epoch: epoch, revision: revision)
                    var parts = [UInt8(ascii: "x")]
                    #expect(reply.appendHead(status: 200, body: .length(byteCount), to: &parts) == keepsAlive)
                    var whole = [UInt8(ascii: "x")]
                    HTTPResponseWriter.appendPlain(
                        byteCount: byteCount, cursor: (epoch, revision), version: version,
                        keepsAlive: keepsAlive, to: &whole)
                    #expect(whole == parts)
                }
            }
        }
    }

    @Test("carries further headers, the caching and the type that it is given")
    func further() {
        var head = HTTPResponseHead(status: 401, body: .length(7))
        head.contentType = .text
        head.caching = .seconds(60)
        head.isOpenToAnyOrigin = false
        head.keepsAlive = false
        head.fields = [(name: "ETag", value: HTTPFieldValue("null_etag"))]
        #expect(
            Self.text(head).text == "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Cache-Control: max-age=60\r\nETag: null_etag\r\n"
                + "Content-Length: 7\r\nConnection: close\r\n\r\n"
        )
        head.caching = .noStore
        #expect(Self.text(head).text.contains("\r\nCache-Control: no-store\r\n"))
    }

    @Test("frames the body as the client's version allows")
    func framing() {
        var head = HTTPResponseHead(status: 200, body: .chunked)
        #expect(Self.text(head).text.hasSuffix("\r\nTransfer-Encoding: chunked\r\n\r\n"))
        head.version = .http10
        let old = Self.text(head)
        #expect(old.text.hasSuffix("Retry-After\r\nConnection: close\r\n\r\n"))
        #expect(!old.keepsAlive)
        head.body = .length(1)
        #expect(Self.text(head).text.hasSuffix("Content-Length: 1\r\nConnection: keep-alive\r\n\r\n"))
        head.version = .http11
        head.body = .untilClose
        #expect(!Self.text(head).keepsAlive)
    }

    @Test(
        "without a body tells a length only where a body could be",
        arguments: [(204, false), (304, false), (200, true)])
    func bodyless(status: Int, hasLength: Bool) {
        var head = HTTPResponseHead(status: status, body: .none)
        head.contentType = nil
        #expect(Self.text(head).text.contains("Content-Length: 0\r\n") == hasLength)
        #expect(!Self.text(head).text.contains("Content-Type"))
    }

    @Test("never takes a value that could break out of its line")
    func values() {
        for text in ["a\r\nSet-Cookie: b", "a\nb", "a\u{0}", "\u{7f}", "\u{e9}", "a\tb"] {
            #expect(HTTPFieldValue(text) == nil)
        }
        #expect(HTTPFieldValue("k3Jx9a-1042")?.text == "k3Jx9a-1042")
    }

    @Test("chunks are sized in hexadecimal, and no bytes make no chunk")
    func chunks() {
        var output: [UInt8] = []
        HTTPResponseWriter.appendChunk([UInt8](repeating: 0x61, count: 26), to: &output)
        HTTPResponseWriter.appendChunk([], to: &output)
        output += HTTPResponseWriter.lastChunkBytes
        #expect(
            String(decoding: output, as: UTF8.self) == "1a\r\n" + String(repeating: "a", count: 26)
                + "\r\n0\r\n\r\n")
    }
}
