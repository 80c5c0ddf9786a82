// What a client sends, and what it makes of answers and accidents.

import HearthClient
import HearthTesting
import HearthWire
import Testing

@Suite("A client")
struct ClientTests {
    private static var answer: ClientRequest { ClientRequest(.get, RequestTarget(ofData: "/rooms/lobby")) }

    private func client(
        _ server: ScriptedServer, _ credentials: Credentials = .none, namespace: String? = nil,
        idle: Duration = .seconds(20)
    ) -> Client {
        Client(
            ServerAddress(host: "127.0.0.1", port: server.port), credentials: credentials,
            namespace: namespace,
            timeouts: Client.Timeouts(connect: .seconds(5), idle: idle, continue: .milliseconds(50)))
    }

    private func read(_ server: ScriptedServer, _ request: ClientRequest = answer) throws -> String {
        let client = client(server)
        return String(decoding: try client.collect(request).body, as: UTF8.self)
    }

    @Test("asks with host, namespace and the administrator's token in the header")
    func administrator() throws {
        let server = ScriptedServer([.json("{}")])
        _ = try client(server, .administrator(token: "secret"), namespace: "chat").collect(Self.answer)
        let request = try #require(server.finish().first)
        #expect(request.line == "GET /rooms/lobby.json?ns=chat HTTP/1.1")
        #expect(request.headers == ["Host: 127.0.0.1:\(server.port)", "Authorization: Bearer secret"])
    }

    @Test("sends a user's token in the query")
    func user() throws {
        let server = ScriptedServer([.json("{}")])
        _ = try client(server, .user(token: "a.b.c")).collect(Self.answer)
        #expect(server.finish().map(\.line) == ["GET /rooms/lobby.json?auth=a.b.c HTTP/1.1"])
    }

    @Test("tells the cursor, the tag and the length of the body")
    func head() throws {
        let headers = "Hearth-Cursor: k3-7\r\nETag: abc=\r\n"
        let server = ScriptedServer([.json("true", headers: headers)])
        let answer = try client(server).collect(Self.answer).answer
        #expect(answer.status == 200 && answer.cursor == "k3-7" && answer.entityTag == "abc=")
        #expect(answer.bodyByteCount == 4)
        _ = server.finish()
    }

    @Test("keeps its connection for the next request")
    func keepAlive() throws {
        let server = ScriptedServer([.json("1"), .json("2"), .json("3", ending: .closes)])
        do {
            let client = client(server)
            for expected in ["1", "2", "3"] {
                #expect(try client.collect(Self.answer).body == Array(expected.utf8))
            }
        }
        #expect(server.finish().count == 3)
    }

    @Test("repeats a GET over a new connection when the kept one was closed, but no write")
    func staleConnection() throws {
        let reset = ScriptedServer.Answer([], ending: .closes)
        let server = ScriptedServer([.json("1"), reset, .json("2"), reset, .json("3", ending: .closes)])
        let client = client(server)
        #expect(try client.collect(Self.answer).body == Array("1".utf8))
        #expect(try client.collect(Self.answer).body == Array("2".utf8))
        let write = ClientRequest(.post, RequestTarget(ofData: "/rooms"), body: .bytes(Array("5".utf8)))
        let error = #expect(throws: ClientError.self) { try client.collect(write) }
        #expect(error == .cutOff(server: client.address.description, during: .waiting))
        #expect(try client.collect(Self.answer).body == Array("3".utf8))
        _ = server.finish()
    }

    @Test("takes bodies by length, by chunks and until the connection closes")
    func framings() throws {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        let untilClose = "HTTP/1.1 200 OK\r\n\r\nabcde"
        for text in [chunked, untilClose] {
            let server = ScriptedServer([.init(Array(text.utf8), ending: .closes)])
            #expect(try read(server) == "abcde")
            _ = server.finish()
        }
    }

    @Test("takes no answer that was cut for a whole one", arguments: [true, false])
    func cut(isChunked: Bool) throws {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"
        let whole = isChunked ? Array(chunked.utf8) : ScriptedServer.Answer.json("{\"a\":1}").bytes
        for length in 1..<whole.count {
            let server = ScriptedServer([.init(Array(whole.prefix(length)), ending: .closes)])
            let error = #expect(throws: ClientError.self) { try read(server) }
            let address = "http://127.0.0.1:\(server.port)"
            #expect(error == .cutOff(server: address, during: .receiving), "cut after \(length) bytes")
            _ = server.finish()
        }
    }

    @Test(
        "finds the reason in a refusal",
        arguments: [
            ("{\"error\":\"Permission denied\"}", "Permission denied"),
            ("{\"a\":[1,{\"b\":2}],\"error\":\"not \\u0041 key\"}", "not A key"),
            ("{\"error\":{\"code\":400,\"message\":\"EMAIL_EXISTS\"}}", "EMAIL_EXISTS"),
            ("plain text\nin lines\n", "plain text in lines"),
            ("{\"other\":1}", "{\"other\":1}"), ("{\"error\":", "{\"error\":"), ("", ""),
        ])
    func refusal(body: String, reason: String) throws {
        let server = ScriptedServer([.json(body, status: 401, headers: "Retry-After: 7\r\n", ending: .closes)]
        )
        let error = #expect(throws: ClientError.self) { try read(server) }
        #expect(error == .refused(ServerRefusal(status: 401, reason: reason, retryAfter: 7)))
        _ = server.finish()
    }

    @Test(
        "refuses what is no HTTP, and redirections",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 307 Elsewhere\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
        ])
    func noAnswer(text: String) throws {
        let server = ScriptedServer([.init(Array(text.utf8), ending: .closes)])
        let error = #expect(throws: ClientError.self) { try read(server) }
        #expect(error.map { "\($0)".contains("does not answer like a Hearth server") } == true)
        _ = server.finish()
    }

    @Test("says where nobody listens, and what to look for")
    func nobody() throws {
        ScriptedServer.withClosedPort { port in
            let client = Client(ServerAddress(host: "127.0.0.1", port: port))
            let error = #expect(throws: ClientError.self) { try client.collect(Self.answer) }
            let expected =
                "cannot reach http://127.0.0.1:\(port): connection refused"
                + " \u{2013} is 'hearth serve' running?"
            #expect(error.map { "\($0)" } == expected)
        }
    }

    @Test("loses patience with a server that keeps still")
    func silence() throws {
        let server = ScriptedServer([.init([])])
        do {
            let client = client(server)
            var request = Self.answer
            request.patience = .milliseconds(30)
            let error = #expect(throws: ClientError.self) { try client.collect(request) }
            #expect(error == .timedOut(server: client.address.description, during: .waiting, seconds: 0))
        }
        _ = server.finish()
    }

    @Test("gives back what the sink throws, and no more of the body")
    func sinkError() throws {
        let server = ScriptedServer([.json("{\"a\":1}", ending: .closes)])
        let full = ClientError.local("the disk is full")
        let error = #expect(throws: ClientError.self) {
            try client(server).perform(Self.answer) { (_: UnsafeRawBufferPointer) throws(ClientError) in
                throw full
            }
        }
        #expect(error == full)
        _ = server.finish()
    }

    @Test("keeps an answer's body within its limit")
    func limit() throws {
        let server = ScriptedServer([.json("[1,2,3,4]", ending: .closes)])
        #expect(throws: ClientError.self) { try client(server).collect(Self.answer, limit: 8) }
        _ = server.finish()
    }
}
