// Server-Sent Events as clients see them: state, changes, resuming, the end.
import HearthServer
import Testing

/// One event of a stream.
struct StreamEvent: Equatable {
    var event = ""
    var data = ""
    var id: String?
}

extension TestClient {
    /// Opens a stream and reads its head and its first line.
    func openStream(_ target: String, _ headers: [String] = []) throws {
        begin("GET", target, ["Accept: text/event-stream"] + headers)
        let head = try readHead()
        #expect(head.status == 200)
        #expect(head.headers["content-type"] == "text/event-stream; charset=utf-8")
        #expect(try readLine() == "retry: 1000")
    }

    /// Reads the next event.
    func readEvent() throws -> StreamEvent {
        var event = StreamEvent()
        while case let line = try readLine(), !line.isEmpty {
            let value = String(line[(line.firstIndex(of: ":") ?? line.startIndex)...].dropFirst(2))
            if line.hasPrefix("event:") { event.event = value }
            if line.hasPrefix("data:") { event.data = value }
            if line.hasPrefix("id:") { event.id = value }
        }
        return event
    }
}

@Suite("An event stream")
struct StreamTests {
    @Test("begins with the state and goes on with every write, each with its cursor")
    func changes() throws {
        try withServer { server in
            let stream = try TestClient(server)
            let writer = try TestClient(server)
            _ = try writer.ask("PUT", "/rooms/lobby.json", body: #"{"topic":"hello"}"#)
            try stream.openStream("/rooms/lobby.json")
            let first = try stream.readEvent()
            #expect(first.event == "put")
            #expect(first.data == #"{"path":"/","data":{"topic":"hello"}}"#)
            let put = try writer.ask("PUT", "/rooms/lobby/topic.json", body: "\"bye\"")
            let second = try stream.readEvent()
            #expect(second.data == #"{"path":"/topic","data":"bye"}"#)
            #expect(second.id == put.headers["hearth-cursor"])
            _ = try writer.ask("PATCH", "/rooms/lobby.json", body: #"{"a":1,"b":null}"#)
            #expect(
                try stream.readEvent()
                    == StreamEvent(
                        event: "patch", data: #"{"path":"/","data":{"a":1,"b":null}}"#,
                        id: second.id?.replacing("-2", with: "-3")))
            _ = try writer.ask("PUT", "/rooms/other.json", body: "1")
            _ = try writer.ask("DELETE", "/rooms.json")
            #expect(try stream.readEvent().data == #"{"path":"/","data":null}"#)
        }
    }

    @Test("has no event without data at its beginning: some clients fail on one")
    func beginning() throws {
        try withServer { server in
            let stream = try TestClient(server)
            stream.begin("GET", "/rooms/lobby.json", ["Accept: text/event-stream"])
            _ = try stream.readHead()
            let lines = try (0..<5).map { _ in try stream.readLine() }
            #expect(lines[0] == "retry: 1000")
            #expect(lines[1] == "event: put")
            #expect(lines[2].hasPrefix("id: ") && lines[3].hasPrefix("data: "))
            #expect(lines[4] == "")
        }
    }

    @Test("that comes back with its last cursor gets what it missed", arguments: [true, false])
    func resumes(byHeader: Bool) throws {
        try withServer { server in
            let writer = try TestClient(server)
            let cursor = try #require(try writer.ask("PUT", "/a/x.json", body: "1").headers["hearth-cursor"])
            _ = try writer.ask("PUT", "/a/y.json", body: "2")
            _ = try writer.ask("PUT", "/b.json", body: "3")
            _ = try writer.ask("PUT", "/a/x.json", body: "4")
            let stream = try TestClient(server)
            if byHeader {
                try stream.openStream("/a.json", ["Last-Event-ID: \(cursor)"])
            } else {
                try stream.openStream("/a.json?since=\(cursor)")
            }
            #expect(try stream.readEvent().data == #"{"path":"/y","data":2}"#)
            #expect(try stream.readEvent().data == #"{"path":"/x","data":4}"#)
            _ = try writer.ask("PUT", "/a/z.json", body: "5")
            #expect(try stream.readEvent().data == #"{"path":"/z","data":5}"#)
        }
    }

    @Test("that was away too long gets the whole value")
    func resync() throws {
        try withServer { server in
            let writer = try TestClient(server)
            _ = try writer.ask("PUT", "/a.json", body: #"{"x":1}"#)
            let stream = try TestClient(server)
            try stream.openStream("/a.json?since=another-1")
            #expect(try stream.readEvent().data == #"{"path":"/","data":{"x":1}}"#)
            let events = try TestClient(server)
            try events.openStream("/a.json?since=another-1&events=child_added")
            #expect(try events.readEvent().event == "resync")
            #expect(try events.readEvent().event == "child_added")
        }
    }

    @Test("of child events tells the children, then what happens to them")
    func childEvents() throws {
        try withServer { server in
            let writer = try TestClient(server)
            _ = try writer.ask("PUT", "/m.json", body: #"{"a":1}"#)
            let stream = try TestClient(server)
            try stream.openStream("/m.json?events=child_added,child_removed")
            #expect(
                try stream.readEvent().data.hasPrefix(#"{"event":"child_added","key":"a","previous":null"#))
            _ = try writer.ask("PUT", "/m/a.json", body: "2")
            _ = try writer.ask("PATCH", "/m.json", body: #"{"a":null,"b":3}"#)
            #expect(try stream.readEvent().event == "child_removed")
            let added = try stream.readEvent()
            #expect(added.event == "child_added")
            #expect(added.data.hasPrefix(#"{"event":"child_added","key":"b","previous":null,"data":3"#))
        }
    }

    @Test("that is cut between the children of its beginning, or the events of a write, gets the rest")
    func cutBetween() throws {
        try withServer { server in
            let writer = try TestClient(server)
            _ = try writer.ask("PUT", "/m.json", body: #"{"a":1,"b":2,"c":3}"#)
            var id: String?
            func hear(_ count: Int) throws -> [String] {
                let stream = try TestClient(server)
                let kinds = "child_added,child_changed,child_removed"
                try stream.openStream("/m.json?events=\(kinds)", id.map { ["Last-Event-ID: \($0)"] } ?? [])
                return try (0..<count).map { _ in
                    let event = try stream.readEvent()
                    id = event.id
                    let key = event.data.firstMatch(of: /"key":"([a-z])"/)?.output.1 ?? "?"
                    return "\(event.event) \(key)"
                }
            }
            #expect(try hear(1) == ["child_added a"])
            _ = try writer.ask("PUT", "/m/b.json", body: "20")
            #expect(try hear(1) == ["child_added b"])
            #expect(try hear(2) == ["child_added c", "child_changed b"])
            _ = try writer.ask("PATCH", "/m.json", body: #"{"a":null,"b":21,"d":4}"#)
            for event in ["child_removed a", "child_added d", "child_changed b"] {
                #expect(try hear(1) == [event])
            }
            let last = try #require(id.flatMap { $0.split(separator: "-").last })
            #expect(last == "3", "the last event of a write has its cursor")
        }
    }

    @Test("gives a sign of life with a cursor that moves on")
    func keepAlive() throws {
        try withServer {
            $0.timeouts.keepAlive = .milliseconds(50)
        } _: { server in
            let stream = try TestClient(server)
            try stream.openStream("/a.json")
            _ = try stream.readEvent()
            let cursor = try TestClient(server).ask("PUT", "/b.json", body: "1").headers["hearth-cursor"]
            var event = try stream.readEvent()
            for _ in 0..<20 where event.id != cursor { event = try stream.readEvent() }
            #expect(event == StreamEvent(event: "keep-alive", data: "null", id: cursor))
        }
    }

    @Test("begins with a value of any size and loses nothing that is written meanwhile")
    func large() throws {
        try withServer { server in
            let writer = try TestClient(server)
            let members = (0..<5_000).map { "\"k\($0 + 100_000)\":\"value number \($0)\"" }
            let text = "{" + members.joined(separator: ",") + "}"
            _ = try writer.ask("PUT", "/a.json", body: text)
            let stream = try TestClient(server)
            try stream.openStream("/a.json")
            for number in 0..<20 { _ = try writer.ask("PUT", "/a/n.json", body: "\(number)") }
            #expect(try stream.readEvent().data == "{\"path\":\"/\",\"data\":\(text)}")
            for number in 0..<20 {
                let event = try stream.readEvent()
                #expect(event.data == "{\"path\":\"/n\",\"data\":\(number)}")
            }
        }
    }

    @Test("is cut when its reader is too slow, and others go on")
    func slowReader() throws {
        try withServer {
            $0.limits.streamBacklogBytes = 1 << 20
        } _: { server in
            let slow = try TestClient(server)
            let quick = try TestClient(server)
            try slow.openStream("/a.json")
            try quick.openStream("/a.json")
            _ = try quick.readEvent()
            let writer = try TestClient(server)
            let long = String(repeating: "x", count: 100_000)
            for number in 0..<200 {
                _ = try writer.ask("PUT", "/a.json", body: "\"\(number)\(long)\"")
                #expect(try quick.readEvent().data.count > 100_000, "\(number)")
            }
            try waitForSubscriptions(1, server)
        }
    }

    @Test("ends when the server stops, and its connection is closed when its client goes")
    func ends() throws {
        try withServer { server in
            let stream = try TestClient(server)
            try stream.openStream("/a.json")
            _ = try stream.readEvent()
            do {
                let leaving = try TestClient(server)
                try leaving.openStream("/a.json")
                try waitForSubscriptions(2, server)
            }
            try waitForSubscriptions(1, server)
            server.stop()
            #expect(stream.readToEnd() == "")
        }
    }
}
