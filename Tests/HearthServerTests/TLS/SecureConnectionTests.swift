// Connections over TLS do what plain ones do, and nobody who only seems to speak it disturbs them.
import HearthCrypto
import HearthTesting
import Testing

@testable import HearthServer

@Suite("A connection over TLS")
struct SecureConnectionTests {
    @Test("answers requests, pipelined ones in their order, and ends when asked to")
    func requests() throws {
        try withSecureServer { secure in
            let client = try secure.client()
            #expect(client.secure?.version == "TLSv1.3")
            #expect(try client.ask("PUT", "/rooms/lobby.json", body: #"{"topic":"hello"}"#).status == 200)
            for _ in 0..<200 { client.begin("GET", "/rooms/lobby/topic.json") }
            for _ in 0..<200 { #expect(try client.read().body == "\"hello\"") }
            #expect(try client.ask("GET", "/.health", ["Connection: close"]).status == 200)
            #expect(client.readToEnd() == "")
            #expect(client.secure?.ending == .ended)
        }
    }

    @Test("carries large values both ways, also to a client that is slow to take them")
    func large() throws {
        try withSecureServer { secure in
            let client = try secure.client()
            let text = "\"" + String(repeating: "hearth and home ", count: 500_000) + "\""
            #expect(try client.ask("PUT", "/a.json?print=silent", body: text).status == 204)
            // All of them are owed before the first is read, more than the system's buffers hold.
            for _ in 0..<3 { client.begin("GET", "/a.json") }
            for _ in 0..<3 { #expect(try client.read().body == text) }
        }
    }

    @Test("takes everything byte by byte, the handshake too")
    func byteByByte() throws {
        try withSecureServer { secure in
            let client = try TestClient(secure.server)
            let end = SecureEnd(try TLSClientContext(trusting: Array(secure.authority.certificate.utf8)))
            try end.begin()
            func send() { for byte in end.takeOutput() { client.sendRaw([byte]) } }
            send()
            while !end.isOpen {
                let bytes = try #require(client.readSome())
                for byte in bytes { _ = end.read([byte]) }
            }
            end.write(Array("GET /.health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            send()
            var answer = ""
            while !answer.hasSuffix("{\"status\":\"ok\"}") {
                answer += String(decoding: end.read(try #require(client.readSome())), as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test("still answers a client that has ended its direction, and says its own end")
    func halfClosed() throws {
        try withSecureServer { secure in
            let client = try secure.client()
            client.begin("GET", "/.health")
            client.endSending()
            #expect(try client.read().status == 200)
            #expect(client.readToEnd() == "")
            #expect(client.secure?.ending == .ended)
        }
    }

    @Test("streams events, and ends with its client's socket")
    func stream() throws {
        try withSecureServer { secure in
            let client = try secure.client()
            try client.openStream("/rooms/lobby.json")
            #expect(try client.readEvent().event == "put")
            let writer = try secure.client()
            #expect(try writer.ask("PUT", "/rooms/lobby/topic.json", body: "\"hi\"").status == 200)
            #expect(try client.readEvent().data == #"{"path":"/topic","data":"hi"}"#)
            #expect(secure.server.services.metrics.subscriptions.value == 1)
            client.endSendingRaw()
            // An end without a word is taken for one: streams have no end of their own.
            _ = client.readToEnd()
            #expect(secure.server.services.metrics.subscriptions.value == 0)
        }
    }

    @Test("says its end when the server stops")
    func stopping() throws {
        try withSecureServer { secure in
            let client = try secure.client()
            #expect(try client.ask("GET", "/.health").status == 200)
            secure.server.stop()
            #expect(client.readToEnd() == "")
            #expect(client.secure?.ending == .ended)
        }
    }

    @Test("that speaks plain HTTP is told in clear what to do, and closed")
    func plain() throws {
        try withSecureServer { secure in
            let client = try TestClient(secure.server)
            let reply = try client.ask("GET", "/.health")
            #expect(reply.status == 400)
            #expect(reply.headers["connection"] == "close")
            #expect(reply.body.contains("https://"))
            #expect(client.readToEnd() == "")
        }
    }

    @Test(
        "that speaks something else gets an alert and the end",
        arguments: [
            "\u{16}\u{3}\u{1}\u{0}\u{4}abcd", "lower case words that are no request\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{0}\u{0}",
        ])
    func garbage(text: String) throws {
        try withSecureServer { secure in
            let client = try TestClient(secure.server)
            client.send(text)
            client.endSendingRaw()
            let answer = client.readToEnd()
            #expect(answer.isEmpty || answer.utf8.first == 21)
            #expect(try secure.client().ask("GET", "/.health").status == 200)
        }
    }

    @Test("that ends within its handshake, or within a record, leaves nothing behind")
    func truncated() throws {
        try withSecureServer { secure in
            let hello = SecureEnd(try TLSClientContext(trusting: Array(secure.authority.certificate.utf8)))
            try hello.begin()
            let bytes = hello.takeOutput()
            for count in [0, 1, 5, bytes.count - 1, bytes.count] {
                let client = try TestClient(secure.server)
                client.sendRaw(Array(bytes[..<count]))
                client.endSendingRaw()
                _ = client.readToEnd()
            }
            let client = try secure.client()
            client.sendRaw([23, 3, 3, 0, 100, 1, 2, 3])
            client.endSendingRaw()
            _ = client.readToEnd()
            #expect(secure.server.services.metrics.connections.value == 0)
        }
    }

    @Test("that stalls in its handshake is closed in time, and nobody waits for it")
    func stalled() throws {
        try withSecureServer {
            $0.loopCount = 1
            $0.timeouts.handshake = .seconds(2)
        } _: { secure in
            let stalled = try (0..<50).map { index in
                let client = try TestClient(secure.server)
                if index % 2 == 1 { client.sendRaw([22, 3, 1, 2, 0]) }
                return client
            }
            let client = try secure.client()
            #expect(try client.ask("GET", "/.health").status == 200)
            for client in stalled { #expect(client.readToEnd() == "") }
            #expect(secure.server.services.metrics.handshakesFailed.value == 50)
            #expect(try client.ask("GET", "/.health").status == 200)
        }
    }

    @Test("that drips its handshake has no more time for it")
    func dripping() throws {
        try withSecureServer {
            $0.timeouts.handshake = .milliseconds(300)
            $0.plainAddresses = [.loopback4(port: 0)]
        } _: { secure in
            let client = try TestClient(secure.server)
            // A plain one has no handshake that could be late.
            let other = try TestClient(port: try #require(secure.server.plainAddresses.first?.port))
            // The beginning of a long hello, whose bytes come as slowly as another client is answered.
            client.sendRaw([22, 3, 1, 0x3F, 0xFF, 1, 0, 0xFF, 0xFF, 3, 3])
            var count = 0
            while count < 16_000, client.isTaken([0]) {
                #expect(try other.ask("GET", "/.health").status == 200)
                count += 1
            }
            #expect(count < 16_000)
            #expect(secure.server.services.metrics.handshakesFailed.value == 1)
        }
    }

    @Test("comes in beside plain ones where those have a port of their own")
    func beside() throws {
        try withSecureServer {
            $0.plainAddresses = [.loopback4(port: 0)]
        } _: { secure in
            let plain = try TestClient(port: try #require(secure.server.plainAddresses.first?.port))
            #expect(try plain.ask("PUT", "/a.json", body: "1").status == 200)
            #expect(try secure.client().ask("GET", "/a.json").body == "1")
        }
    }

    @Test("beyond the limit of its address is closed without a word")
    func tooMany() throws {
        try withSecureServer {
            $0.limits.connectionsPerAddress = 1
        } _: { secure in
            let first = try secure.client()
            #expect(try first.ask("GET", "/.health").status == 200)
            #expect(try TestClient(secure.server).readToEnd() == "")
            #expect(try first.ask("GET", "/.health").status == 200)
        }
    }
}
