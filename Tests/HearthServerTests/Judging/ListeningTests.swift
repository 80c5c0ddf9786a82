// Who may what where there are no rules yet, and from where.
import HearthServer
import Testing

@Suite("A database without rules")
struct ListeningTests {

    @Test("is locked where other machines can ask, for all but the administrator")
    func locked() throws {
        let addresses = try SocketAddress.parse("0.0.0.0:0")
        try withJudgedServer(nil, { $0.addresses = addresses }) { judged in
            let client = try judged.client()
            #expect(try client.ask("GET", "/a.json").status == 401)
            #expect(try client.ask("PUT", "/a.json", body: "1").status == 401)
            #expect(try client.ask("GET", "/a.json?feed=longpoll").status == 401)
            #expect(try client.ask("GET", "/a.json", ["Accept: text/event-stream"]).status == 401)
            #expect(try client.ask("GET", "/a.json?auth=\(UserToken.of("ann"))").status == 401)
            #expect(
                try client.ask("GET", "/a.json?auth_variable_override=null", judged.admin).status == 401)
            try judged.put("/a.json", "1")
            try judged.store(#"{"rules":{".read":true}}"#)
            #expect(try client.ask("GET", "/a.json").body == "1")
            client.send("GET /a.json HTTP/1.1\r\nHost: 192.0.2.1\r\nOrigin: https://chat.example\r\n\r\n")
            #expect(try client.read().body == "1")
        }
    }

    @Test("of an emulator is locked there too, and needs a second word to be there at all")
    func emulator() throws {
        let addresses = try SocketAddress.parse("0.0.0.0:0")
        #expect(throws: StartFailure.self) {
            try withJudgedServer(nil, { ($0.isEmulator, $0.addresses) = (true, addresses) }) { _ in }
        }
        try withJudgedServer(
            nil,
            {
                ($0.isEmulator, $0.addresses) = (true, addresses)
                $0.allowsEmulatorBeyondLoopback = true
            }
        ) { judged in
            let client = try judged.client()
            #expect(try client.ask("GET", "/a.json?ns=fresh").status == 401)
            #expect(
                try client.ask("PUT", "/a.json?ns=fresh", ["Authorization: Bearer owner"], body: "1").status
                    == 200)
            client.send("GET /a.json HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n")
            #expect(try client.read().status == 403)
        }
    }

    @Test("is not for others' pages, until it has rules")
    func pages() throws {
        try withJudgedServer(nil) { judged in
            let client = try judged.client()
            let page = ["Origin: https://chat.example"]
            #expect(try client.ask("GET", "/a.json", page).status == 403)
            #expect(try client.ask("OPTIONS", "/a.json", page).status == 403)
            try judged.store(#"{"rules":{"a":{".read":true}}}"#)
            #expect(try client.ask("GET", "/a.json", page).status == 200)
            #expect(try client.ask("OPTIONS", "/a.json", page).status == 204)
            #expect(try client.ask("GET", "/b.json", page).status == 401)
        }
    }
}
