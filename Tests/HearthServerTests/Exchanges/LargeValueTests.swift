// Values that are too large to be dealt with in one go: read, written and held within bounds.
import HearthServer
import Testing

@Suite("A large value")
struct LargeValueTests {
    /// A server that takes everything above 64 KB for large.
    private func withLargeServer(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (Server) throws -> Void
    ) throws {
        try withServer(
            {
                $0.limits.inlineBytes = 64 << 10
                change(&$0)
            }, body)
    }

    /// Some `count` messages, about 60 bytes each.
    private func messages(_ count: Int) -> String {
        messages(0..<count)
    }

    private func messages(_ numbers: Range<Int>) -> String {
        let members = numbers.map { index in
            "\"m\(String(index + 1_000_000))\":{\"from\":\"ann\",\"text\":\"message number \(index)\"}"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test("is written and read back whole, in chunks", arguments: [false, true])
    func roundTrip(hasFiles: Bool) throws {
        let directory = TemporaryDirectory()
        let text = messages(4_000)
        try withLargeServer {
            if hasFiles { $0.storage = .directory(directory.path) }
        } _: { server in
            let client = try TestClient(server)
            let put = try client.ask("PUT", "/rooms.json", body: text)
            #expect(put.status == 200)
            #expect(put.body == text)
            let read = try client.ask("GET", "/rooms.json")
            #expect(read.headers["transfer-encoding"] == "chunked")
            #expect(read.body == text)
            #expect(try client.ask("GET", "/rooms/m1000000/from.json").body == "\"ann\"")
            // To a client that knows no chunks the end of the connection is the end of the value.
            let old = try TestClient(server)
            old.send("GET /rooms.json HTTP/1.0\r\n\r\n")
            #expect(try old.read().body == text)
        }
        guard hasFiles else { return }
        try withLargeServer {
            $0.storage = .directory(directory.path)
        } _: { server in
            let reply = try TestClient(server).ask("GET", "/rooms.json")
            #expect(reply.body == text)
        }
    }

    @Test(
        "is read in part: as much of it as is asked for, in chunks if that is much",
        arguments: [
            ("limitToFirst=1", 0..<1), ("limitToLast=1", 3_999..<4_000), ("limitToLast=100", 3_900..<4_000),
            ("limitToFirst=33", 0..<33), ("limitToLast=3000", 1_000..<4_000),
            ("limitToFirst=9999", 0..<4_000),
            ("startAt=%22m1000100%22&endAt=%22m1000163%22", 100..<164),
            ("startAfter=%22m1000100%22&endBefore=%22m1003163%22", 101..<3_163),
            ("equalTo=%22m1002000%22", 2_000..<2_001), ("equalTo=%22m1002000x%22", 0..<0),
            ("startAt=%22m1000163%22&endAt=%22m1000100%22", 0..<0), ("startAt=%22n%22&limitToLast=2", 0..<0),
            ("endAt=%22m1000009%22&limitToLast=3", 7..<10),
            ("startAt=%22m1003990%22&limitToFirst=99", 3_990..<4_000),
        ])
    func windows(query: String, part: Range<Int>) throws {
        try withLargeServer { server in
            let client = try TestClient(server)
            #expect(try client.ask("PUT", "/rooms.json", body: messages(4_000)).status == 200)
            let target = "/rooms.json?orderBy=%22$key%22&\(query)"
            let text = messages(part)
            let read = try client.ask("GET", target)
            #expect(read.status == 200 && read.body == text)
            #expect(read.headers["transfer-encoding"] == (text.utf8.count > 64 << 10 ? "chunked" : nil))
            let old = try TestClient(server)
            old.send("GET \(target) HTTP/1.0\r\n\r\n")
            #expect(try old.read().body == text)
            #expect(try client.ask("GET", "\(target)&callback=f").body == "/**/f(\(text));")
            #expect(try client.ask("GET", "\(target)&print=silent").status == 204)
            let late = try client.ask("GET", "\(target)&timeout=10min")
            #expect(late.status == 200 && late.body == text)
        }
    }

    @Test("is read from one state while it is written over")
    func oneState() throws {
        let text = messages(3_000)
        try withLargeServer { server in
            let client = try TestClient(server)
            _ = try client.ask("PUT", "/rooms.json", body: text)
            client.begin("GET", "/rooms.json")
            let other = try TestClient(server)
            let head = try client.readHead()
            #expect(head.status == 200)
            for number in 0..<50 {
                #expect(try other.ask("PUT", "/rooms/m1002999.json", body: "\(number)").status == 200)
            }
            #expect(try other.ask("DELETE", "/rooms.json").status == 200)
            var body: [UInt8] = []
            while let chunk = try client.readChunk() { body += chunk }
            #expect(String(decoding: body, as: UTF8.self) == text)
            #expect(try client.ask("GET", "/rooms.json").body == "null")
        }
    }

    @Test("keeps its place among the requests of its connection")
    func order() throws {
        let text = messages(4_000)
        try withLargeServer { server in
            let client = try TestClient(server)
            client.begin("PUT", "/a.json", body: "1")
            client.begin("PUT", "/a.json", body: text)
            client.begin("GET", "/a/m1000001/from.json")
            client.begin("PUT", "/a.json", body: "2")
            client.begin("GET", "/a.json")
            #expect(try client.read().body == "1")
            #expect(try client.read().body == text)
            #expect(try client.read().body == "\"ann\"")
            #expect(try client.read().body == "2")
            #expect(try client.read().body == "2")
        }
    }

    @Test("is refused when all bodies together would take too much, and others are served on")
    func budget() throws {
        try withLargeServer {
            $0.limits.bufferedBodyBytes = 100_000
        } _: { server in
            let client = try TestClient(server)
            client.begin("PUT", "/a.json", body: messages(4_000))
            #expect(try client.read().status == 503)
            let other = try TestClient(server)
            #expect(try other.ask("PUT", "/b.json", body: messages(1_000)).status == 200)
            #expect(try other.ask("GET", "/a.json").body == "null")
        }
    }

    @Test("that is cut off on its way is not written")
    func cutOff() throws {
        try withLargeServer { server in
            let text = messages(4_000)
            do {
                let client = try TestClient(server)
                client.begin("PUT", "/a.json", ["Content-Length: \(text.utf8.count)"])
                client.send(String(text.dropLast(10)))
            }
            #expect(try TestClient(server).ask("GET", "/a.json").body == "null")
        }
    }

    @Test("may have server values, which are filled in")
    func serverValues() throws {
        try withLargeServer { server in
            let client = try TestClient(server)
            let text = messages(4_000).dropLast() + ",\"n\":{\".sv\":{\"increment\":5}}}"
            #expect(try client.ask("PUT", "/a.json", body: String(text)).status == 200)
            #expect(try client.ask("GET", "/a/n.json").body == "5")
        }
    }
}
