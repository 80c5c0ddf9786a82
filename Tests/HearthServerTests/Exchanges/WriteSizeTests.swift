// Writes whose clients say how much they may change. The limits are made small: 1,000 bytes are a second.
import HearthServer
import Testing

@Suite("A write with a size limit")
struct WriteSizeTests {
    private func withSlowServer(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestClient) throws -> Void
    ) throws {
        try withServer {
            $0.limits.writeBytesPerSecond = 1_000
            change(&$0)
        } _: { server in
            try body(try TestClient(server))
        }
    }

    private func text(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }

    @Test(
        "is refused beyond the estimated seconds, and done within them",
        arguments: [("tiny", 1), ("small", 10), ("medium", 30), ("large", 60)])
    func written(limit: String, seconds: Int) throws {
        try withSlowServer { (client) throws in
            for method in ["PUT", "POST", "PATCH"] {
                let target = "/rooms/lobby.json?writeSizeLimit=\(limit)"
                let (large, small) = (text(seconds * 1_000 + 100), text(seconds * 1_000 - 200))
                let isUpdate = method == "PATCH"
                let refused = try client.ask(
                    method, target, body: isUpdate ? "{\"topic\":\(large)}" : large)
                #expect(refused.status == 400)
                #expect(refused.body.contains("exceeds the maximum size"), "\(refused.body)")
                #expect(refused.body.contains("writeSizeLimit=\(limit)"))
                #expect(try client.ask("GET", "/.json").body == "null")
                let done = try client.ask(method, target, body: isUpdate ? "{\"topic\":\(small)}" : small)
                #expect(done.status == 200, "\(method) \(done)")
                #expect(try client.ask("DELETE", "/.json").status == 200)
            }
        }
    }

    @Test("counts what it removes")
    func removed() throws {
        try withSlowServer { (client) throws in
            let value = "{\"a\":\(text(700)),\"b\":\(text(700))}"
            #expect(try client.ask("PUT", "/rooms.json", body: value).status == 200)
            let before = try client.ask("GET", "/rooms.json").headers["hearth-cursor"]
            let tiny = "?writeSizeLimit=tiny"
            #expect(try client.ask("DELETE", "/rooms.json\(tiny)").status == 400)
            #expect(try client.ask("PUT", "/rooms.json\(tiny)", body: "1").status == 400)
            #expect(try client.ask("PATCH", "/.json\(tiny)", body: #"{"rooms":null}"#).status == 400)
            #expect(
                try client.ask("PATCH", "/rooms.json\(tiny)", body: #"{"a":null,"b":null}"#).status == 400)
            #expect(try client.ask("PUT", "/rooms/a.json\(tiny)", body: text(700)).status == 400)
            #expect(try client.ask("GET", "/rooms.json").body == value)
            #expect(try client.ask("GET", "/rooms.json").headers["hearth-cursor"] == before)
            // What stands beside it does not count.
            #expect(try client.ask("POST", "/rooms.json\(tiny)", body: "1").status == 200)
            #expect(try client.ask("PUT", "/rooms/c.json\(tiny)", body: "1").status == 200)
            #expect(try client.ask("PUT", "/rooms/a/.priority.json\(tiny)", body: "1").status == 200)
            #expect(try client.ask("DELETE", "/rooms/a.json\(tiny)").status == 200)
            #expect(try client.ask("DELETE", "/rooms.json?writeSizeLimit=small").status == 200)
        }
    }

    @Test("is never refused without one or with 'unlimited'", arguments: ["", "?writeSizeLimit=unlimited"])
    func unlimited(query: String) throws {
        try withSlowServer { (client) throws in
            #expect(try client.ask("PUT", "/rooms.json\(query)", body: text(100_000)).status == 200)
            #expect(try client.ask("DELETE", "/rooms.json\(query)").status == 200)
        }
    }

    @Test("is refused for a limit that has no meaning", arguments: ["huge", "", "TINY", "1s"])
    func unknown(limit: String) throws {
        try withSlowServer { (client) throws in
            let reply = try client.ask("PUT", "/rooms.json?writeSizeLimit=\(limit)", body: "1")
            #expect(reply.status == 400)
            #expect(reply.body.contains("tiny, small, medium, large"), "\(reply.body)")
            #expect(try client.ask("GET", "/rooms.json").body == "null")
        }
    }

    @Test("is refused as well when workers read it")
    func large() throws {
        let directory = TemporaryDirectory()
        try withSlowServer {
            $0.storage = .directory(directory.path)
            $0.limits.inlineBytes = 10_000
        } _: { (client) throws in
            let target = "/rooms.json?writeSizeLimit=small"
            #expect(try client.ask("PUT", target, body: text(50_000)).status == 400)
            #expect(try client.ask("GET", "/rooms.json").body == "null")
            #expect(
                try client.ask("PUT", "/rooms.json?writeSizeLimit=large", body: text(50_000)).status == 200)
            #expect(try client.ask("GET", "/rooms.json").body == text(50_000))
        }
    }
}
