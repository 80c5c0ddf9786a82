// What was acknowledged is there after a stop, and cursors go on.
import HearthServer
import Testing

@Suite("A server with files")
struct DurabilityTests {
    @Test("finds everything again, with rules, namespaces and cursors")
    func restart() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
        }
        var cursor = ""
        try withServer(change) { server in
            let client = try TestClient(server)
            let admin = [
                "Authorization: Bearer \(try directory.text(of: "admin-token").filter { $0 != "\n" })"
            ]
            cursor = try #require(try client.ask("PUT", "/rooms/a.json", body: "1").headers["hearth-cursor"])
            _ = try client.ask("PATCH", "/rooms.json", body: #"{"b":2,"c":3}"#)
            _ = try client.ask("PUT", "/x.json?ns=chat", admin, body: "4")
            _ = try client.ask("PUT", "/.settings/rules.json", admin, body: #"{"rules":{".read":true}}"#)
        }
        for _ in 0..<2 {
            try withServer(change) { server in
                let client = try TestClient(server)
                let admin = [
                    "Authorization: Bearer \(try directory.text(of: "admin-token").filter { $0 != "\n" })"
                ]
                #expect(try client.ask("GET", "/rooms.json").body == #"{"a":1,"b":2,"c":3}"#)
                #expect(try client.ask("GET", "/x.json?ns=chat").body == "4")
                let rules = try client.ask("GET", "/.settings/rules.json", admin)
                #expect(rules.body == #"{"rules":{".read":true}}"#)
                let missed = try client.ask("GET", "/rooms.json?feed=longpoll&since=\(cursor)&timeout=0s")
                #expect(missed.status == 200)
            }
        }
    }

    @Test("tells a poll with a cursor of before exactly what it missed")
    func resume() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
        }
        var cursor = ""
        try withServer(change) { server in
            let client = try TestClient(server)
            cursor = try #require(try client.ask("PUT", "/rooms/a.json", body: "1").headers["hearth-cursor"])
            _ = try client.ask("PUT", "/rooms/b.json", body: "2")
            _ = try client.ask("PUT", "/elsewhere.json", body: "3")
            _ = try client.ask("PUT", "/rooms/c.json", body: "4")
        }
        try withServer(change) { server in
            let client = try TestClient(server)
            let poll = try client.ask("GET", "/rooms.json?feed=longpoll&since=\(cursor)")
            #expect(!poll.body.contains("resync"))
            #expect(poll.body.contains(#""event":"child_added","key":"b","previous":"a","data":2"#))
            #expect(poll.body.contains(#""event":"child_added","key":"c","previous":"b","data":4"#))
            #expect(!poll.body.contains(#""key":"a""#))
        }
    }

    @Test("makes a private token once and keeps it")
    func token() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
        }
        try withServer(change) { server in
            #expect(server.shownToken == nil)
            #expect(server.tokenFile == directory.path + "/admin-token")
        }
        let token = try directory.text(of: "admin-token")
        #expect(token.utf8.count == 44)
        try withServer(change) { _ in }
        #expect(try directory.text(of: "admin-token") == token)
    }

    @Test("lets no second one in, and opens again after the first")
    func lock() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
        }
        try withServer(change) { _ in
            #expect(throws: StartFailure.self) { try withServer(change) { _ in } }
        }
        try withServer(change) { server in
            let reply = try TestClient(server).ask("GET", "/.health")
            #expect(reply.status == 200)
        }
    }

    @Test("answers a write only when it is on the disk, however many there are")
    func manyWriters() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
        }
        try withServer(change) { server in
            let clients = try (0..<16).map { _ in try TestClient(server) }
            for round in 0..<20 {
                for (index, client) in clients.enumerated() {
                    client.begin("PUT", "/r\(round)/c\(index).json", body: "\(round * 100 + index)")
                }
                for (index, client) in clients.enumerated() {
                    #expect(try client.read().body == "\(round * 100 + index)")
                }
            }
        }
        try withServer(change) { server in
            let client = try TestClient(server)
            for round in 0..<20 {
                #expect(try client.ask("GET", "/r\(round)/c15.json").body == "\(round * 100 + 15)")
            }
            #expect(try client.ask("GET", "/.json?shallow=true").body.split(separator: ",").count == 20)
        }
    }

    @Test("syncs now and then if it is told to")
    func interval() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
            configuration.durability = .interval(.milliseconds(5))
        }
        try withServer(change) { server in
            let reply = try TestClient(server).ask("PUT", "/a.json", body: "1")
            #expect(reply.status == 200)
        }
        try withServer(change) { server in
            let reply = try TestClient(server).ask("GET", "/a.json")
            #expect(reply.body == "1")
        }
    }
}
