// Long polls as clients see them: at once, later, never, again.
import HearthServer
import HearthTesting
import Testing

@Suite("A long poll")
struct PollTests {
    @Test("without a cursor tells what is there, at once")
    func present() throws {
        try withServer { server in
            let client = try TestClient(server)
            _ = try client.ask("PUT", "/m.json", body: #"{"a":1,"b":{"x":2}}"#)
            let poll = try client.ask("GET", "/m.json?feed=longpoll")
            let cursor = try #require(poll.headers["hearth-cursor"])
            #expect(
                poll.body == """
                    {"cursor":"\(cursor)","events":[\
                    {"event":"child_added","key":"a","previous":null,"data":1,"cursor":"\(cursor)"},\
                    {"event":"child_added","key":"b","previous":"a","data":{"x":2},"cursor":"\(cursor)"}]}
                    """)
            let value = try client.ask("GET", "/m.json?feed=longpoll&events=value")
            #expect(value.body.contains(#"[{"event":"value","data":{"a":1,"b":{"x":2}},"cursor":"#))
            let alone = try client.ask("GET", "/m.json?feed=longpoll&timeout=0s&limit=0")
            #expect(alone.body == "{\"cursor\":\"\(cursor)\",\"events\":[]}")
            #expect(
                try client.ask("GET", "/n.json?feed=longpoll").body
                    == "{\"cursor\":\"\(cursor)\",\"events\":[]}")
        }
    }

    @Test("with a cursor tells what was missed, write by write")
    func missed() throws {
        try withServer { server in
            let client = try TestClient(server)
            let cursor = try #require(try client.ask("GET", "/m.json").headers["hearth-cursor"])
            _ = try client.ask("PUT", "/m/a.json", body: "1")
            _ = try client.ask("PUT", "/m/a.json", body: "2")
            _ = try client.ask("DELETE", "/m/a.json")
            let events = "events=child_added,child_changed,child_removed"
            let poll = try client.ask("GET", "/m.json?feed=longpoll&\(events)&since=\(cursor)")
            let epoch = cursor.dropLast(2)
            #expect(
                poll.body == """
                    {"cursor":"\(epoch)-3","events":[\
                    {"event":"child_added","key":"a","previous":null,"data":1,"cursor":"\(epoch)-1"},\
                    {"event":"child_changed","key":"a","previous":null,"data":2,"cursor":"\(epoch)-2"},\
                    {"event":"child_removed","key":"a","previous":null,"data":2,"cursor":"\(epoch)-3"}]}
                    """)
            let limited = try client.ask("GET", "/m.json?feed=longpoll&\(events)&since=\(cursor)&limit=2")
            #expect(limited.headers["hearth-cursor"] == "\(epoch)-2")
        }
    }

    @Test("that comes again from another cursor is answered as one that comes for the first time")
    func again() throws {
        try withServer { server in
            let client = try TestClient(server)
            let start = try #require(try client.ask("GET", "/m.json").headers["hearth-cursor"])
            let epoch = start.dropLast(2)
            for number in 1...12 { _ = try client.ask("PUT", "/m/a\(number).json", body: "\(number)") }
            let polling = try TestClient(server)
            var random = SeededRandom(for: "polls again")
            let sinces =
                (0...12).map { "\(epoch)-\($0)" } + ["now", "x\(epoch.dropFirst())-3", "\(epoch)-3.e1"]
                + [
                    "\(epoch)-3.x1", "\(epoch)--3", "\(epoch)-x", "", "\(epoch)%2D3",
                    "\(epoch)-3&since=\(epoch)-4",
                ]
            for _ in 0..<200 {
                let since = try #require(sinces.randomElement(using: &random))
                let more = try #require(
                    ["", "&limit=1", "&limit=0", "&print=pretty"].randomElement(using: &random))
                let target = "/m.json?feed=longpoll&timeout=0s&since=\(since)\(more)"
                let reply = try polling.ask("GET", target)
                let fresh = try TestClient(server).ask("GET", target)
                #expect(reply.status == fresh.status && reply.body == fresh.body, "\(target)")
                #expect(reply.headers["hearth-cursor"] == fresh.headers["hearth-cursor"], "\(target)")
            }
        }
    }

    @Test("from a known cursor on is judged anew, and by the namespace that is there")
    func judgedAgain() throws {
        try withServer { server in
            let (client, other) = (try TestClient(server), try TestClient(server))
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            #expect(try other.ask("PUT", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            let written = try other.ask("PUT", "/m/a.json?ns=chat", body: "1")
            let cursor = try #require(written.headers["hearth-cursor"])
            func status(_ revision: Int) throws -> Int {
                let since = "\(cursor.dropLast(1))\(revision)"
                return try client.ask("GET", "/m.json?ns=chat&feed=longpoll&timeout=0s&since=\(since)").status
            }
            #expect(try [status(1), status(0), status(1)] == [200, 200, 200])
            let rules = #"{"rules":{".read":"auth != null",".write":true}}"#
            #expect(try other.ask("PUT", "/.settings/rules.json?ns=chat", admin, body: rules).status == 200)
            #expect(try [status(0), status(1), status(1)] == [401, 401, 401])
            #expect(try other.ask("DELETE", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            #expect(try [status(0), status(1), status(1)] == [404, 404, 404])
        }
    }

    @Test("waits for the first event of the kinds that it asks for")
    func waits() throws {
        try withServer { server in
            let waiting = try TestClient(server)
            let writer = try TestClient(server)
            let cursor = try #require(try writer.ask("PUT", "/m/a.json", body: "1").headers["hearth-cursor"])
            waiting.begin("GET", "/m.json?feed=longpoll&events=child_removed&since=\(cursor)")
            try waitForSubscriptions(1, server)
            _ = try writer.ask("PUT", "/m/b.json", body: "2")
            _ = try writer.ask("PUT", "/other.json", body: "2")
            _ = try writer.ask("DELETE", "/m/a.json")
            let poll = try waiting.read()
            #expect(poll.body.contains(#""event":"child_removed","key":"a","previous":null,"data":1"#))
            #expect(!poll.body.contains("\"b\""))
            try waitForSubscriptions(0, server)
        }
    }

    @Test("ends without events at its time, with a cursor that has moved on")
    func timeout() throws {
        try withServer { server in
            let client = try TestClient(server)
            let writer = try TestClient(server)
            let cursor = try #require(try client.ask("GET", "/m.json").headers["hearth-cursor"])
            client.begin("GET", "/m.json?feed=longpoll&since=\(cursor)&timeout=200ms")
            try waitForSubscriptions(1, server)
            let later = try #require(try writer.ask("PUT", "/other.json", body: "1").headers["hearth-cursor"])
            #expect(try client.read().body == "{\"cursor\":\"\(later)\",\"events\":[]}")
            let none = try client.ask("GET", "/m.json?feed=longpoll&since=\(later)&timeout=0s")
            #expect(none.body == "{\"cursor\":\"\(later)\",\"events\":[]}")
        }
    }

    @Test("is answered for every one of many, each on its own connection")
    func many() throws {
        try withServer { server in
            let writer = try TestClient(server)
            let cursor = try #require(try writer.ask("GET", "/m.json").headers["hearth-cursor"])
            let clients = try (0..<200).map { _ in try TestClient(server) }
            for client in clients { client.begin("GET", "/m.json?feed=longpoll&since=\(cursor)") }
            try waitForSubscriptions(200, server)
            _ = try writer.ask("PUT", "/m/a.json", body: "\"for all\"")
            for client in clients { #expect(try client.read().body.contains("\"for all\"")) }
            try waitForSubscriptions(0, server)
        }
    }

    @Test("of a client that goes away is forgotten")
    func goesAway() throws {
        try withServer { server in
            do {
                let client = try TestClient(server)
                client.begin("GET", "/m.json?feed=longpoll&since=now")
                try waitForSubscriptions(1, server)
            }
            try waitForSubscriptions(0, server)
        }
    }

    @Test("keeps its place among the requests of its connection")
    func pipelined() throws {
        try withServer { server in
            let client = try TestClient(server)
            client.begin("GET", "/m.json?feed=longpoll&since=now")
            client.begin("GET", "/.health")
            client.begin("PUT", "/m/a.json", body: "1")
            #expect(try client.read().body.contains("child_added"))
            #expect(try client.read().body == #"{"status":"ok"}"#)
            #expect(try client.read().body == "1")
        }
    }

    @Test("is told to come back when the server stops")
    func stop() throws {
        try withServer { server in
            let client = try TestClient(server)
            client.begin("GET", "/m.json?feed=longpoll&since=now")
            try waitForSubscriptions(1, server)
            server.stop()
            let reply = try client.read()
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] != nil)
            #expect(client.readToEnd() == "")
        }
    }

    @Test(
        "with a cursor that is too old, or of another history, gets everything anew",
        arguments: [
            "another-1", "%-99",
        ])
    func resync(cursor: String) throws {
        try withServer { server in
            let client = try TestClient(server)
            let now = try #require(try client.ask("PUT", "/m/a.json", body: "1").headers["hearth-cursor"])
            let epoch = String(now.prefix { $0 != "-" })
            let since = cursor.replacing("%", with: epoch)
            let poll = try client.ask("GET", "/m.json?feed=longpoll&since=\(since)")
            #expect(
                poll.body.hasPrefix(
                    "{\"cursor\":\"\(now)\",\"resync\":true,\"events\":[{\"event\":\"child_added\""))
            #expect(try client.ask("GET", "/m.json?feed=longpoll&since=nonsense").status == 400)
        }
    }

    @Test("follows a window of a query")
    func window() throws {
        try withServer { server in
            let client = try TestClient(server)
            let cursor = try #require(
                try client.ask("PUT", "/m.json", body: #"{"a":1,"b":2,"c":3}"#).headers["hearth-cursor"])
            let query = "orderBy=%22%24key%22&limitToLast=2"
            let present = try client.ask("GET", "/m.json?feed=longpoll&\(query)")
            #expect(present.body.contains("\"b\"") && present.body.contains("\"c\""))
            #expect(!present.body.contains("\"a\""))
            _ = try client.ask("PUT", "/m/d.json", body: "4")
            let kinds = "events=child_added,child_removed"
            let poll = try client.ask("GET", "/m.json?feed=longpoll&\(query)&\(kinds)&since=\(cursor)")
            #expect(poll.body.contains(#""event":"child_removed","key":"b""#))
            #expect(poll.body.contains(#""event":"child_added","key":"d","previous":"c""#))
        }
    }
}

/// Waits until so many subscriptions are entered, by asking the server, a bounded number of times.
func waitForSubscriptions(_ count: Int, _ server: Server) throws {
    let client = try TestClient(server)
    let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
    for _ in 0..<20_000 {
        let text = try client.ask("GET", "/.inspect", admin).body
        if text.contains("\"subscriptions\":\(count),") { return }
    }
    Issue.record("there were never \(count) subscriptions")
}
