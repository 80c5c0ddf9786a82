// What bad input gets: a status and a sentence, nothing written, nobody else disturbed.
import HearthServer
import Testing

/// Bytes that nobody should send, and what the answer must be.
struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    /// What the error says: what is wrong, and where.
    let text: String
    let bytes: @Sendable () -> [UInt8]

    init(_ name: String, _ status: Int, _ text: String, _ bytes: @escaping @Sendable () -> [UInt8]) {
        testDescription = name
        self.status = status
        self.text = text
        self.bytes = bytes
    }

    /// A head as it is, without the empty line; `Host` comes by itself.
    static func head(_ name: String, _ status: Int, _ text: String, _ head: String) -> Attack {
        Attack(name, status, text) { Array("\(head)\r\nHost: localhost\r\n\r\n".utf8) }
    }

    /// A PUT with this body.
    static func put(_ name: String, _ text: String, _ body: String) -> Attack {
        put(name, text, bytes: Array(body.utf8))
    }

    static func put(_ name: String, _ text: String, bytes body: [UInt8]) -> Attack {
        Attack(name, 400, text) {
            let head = "PUT /bad.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
            return Array(head.utf8) + body
        }
    }

    /// A PUT in chunks: these bytes follow the head.
    static func chunks(_ name: String, _ status: Int, _ text: String, _ body: String) -> Attack {
        Attack(name, status, text) {
            let head = "PUT /bad.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            return Array((head + body).utf8)
        }
    }
}

@Suite("Hostile input")
struct HostileInputTests {
    private static let values: [Attack] = [
        .put("a missing value", "line 2, column 6", "{\"a\":1,\n \"b\":}"),
        .put("a comma too many", "line 1, column 8", "{\"a\":1,}"),
        .put("two values", "line 1, column 3", "1 2"),
        .put("a comment", "line 1, column 1", "// 1\n1"),
        .put("an unfinished string", "line 1, column", "\"abc"),
        .put("a byte order mark", "line 1, column 1", "\u{FEFF}1"),
        .put("a number that is none", "line 1, column", "01"),
        .put("a number out of range", "line 1, column 2", "[1e999]"),
        .put("half a surrogate pair", "line 1, column", "[\"\\ud83d\"]"),
        .put("the other half", "line 1, column", "[\"\\ude00\"]"),
        .put("a NUL in a string", "line 1, column 3", "\"a\u{0}\""),
        .put("a NUL in a key", "line 1, column", "{\"a\\u0000b\":1}"),
        .put("a forbidden '.'", "line 1, column", "{\"x\":{\"a.b\":1}}"),
        .put("a forbidden '#'", "line 1, column", "{\"x\":{\"a#b\":1}}"),
        .put("a forbidden '$'", "line 1, column", "{\"x\":{\"a$b\":1}}"),
        .put("a forbidden '['", "line 1, column", "{\"x\":{\"a[b\":1}}"),
        .put("a forbidden ']'", "line 1, column", "{\"x\":{\"a]b\":1}}"),
        .put("a forbidden '/'", "line 1, column", "{\"x\":{\"a/b\":1}}"),
        .put("an empty key", "line 1, column", "{\"x\":{\"\":1}}"),
        .put("an unknown dotted key", "line 1, column", "{\".foo\":1}"),
        .put(
            "a long key", "a key has 769 bytes, at most 768",
            "{\"\(String(repeating: "k", count: 769))\":1}"),
        .put(
            "33 levels", "32 levels",
            String(repeating: "{\"a\":", count: 32) + "1" + String(repeating: "}", count: 32)),
        .put("a million open brackets", "line 1, column", String(repeating: "[", count: 1_000_000)),
        .put("a million open braces", "line 1, column", String(repeating: "{\"a\":", count: 1_000_000)),
        .put("a stray continuation byte", "line 1, column 3", bytes: [0x22, 0x61, 0x80, 0x22]),
        .put("an overlong slash", "line 1, column 2", bytes: [0x22, 0xC0, 0xAF, 0x22]),
        .put("a surrogate in UTF-8", "line 1, column 2", bytes: [0x22, 0xED, 0xA0, 0x80, 0x22]),
        .put("beyond Unicode", "line 1, column 2", bytes: [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22]),
    ]

    private static let heads: [Attack] = [
        .head("an unknown method", 405, "method", "BREW /a.json HTTP/1.1"),
        .head("a method in lower case", 405, "method", "put /a.json HTTP/1.1"),
        .head("TRACE", 405, "method", "TRACE /a.json HTTP/1.1"),
        .head("no version", 400, "request line", "GET /a.json"),
        .head("version 0.9", 505, "versions", "GET /a.json HTTP/0.9"),
        .head("version 3", 505, "versions", "GET /a.json HTTP/3.0"),
        .head("the preface of HTTP/2", 505, "versions", "PRI * HTTP/2.0"),
        .head("another protocol", 400, "request line", "GET /a.json RTSP/1.0"),
        .head("a tunnel", 400, "target", "CONNECT example.org:443 HTTP/1.1"),
        .head("a target without a slash", 400, "target", "GET a.json HTTP/1.1"),
        .head("two spaces", 400, "", "GET  /a.json HTTP/1.1"),
        .head("a forbidden character in the path", 400, "path", "GET /a%23b.json HTTP/1.1"),
        .head("half a percent code", 400, "path", "GET /a%2.json HTTP/1.1"),
        .head("no UTF-8 in the path", 400, "path", "GET /a%ff.json HTTP/1.1"),
        .head("a NUL in the path", 400, "path", "GET /a%00b.json HTTP/1.1"),
        .head("a bare NUL in the target", 400, "", "GET /a\u{0}b.json HTTP/1.1"),
        .head("a bare NUL in a header", 400, "header", "GET /a.json HTTP/1.1\r\nX: a\u{0}b"),
        .head("a bare CR in a header", 400, "", "GET /a.json HTTP/1.1\r\nX: a\rb"),
        .head("a space before the colon", 400, "header", "GET /a.json HTTP/1.1\r\nX : a"),
        .head("a header without a colon", 400, "header", "GET /a.json HTTP/1.1\r\nnonsense"),
        .head("a header without a name", 400, "header", "GET /a.json HTTP/1.1\r\n: a"),
        .head(
            "a long key in the path", 400, "768 bytes",
            "GET /\(String(repeating: "k", count: 769)).json HTTP/1.1"),
        .head(
            "33 levels of path", 400, "32 levels", "GET \(String(repeating: "/d", count: 33)).json HTTP/1.1"),
        Attack("10,000 headers", 431, "header") {
            Array("GET /a.json HTTP/1.1\r\n".utf8)
                + (0..<10_000).flatMap { Array("X-\($0): 1\r\n".utf8) } + [13, 10]
        },
        Attack("a header of a megabyte", 431, "header") {
            Array("GET /a.json HTTP/1.1\r\nX: ".utf8) + [UInt8](repeating: 0x78, count: 1 << 20)
        },
        Attack("a target of a megabyte", 431, "header") {
            Array("GET /".utf8) + [UInt8](repeating: 0x78, count: 1 << 20)
        },
        Attack("a megabyte of line ends", 400, "request line") {
            (0..<(1 << 19)).flatMap { _ in [13, 10] as [UInt8] }
        },
    ]

    private static let lengths: [Attack] = [
        .head("a signed length", 400, "Content-Length", "PUT /bad.json HTTP/1.1\r\nContent-Length: +1"),
        .head("a negative length", 400, "Content-Length", "PUT /bad.json HTTP/1.1\r\nContent-Length: -1"),
        .head(
            "a length in hexadecimal", 400, "Content-Length",
            "PUT /bad.json HTTP/1.1\r\nContent-Length: 0x1"),
        .head("two lengths in one", 400, "Content-Length", "PUT /bad.json HTTP/1.1\r\nContent-Length: 1, 1"),
        .head("an empty length", 400, "Content-Length", "PUT /bad.json HTTP/1.1\r\nContent-Length: "),
        .head(
            "a length beyond 64 bits", 413, "larger",
            "PUT /bad.json HTTP/1.1\r\nContent-Length: 18446744073709551617"),
        .head("300 MB declared", 413, "larger", "PUT /bad.json HTTP/1.1\r\nContent-Length: 314572800"),
        .head(
            "a coding beside chunks", 501, "chunked",
            "PUT /bad.json HTTP/1.1\r\nTransfer-Encoding: gzip, chunked"),
        .head(
            "chunks twice", 501, "chunked", "PUT /bad.json HTTP/1.1\r\nTransfer-Encoding: chunked, chunked"),
        .head(
            "a coding that is not quite chunked", 501, "chunked",
            "PUT /bad.json HTTP/1.1\r\nTransfer-Encoding: xchunked"),
        .head(
            "chunks and a length", 400, "together",
            "PUT /bad.json HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1"),
        .head("chunks in HTTP/1.0", 501, "chunked", "PUT /bad.json HTTP/1.0\r\nTransfer-Encoding: chunked"),
        .chunks("a chunk size with a prefix", 400, "chunk", "0x1\r\n1\r\n0\r\n\r\n"),
        .chunks("a negative chunk size", 400, "chunk", "-1\r\n1\r\n0\r\n\r\n"),
        .chunks("a chunk size beyond 64 bits", 400, "chunk", "fffffffffffffffff\r\n1"),
        .chunks("an empty chunk size", 400, "chunk", "\r\n1\r\n0\r\n\r\n"),
        .chunks("a chunk that is longer than it says", 400, "chunk", "1\r\n12\r\n0\r\n\r\n"),
        .chunks("a chunk size with a bare LF", 400, "", "1\n1\r\n0\r\n\r\n"),
        .chunks("a chunk extension without end", 400, "", "1;\(String(repeating: "x", count: 2_000))"),
        .chunks(
            "trailers without end", 431, "", "1\r\n1\r\n0\r\n" + String(repeating: "X: 1\r\n", count: 4_000)),
    ]

    @Test("is refused with what is wrong and where, and has no effect", arguments: values + heads + lengths)
    func refused(attack: Attack) throws {
        try withServer { server in
            let bystander = try TestClient(server)
            let before = try bystander.ask("PUT", "/good.json", body: "1")
            let client = try TestClient(server)
            client.send(attack.bytes())
            // Others are answered although nobody has read what this one gets.
            #expect(try bystander.ask("GET", "/good.json").body == "1")
            expectRefusal(try client.read(), attack.status, attack.text)
            let after = try bystander.ask("GET", "/.json")
            #expect(after.body == #"{"good":1}"#)
            #expect(after.headers["hearth-cursor"] == before.headers["hearth-cursor"])
        }
    }

    @Test("after a good request leaves that one its answer, and ends the connection")
    func garbageBehind() throws {
        try withServer { server in
            let client = try TestClient(server)
            client.begin("PUT", "/good.json", body: "1")
            client.send("\u{0}\u{1}\u{2} garbage\r\n\r\nPUT /bad.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.read().status == 200)
            expectRefusal(try client.read(), 400, "request line")
            #expect(client.readToEnd() == "")
            #expect(try TestClient(server).ask("GET", "/.json").body == #"{"good":1}"#)
        }
    }

    @Test("of a body that grows beyond the limit is refused each time, and its memory given back")
    func growsBeyond() throws {
        try withServer {
            $0.limits.bodyBytes = 1 << 20
            $0.limits.bufferedBodyBytes = 3 << 20
        } _: { server in
            let chunk = "10000\r\n\(String(repeating: "1", count: 0x10000))\r\n"
            for _ in 0..<8 {
                let client = try TestClient(server)
                client.begin("PUT", "/bad.json", ["Transfer-Encoding: chunked"])
                for _ in 0..<24 { client.send(chunk) }
                expectRefusal(try client.read(), 413, "larger")
            }
            let body = "\"\(String(repeating: "x", count: 1_000_000))\""
            let client = try TestClient(server)
            #expect(try client.ask("PUT", "/good.json?print=silent", body: body).status == 204)
        }
    }

    @Test(
        "that stops in the middle is given up in time, and others are answered meanwhile",
        arguments: [
            "G", "GET /a.json HT", "GET /a.json HTTP/1.1\r\n", "GET /a.json HTTP/1.1\r\nHost: localhost\r\n",
            "PUT /bad.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n[1",
            "PUT /bad.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1",
            "PUT /bad.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n",
            "PUT /bad.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n",
        ])
    func silence(half: String) throws {
        try withServer {
            $0.timeouts.head = .seconds(1)
            $0.timeouts.body = .seconds(1)
        } _: { server in
            let silent = try (0..<20).map { _ in try TestClient(server) }
            for client in silent { client.send(half) }
            let bystander = try TestClient(server)
            #expect(try bystander.ask("PUT", "/good.json", body: "1").status == 200)
            for client in silent {
                expectRefusal(try client.read(), 408, "in time")
                #expect(client.readToEnd() == "")
            }
            #expect(try TestClient(server).ask("GET", "/.json").body == #"{"good":1}"#)
        }
    }

    @Test("that trickles gets no more time for its head than any other")
    func trickle() throws {
        try withServer {
            $0.timeouts.head = .seconds(1)
        } _: { server in
            let client = try TestClient(server)
            client.send("GET /a.json HTTP/1.1\r\n")
            // Byte after byte, each as soon as the server was seen to do something else meanwhile.
            let bystander = try TestClient(server)
            let begin = ContinuousClock.now
            while ContinuousClock.now - begin < .seconds(2) {
                client.send("X")
                _ = try bystander.ask("GET", "/.health")
            }
            expectRefusal(try client.read(), 408, "in time")
        }
    }

    @Test(
        "of an upload that is cut off writes nothing",
        arguments: [
            "Content-Length: 10\r\n\r\n[1,2]", "Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n0\r\n",
        ])
    func cutOff(upload: String) throws {
        try withServer { server in
            let client = try TestClient(server)
            client.send("PUT /bad.json HTTP/1.1\r\nHost: localhost\r\n\(upload)")
            client.endSending()
            let rest = client.readToEnd()
            #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 400 "), "\(rest)")
            let after = try TestClient(server).ask("GET", "/.json")
            #expect(after.body == "null")
            #expect(after.headers["hearth-cursor"]?.hasSuffix("-0") ?? false)
        }
    }

    private func expectRefusal(_ reply: Reply, _ status: Int, _ text: String) {
        #expect(reply.status == status, "\(reply)")
        #expect(reply.headers["content-type"] == "application/json; charset=utf-8", "\(reply)")
        #expect(reply.body.hasPrefix(#"{"error":""#) && reply.body.hasSuffix(#""}"#), "\(reply)")
        #expect(reply.body.contains(text), "\(reply)")
        #expect(reply.headers["hearth-cursor"] == nil)
    }
}
