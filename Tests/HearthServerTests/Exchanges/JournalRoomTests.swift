// Writes come faster than segments are made, or are larger than one: the disk has space, so none is refused.
import HearthServer
import Testing

@Suite("Room in the journal")
struct JournalRoomTests {
    private func change(_ directory: TemporaryDirectory) -> (inout Configuration) -> Void {
        { configuration in
            configuration.storage = .directory(directory.path)
            configuration.segmentBytes = 64 << 10
            configuration.checkpointBytes = 256 << 10
        }
    }

    @Test("is made while writes wait for it, in the order of each connection")
    func burst() throws {
        let directory = TemporaryDirectory()
        let text = String(repeating: "x", count: 10_000)
        try withServer(change(directory)) { server in
            let clients = try (0..<8).map { _ in try TestClient(server) }
            for number in 0..<20 {
                for (index, client) in clients.enumerated() {
                    client.begin("PUT", "/c\(index)/last.json?print=silent", body: "\(number)")
                    client.begin("PUT", "/c\(index)/n\(number).json?print=silent", body: "\"\(text)\"")
                    client.begin("GET", "/c\(index)/last.json")
                }
            }
            for number in 0..<20 {
                for client in clients {
                    #expect(try client.read().status == 204)
                    #expect(try client.read().status == 204)
                    #expect(try client.read().body == "\(number)")
                }
            }
        }
        try withServer(change(directory)) { server in
            let client = try TestClient(server)
            for index in 0..<8 {
                let value = try client.ask("GET", "/c\(index).json?shallow=true").body
                #expect(value.split(separator: ",").count == 21)
                #expect(try client.ask("GET", "/c\(index)/n19.json").body == "\"\(text)\"")
            }
        }
    }

    @Test("is made for a write that is larger than a segment")
    func large() throws {
        let directory = TemporaryDirectory()
        let text = String(repeating: "x", count: 150_000)
        try withServer(change(directory)) { server in
            let client = try TestClient(server)
            for number in 0..<3 {
                let body = "{\"a/\(number)\":\"\(text)\",\"b\":\(number)}"
                let reply = try client.ask("PATCH", "/rooms.json?print=silent", body: body)
                #expect(reply.status == 204, "\(reply)")
            }
            #expect(try client.ask("GET", "/rooms/b.json").body == "2")
        }
        try withServer(change(directory)) { server in
            let reply = try TestClient(server).ask("GET", "/rooms/a/2.json")
            #expect(reply.body == "\"\(text)\"")
        }
    }
}
