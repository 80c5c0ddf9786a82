// Server-Sent Events as clients read them.

import HearthTesting
import HearthWire
import Testing

@Suite("A stream of events")
struct SSEParserTests {
    static func read(_ pieces: [[UInt8]]) throws -> [String] {
        var parser = SSEParser()
        var texts: [String] = []
        for piece in pieces {
            for event in try piece.withUnsafeBytes({ try parser.events(in: $0) }) {
                texts.append("\(event.name)|\(String(decoding: event.data, as: UTF8.self))|\(event.lastID)")
            }
        }
        return texts
    }

    static let rows: [(String, [String])] = [
        ("event: put\ndata: {\"path\":\"/\",\"data\":1}\n\n", ["put|{\"path\":\"/\",\"data\":1}|"]),
        (
            "retry: 1000\n\nevent: put\nid: k3-1\ndata: 1\n\nevent: keep-alive\ndata: null\n\n",
            ["put|1|k3-1", "keep-alive|null|k3-1"]
        ),
        ("data: a\ndata\ndata:  b\n\n", ["message|a\n\n b|"]),
        ("data:a\r\n\r\ndata: b\r\rdata:c\n\n", ["message|a|", "message|b|", "message|c|"]),
        (": a comment\nunknown: x\ndata: a\n\n", ["message|a|"]),
        ("event: lonely\n\ndata: a\n\n", ["message|a|"]),
        ("id: 1\n\ndata: a\n\nid\ndata: b\n\n", ["message|a|1", "message|b|"]),
        ("id: a\u{0}b\ndata: a\n\n", ["message|a|"]),
        ("data\n\n", ["message||"]),
        ("data: \u{e9}\n\ndata: unfinished\n", ["message|\u{e9}|"]),
    ]

    @Test("is cut into its events however it arrives", arguments: rows)
    func events(text: String, expected: [String]) throws {
        try verifyChunked(Array(text.utf8), yields: expected, copies: 1) { try Self.read($0) }
    }

    @Test("may begin with a byte order mark")
    func mark() throws {
        try verifyChunked([0xef, 0xbb, 0xbf] + Array("data: a\n\n".utf8), yields: ["message|a|"], copies: 1) {
            try Self.read($0)
        }
    }

    @Test("tells how long to wait, and keeps the last event's ID over reconnects")
    func state() throws {
        var parser = SSEParser(lastID: "k3-7")
        _ = try Array("retry: 250\n\nretry: soon\n\nretry: \n\n".utf8).withUnsafeBytes {
            try parser.events(in: $0)
        }
        #expect(parser.retryMilliseconds == 250)
        #expect(parser.lastID == "k3-7")
        _ = try Array("id: k3-8\ndata: unfinished".utf8).withUnsafeBytes { try parser.events(in: $0) }
        #expect(parser.lastID == "k3-7")
    }

    @Test("with an event beyond the limit is given up")
    func limit() {
        var parser = SSEParser(limitBytes: 100)
        let line = Array(("data: " + String(repeating: "a", count: 40) + "\n").utf8)
        #expect(throws: SSEError(limitBytes: 100)) {
            for _ in 0..<3 { _ = try line.withUnsafeBytes { try parser.events(in: $0) } }
        }
    }
}
