// Polls that come again on their connection from where the last answer ended: they are kept in between, and
// nobody must notice.
import HearthServer
import HearthTesting
import Testing

@Suite("A long poll that goes on from its own answer")
struct PollAgainTests {
    private static let kinds = "events=child_added,child_changed,child_removed"

    @Test("is told everything once and in order, whatever comes between its answer and its coming again")
    func everythingOnce() throws {
        try withServer { server in
            let (polling, writer) = (try TestClient(server), try TestClient(server))
            var random = SeededRandom(for: "polls that go on")
            var cursor = try #require(try writer.ask("GET", "/m.json").headers["hearth-cursor"])
            var written: [String] = []
            var told: [String] = []
            func write() throws {
                written.append("a\(1000 + written.count)")
                _ = try writer.ask("PUT", "/m/\(written[written.count - 1]).json", body: "1")
            }
            for _ in 0..<120 {
                // Before it comes: what it misses, what is none of its business, and other requests.
                switch Int.random(in: 0..<6, using: &random) {
                case 0: try write()
                case 1: _ = try writer.ask("PUT", "/n.json", body: "\(written.count)")
                case 2: _ = try polling.ask("GET", "/n.json")
                default: break
                }
                let limit = Int.random(in: 0..<8, using: &random) == 0 ? "&limit=1" : ""
                polling.begin("GET", "/m.json?feed=longpoll&\(Self.kinds)&since=\(cursor)\(limit)")
                if told.count == written.count { try waitForSubscriptions(1, server) }
                for _ in 0..<Int.random(in: 1...3, using: &random) { try write() }
                let reply = try polling.read()
                #expect(reply.status == 200)
                cursor = try #require(reply.headers["hearth-cursor"])
                told += reply.body.split(separator: "\"key\":\"").dropFirst().map { String($0.prefix(5)) }
                #expect(told == Array(written.prefix(told.count)))
            }
            let rest = try polling.ask(
                "GET", "/m.json?feed=longpoll&timeout=0s&\(Self.kinds)&since=\(cursor)")
            told += rest.body.split(separator: "\"key\":\"").dropFirst().map { String($0.prefix(5)) }
            #expect(told == written)
        }
    }

    @Test("waits anew when its time was up, from the same cursor or one that has moved on")
    func timeUp() throws {
        try withServer { server in
            let (polling, writer) = (try TestClient(server), try TestClient(server))
            var cursor = try #require(try writer.ask("GET", "/m.json").headers["hearth-cursor"])
            func poll(_ what: String = "20ms") -> String {
                "/m.json?feed=longpoll&timeout=\(what)&since=\(cursor)"
            }
            for number in 0..<20 {
                let reply = try polling.ask("GET", poll())
                #expect(reply.body.hasSuffix("\"events\":[]}"))
                cursor = try #require(reply.headers["hearth-cursor"])
                if number % 3 == 0 { _ = try writer.ask("PUT", "/n.json", body: "\(number)") }
            }
            polling.begin("GET", poll("30s"))
            try waitForSubscriptions(1, server)
            _ = try writer.ask("PUT", "/m/last.json", body: "1")
            #expect(try polling.read().body.contains("\"key\":\"last\""))
        }
    }

    @Test("counts as waiting only while it waits, and leaves nothing behind when its connection ends")
    func counted() throws {
        try withServer { server in
            let writer = try TestClient(server)
            for _ in 0..<3 {
                let polling = try TestClient(server)
                var cursor = try #require(try writer.ask("GET", "/m.json").headers["hearth-cursor"])
                for number in 0..<4 {
                    polling.begin("GET", "/m.json?feed=longpoll&since=\(cursor)")
                    try waitForSubscriptions(1, server)
                    _ = try writer.ask("POST", "/m.json", body: "\(number)")
                    cursor = try #require(try polling.read().headers["hearth-cursor"])
                    try waitForSubscriptions(0, server)
                }
            }
            _ = try writer.ask("PUT", "/m/after.json", body: "1")
            try waitForSubscriptions(0, server)
        }
    }

    @Test("is judged anew when rules came between, and finds another namespace of the same name")
    func judgedAnew() throws {
        try withServer { server in
            let (polling, writer) = (try TestClient(server), try TestClient(server))
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            #expect(try writer.ask("PUT", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            var cursor = try #require(
                try writer.ask("PUT", "/m/a.json?ns=chat", body: "1").headers["hearth-cursor"])
            var count = 0
            func begin() {
                polling.begin("GET", "/m.json?ns=chat&feed=longpoll&since=\(cursor)")
            }
            func tell(_ headers: [String] = []) throws {
                begin()
                try waitForSubscriptions(1, server)
                count += 1
                _ = try writer.ask("PUT", "/m/b\(count).json?ns=chat", headers, body: "1")
                let reply = try polling.read()
                #expect(reply.body.contains("\"key\":\"b\(count)\""))
                cursor = try #require(reply.headers["hearth-cursor"])
            }
            for _ in 0..<3 { try tell() }
            for (rules, status) in [
                (#"{"rules":{".read":true,".write":true}}"#, 200),
                (#"{"rules":{".read":"root.child('open').val() == true",".write":true}}"#, 401),
            ] {
                _ = try writer.ask("PUT", "/.settings/rules.json?ns=chat", admin, body: rules)
                let reply = try polling.ask("GET", "/m.json?ns=chat&feed=longpoll&timeout=0s&since=\(cursor)")
                #expect(reply.status == status)
                if status == 200 { cursor = try #require(reply.headers["hearth-cursor"]) }
                begin()
                if status == 200 { try waitForSubscriptions(1, server) }
                _ = try writer.ask("PUT", "/m/c.json?ns=chat", body: "\(status)")
                #expect(try polling.read().status == status)
            }
            let opened = try writer.ask("PUT", "/open.json?ns=chat", body: "true")
            cursor = try #require(opened.headers["hearth-cursor"])
            for _ in 0..<3 { try tell() }
            // Data on which the permission rests.
            _ = try writer.ask("PUT", "/open.json?ns=chat", body: "false")
            begin()
            #expect(try polling.read().status == 401)
            let reopened = try writer.ask("PUT", "/open.json?ns=chat", body: "true")
            cursor = try #require(reopened.headers["hearth-cursor"])
            for _ in 0..<3 { try tell() }
            #expect(try writer.ask("DELETE", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            begin()
            #expect(try polling.read().status == 404)
            try waitForSubscriptions(0, server)
        }
    }

    @Test("is told by the hundreds, and others are heard meanwhile")
    func crowd() throws {
        try withServer { server in
            let writer = try TestClient(server)
            var cursor = try #require(try writer.ask("GET", "/m.json").headers["hearth-cursor"])
            let crowd = try (0..<300).map { _ in try TestClient(server) }
            for number in 0..<4 {
                for client in crowd { client.begin("GET", "/m.json?feed=longpoll&since=\(cursor)") }
                try waitForSubscriptions(crowd.count, server)
                let written = try writer.ask("POST", "/m.json", body: "\(number)")
                cursor = try #require(written.headers["hearth-cursor"])
                #expect(try writer.ask("GET", "/.health").status == 200)
                for client in crowd {
                    let reply = try client.read()
                    #expect(reply.headers["hearth-cursor"] == cursor)
                    #expect(reply.body.contains("\"data\":\(number),"))
                }
            }
        }
    }

    @Test("may come behind another one on the same connection, and is answered in its place")
    func pipelined() throws {
        try withServer { server in
            let (polling, writer) = (try TestClient(server), try TestClient(server))
            var cursor = try #require(try writer.ask("GET", "/m.json").headers["hearth-cursor"])
            for number in 0..<12 {
                let count = 1 + number % 3
                for _ in 0..<count { polling.begin("GET", "/m.json?feed=longpoll&since=\(cursor)") }
                try waitForSubscriptions(count, server)
                _ = try writer.ask("POST", "/m.json", body: "\(number)")
                for _ in 0..<count {
                    let reply = try polling.read()
                    #expect(reply.body.contains("\"data\":\(number),"))
                    cursor = try #require(reply.headers["hearth-cursor"])
                }
            }
        }
    }
}
