// What a connection does with requests that come whole, in pieces, several at once, wrong or not at all.
import HearthServer
import Testing

@Suite("A connection")
struct ConnectionTests {
    @Test("answers request after request")
    func keepsAlive() throws {
        try withServer { server in
            let client = try TestClient(server)
            for _ in 0..<3 {
                #expect(try client.ask("GET", "/.health").status == 200)
            }
        }
    }

    @Test("answers pipelined requests in their order")
    func pipelining() throws {
        try withServer { server in
            let client = try TestClient(server)
            for index in 0..<300 {
                client.begin("GET", index % 2 == 0 ? "/.health" : "/nowhere")
            }
            for index in 0..<300 {
                #expect(try client.read().status == (index % 2 == 0 ? 200 : 404))
            }
        }
    }

    @Test("answers the same request with what is there and holds now")
    func again() throws {
        try withServer { server in
            let (client, other) = (try TestClient(server), try TestClient(server))
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            let target = "/rooms/lobby.json?ns=chat"
            func asked() throws -> String {
                let reply = try client.ask("GET", target)
                return reply.status == 200 ? reply.body : "\(reply.status)"
            }
            #expect(try [asked(), asked()] == ["404", "404"])
            let namespace = "/.settings/namespaces.json?ns=chat"
            for _ in 0..<2 {
                #expect(try other.ask("PUT", namespace, admin).status == 200)
                #expect(try [asked(), asked()] == ["null", "null"])
                for number in ["1", "2"] {
                    #expect(try other.ask("PUT", target, body: number).status == 200)
                    #expect(try [asked(), asked()] == [number, number])
                }
                let rules = "/.settings/rules.json?ns=chat"
                for (text, answer) in [("false", "401"), ("true", "2"), ("now < 0", "401")] {
                    let body = #"{"rules":{".read":"\#(text)"}}"#
                    #expect(try other.ask("PUT", rules, admin, body: body).status == 200)
                    #expect(try [asked(), asked()] == [answer, answer])
                }
                #expect(try other.ask("DELETE", namespace, admin).status == 200)
                #expect(try [asked(), asked()] == ["404", "404"])
            }
            let names = try (0..<4).map { _ in try client.ask("POST", "/rooms.json", body: "1").body }
            #expect(Set(names).count == 4)
        }
    }

    @Test("takes a request byte by byte")
    func byteByByte() throws {
        try withServer { server in
            let client = try TestClient(server)
            for byte in "GET /.health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8 { client.send([byte]) }
            #expect(try client.read().status == 200)
        }
    }

    @Test(
        "ends after the answer when the client asks so",
        arguments: [
            "GET /.health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /.health HTTP/1.0\r\n\r\n",
        ])
    func close(request: String) throws {
        try withServer { server in
            let client = try TestClient(server)
            client.send(request)
            let reply = try client.read()
            #expect(reply.status == 200)
            #expect(reply.headers["connection"] == "close")
            #expect(client.readToEnd() == "")
        }
    }

    @Test("still answers a client that has ended its own direction")
    func halfClosed() throws {
        try withServer { server in
            let client = try TestClient(server)
            client.begin("GET", "/.health")
            client.endSending()
            #expect(try client.read().status == 200)
            #expect(client.readToEnd() == "")
        }
    }

    @Test(
        "refuses what two readers could take differently, and ends",
        arguments: [
            ("GET /.health HTTP/1.1\nHost: localhost\n\n", 400),
            ("GET /.health HTTP/1.1\r\nHost: localhost\r\n folded: yes\r\n\r\n", 400),
            ("GET /.health HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n", 400),
            ("GET /.health HTTP/1.1\r\n\r\n", 400),
            (
                "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
                400
            ),
            (
                "PUT /a.json HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1",
                400
            ),
            ("PUT /a.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n1", 501),
            ("GET /.health HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
            ("PUT /a.json HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle\r\n\r\n", 417),
            ("PUT /a.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        ])
    func refused(request: String, status: Int) throws {
        try withServer { server in
            let client = try TestClient(server)
            client.send(request + "GET /.health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let reply = try client.read()
            #expect(reply.status == status)
            #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
            #expect(reply.body.hasPrefix("{\"error\":\""))
            // What follows is never taken for a request.
            #expect(client.readToEnd() == "")
        }
    }

    @Test("refuses a head and a body that are too large")
    func tooLarge() throws {
        try withServer {
            $0.limits.bodyBytes = 1000
        } _: { server in
            let client = try TestClient(server)
            client.send(
                "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 40000))\r\n\r\n"
            )
            #expect(try client.read().status == 431)
            let second = try TestClient(server)
            second.begin("PUT", "/a.json", body: String(repeating: "1", count: 1001))
            #expect(try second.read().status == 413)
            let third = try TestClient(server)
            third.begin("PUT", "/a.json", ["Transfer-Encoding: chunked"])
            third.send("3e8\r\n\(String(repeating: "1", count: 1000))\r\n1\r\n1\r\n0\r\n\r\n")
            #expect(try third.read().status == 413)
        }
    }

    @Test("gives up on a head or a body that does not arrive")
    func slowSender() throws {
        try withServer {
            $0.timeouts.head = .seconds(1)
            $0.timeouts.body = .seconds(1)
        } _: { server in
            let client = try TestClient(server)
            client.send("GET /.heal")
            #expect(try client.read().status == 408)
            #expect(client.readToEnd() == "")
            let second = try TestClient(server)
            second.send("PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n123")
            #expect(try second.read().status == 408)
            #expect(second.readToEnd() == "")
        }
    }

    @Test("is ended without a word when nothing comes for long")
    func idle() throws {
        try withServer {
            $0.timeouts.idle = .seconds(1)
        } _: { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/.health").status == 200)
            #expect(client.readToEnd() == "")
        }
    }

    @Test("is turned away when there are too many, and lets others in when it ends")
    func tooMany() throws {
        try withServer {
            $0.limits.connections = 2
        } _: { server in
            let first = try TestClient(server)
            #expect(try first.ask("GET", "/.health").status == 200)
            do {
                let second = try TestClient(server)
                #expect(try second.ask("GET", "/.health").status == 200)
                let third = try TestClient(server)
                third.begin("GET", "/.health")
                #expect(third.readToEnd() == "")
                second.endSending()
                #expect(second.readToEnd() == "")
            }
            let fourth = try TestClient(server)
            #expect(try fourth.ask("GET", "/.health").status == 200)
        }
    }
}
