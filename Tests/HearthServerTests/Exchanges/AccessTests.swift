// Who may ask what: programs of this machine, nobody else's pages, and the administrator with the token.
import HearthServer
import Testing

@Suite("Access")
struct AccessTests {
    @Test(
        "is for those who name this machine",
        arguments: [
            ("localhost", 200), ("localhost:9000", 200), ("127.0.0.1", 200), ("127.1.2.3:80", 200),
            ("[::1]:9000", 200),
            ("chat.localhost", 200), ("LOCALHOST", 200), ("chat.example", 403), ("evil.example:9000", 403),
            ("127.0.0.1.evil.example", 403), ("localhost.evil.example", 403), ("10.0.0.1", 403),
        ])
    func hosts(host: String, status: Int) throws {
        try withServer { server in
            let client = try TestClient(server)
            client.send("GET /a.json HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try client.read().status == status)
        }
    }

    @Test(
        "is not for pages of others",
        arguments: [
            (["Origin: http://localhost:3000"], 200), (["Origin: https://127.0.0.1"], 200),
            (["Origin: https://evil.example"], 403), (["Origin: null"], 403),
            (["Origin: http://localhost.evil.example"], 403),
            (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-origin"], 200),
            (["Sec-Fetch-Site: none"], 200),
            (["Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site"], 200),
            (["Sec-Fetch-Site: cross-site", "Referer: http://localhost:3000/chat?a=b"], 200),
            (["Sec-Fetch-Site: cross-site", "Referer: http://localhost:3000"], 200),
            (["Sec-Fetch-Site: cross-site", "Referer: https://evil.example/http://localhost/"], 403),
            (["Sec-Fetch-Site: cross-site", "Referer: http://localhost@evil.example/"], 403),
            (["Sec-Fetch-Site: cross-site", "Referer: http://localhost:1@evil.example/"], 403),
            (["Sec-Fetch-Site: cross-site", "Referer: localhost"], 403),
            (["Sec-Fetch-Site: cross-site", "Referer: "], 403),
            (["Forwarded: for=1.2.3.4"], 403), (["X-Forwarded-For: 1.2.3.4"], 403),
        ])
    func pages(headers: [String], status: Int) throws {
        try withServer { server in
            let client = try TestClient(server)
            for method in ["GET", "OPTIONS", "PUT"] {
                let reply = try client.ask(method, "/a.json", headers, body: method == "PUT" ? "1" : nil)
                #expect(reply.status == (status == 200 && method == "OPTIONS" ? 204 : status))
            }
        }
    }

    @Test("can be given to further hosts and origins")
    func allowed() throws {
        try withServer {
            $0.allowedHosts = ["chat.example"]
            $0.allowedOrigins = ["https://app.example"]
        } _: { server in
            let client = try TestClient(server)
            client.send(
                "GET /a.json HTTP/1.1\r\nHost: chat.example:80\r\nOrigin: https://app.example\r\n\r\n")
            #expect(try client.read().status == 200)
        }
    }

    @Test("to the settings needs the administrator's token")
    func administrator() throws {
        try withServer { server in
            let client = try TestClient(server)
            let token = try #require(server.shownToken)
            #expect(token.utf8.count == 43)
            for (headers, query, status) in [
                ([], "", 401), (["Authorization: Bearer \(token)"], "", 200),
                ([], "?access_token=\(token)", 200),
                ([], "?auth=\(token)", 200), (["Authorization: Bearer wrong"], "", 401),
                (["Authorization: Basic x"], "", 401),
                ([], "?access_token=owner", 401),
            ] {
                let reply = try client.ask("GET", "/.settings/namespaces.json\(query)", headers)
                #expect(reply.status == status, "\(headers) \(query)")
                #expect(!reply.body.contains(token))
            }
            let script = try client.ask("GET", "/a.json?callback=f&access_token=\(token)")
            #expect(script.status == 400)
            #expect(try client.ask("GET", "/a.json?callback=f&auth=\(token)").status == 400)
        }
    }

    @Test("by tokens that are none, or that nobody signed, is refused")
    func userTokens() throws {
        let unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."
        try withServer { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/a.json?auth=\(unsigned)").status == 401)
            #expect(try client.ask("GET", "/a.json?auth=nonsense").status == 401)
            #expect(try client.ask("GET", "/a.json?auth=\(unsigned)c2ln").status == 401)
        }
        try withServer {
            $0.isEmulator = true
        } _: { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/a.json?auth=\(unsigned)").status == 200)
            #expect(try client.ask("GET", "/a.json?auth=nonsense").status == 401)
        }
    }

    @Test("of an emulator's administrator is by the word 'owner', and namespaces come by themselves")
    func emulator() throws {
        try withServer {
            $0.isEmulator = true
        } _: { server in
            let client = try TestClient(server)
            #expect(try client.ask("PUT", "/a.json?ns=fresh", body: "1").status == 200)
            #expect(try client.ask("GET", "/a.json?ns=fresh").body == "1")
            #expect(try client.ask("GET", "/a.json?ns=other").body == "null")
            let list = try client.ask("GET", "/.settings/namespaces.json", ["Authorization: Bearer owner"])
            #expect(list.body.contains("\"fresh\":{\"revision\":1"))
        }
    }

    @Test("to the health is everybody's")
    func health() throws {
        try withServer { server in
            let client = try TestClient(server)
            client.send(
                "GET /.health HTTP/1.1\r\nHost: anything.example\r\nOrigin: https://evil.example\r\n\r\n")
            #expect(try client.read().body == #"{"status":"ok"}"#)
        }
    }
}
