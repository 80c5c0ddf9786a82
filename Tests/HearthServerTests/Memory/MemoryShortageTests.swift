// What a server still does when it has as much memory as it may have.
import HearthServer
import Synchronization
import Testing

/// Memory that is used as a test says.
private final class SaidMemory: MemoryGauge {
    private let state = Mutex<(bytes: Int?, looks: Int, trims: Int)>((0, 0, 0))

    var residentBytes: Int? {
        state.withLock { state in
            state.looks += 1
            return state.bytes
        }
    }
    var looks: Int { state.withLock { $0.looks } }
    var trims: Int { state.withLock { $0.trims } }

    func trim() { state.withLock { $0.trims += 1 } }

    /// Says how much is used.
    func say(megabytes: Int?) {
        state.withLock { state in
            state.bytes = megabytes.map { $0 << 20 }
        }
    }
}

@Suite("A shortage of memory")
struct MemoryShortageTests {
    private let memory = SaidMemory()
    private let clock = ShiftedClock()

    /// A server that may use 100 MB.
    private func withBoundServer(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestClient, Server) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = [.loopback4(port: 0)]
        configuration.loopCount = 1
        configuration.limits.memoryBytes = 100 << 20
        configuration.log = Log(threshold: .error)
        change(&configuration)
        let server = try Server.start(configuration, clock: clock, memory: memory)
        defer { server.stop() }
        try body(try TestClient(server), server)
    }

    /// Says how much is used, and lets the time pass until that is noticed.
    private func say(megabytes: Int?) {
        memory.say(megabytes: megabytes)
        clock.putForward(seconds: 1)
    }

    @Test("refuses writes that add data, with the reason and when to try again, and ends by itself")
    func writes() throws {
        try withBoundServer { (client, _) throws in
            #expect(try client.ask("PUT", "/rooms.json", body: #"{"den":1,"lobby":2}"#).status == 200)
            say(megabytes: 101)
            let writes = [
                ("PUT", "/rooms/lobby.json", "3"), ("POST", "/rooms.json", "3"),
                ("PATCH", "/rooms.json", #"{"den":null,"lobby":3}"#),
                ("PUT", "/rooms/lobby/.priority.json", "3"),
                ("PUT", "/rooms/lobby.json", #"{".sv":"timestamp"}"#),
            ]
            for (method, target, body) in writes {
                let reply = try client.ask(method, target, body: body)
                #expect(reply.status == 503, "\(method) \(target)")
                #expect(reply.headers["retry-after"] == "1")
                #expect(reply.body.contains("uses 101 MB of memory and may use 100"), "\(reply.body)")
            }
            #expect(try client.ask("GET", "/rooms.json").body == #"{"den":1,"lobby":2}"#)
            say(megabytes: 100)
            #expect(try client.ask("PUT", "/rooms/lobby.json", body: "3").status == 200)
        }
        #expect(memory.trims > 0)
    }

    @Test("lets data be read and removed")
    func removals() throws {
        try withBoundServer { (client, _) throws in
            let value = #"{"a":1,"b":2,"c":3,"d":{".value":4,".priority":5}}"#
            #expect(try client.ask("PUT", "/rooms.json", body: value).status == 200)
            say(megabytes: 1_000)
            #expect(try client.ask("DELETE", "/rooms/a.json").status == 200)
            #expect(try client.ask("PUT", "/rooms/b.json", body: "null").status == 200)
            #expect(try client.ask("PATCH", "/rooms.json", body: #"{"c":null}"#).status == 200)
            #expect(try client.ask("DELETE", "/rooms/d/.priority.json").status == 200)
            #expect(try client.ask("GET", "/rooms.json?format=export").body == #"{"d":4}"#)
            #expect(try client.ask("GET", "/.health").status == 200)
        }
    }

    @Test("refuses a large body before a worker reads it")
    func large() throws {
        try withBoundServer {
            $0.limits.inlineBytes = 1_000
        } _: { (client, _) throws in
            say(megabytes: 101)
            let body = "\"" + String(repeating: "x", count: 2_000) + "\""
            #expect(try client.ask("PUT", "/rooms.json", body: body).status == 503)
            say(megabytes: 10)
            #expect(try client.ask("PUT", "/rooms.json", body: body).status == 200)
        }
    }

    @Test("ends an import while it is read, and nothing of it is there")
    func importing() throws {
        try withBoundServer { (client, server) throws in
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")"]
            let target = "/.settings/import.json?path=/rooms"
            let snapshot = "{\"a\":\"" + String(repeating: "x", count: 3 << 20) + "\"}"
            say(megabytes: 101)
            let early = try client.ask("PUT", target, admin, body: "{\"a\":1}")
            #expect(early.status == 503)
            #expect(early.headers["retry-after"] == "1")
            say(megabytes: 0)
            client.begin(
                "PUT", target, admin + ["Content-Length: \(snapshot.utf8.count)", "Expect: 100-continue"])
            #expect(try client.read().status == 100)
            say(megabytes: 101)
            client.send(snapshot)
            let late = try client.read()
            #expect(late.status == 503)
            #expect(late.headers["retry-after"] == "1")
            #expect(late.body.contains("of memory"), "\(late.body)")
            #expect(try client.ask("GET", "/rooms.json").body == "null")
            say(megabytes: 10)
            #expect(try client.ask("PUT", target, admin, body: snapshot).status == 200)
        }
    }

    @Test("is looked for at most ten times a second")
    func rarely() throws {
        try withBoundServer { (client, _) throws in
            let begin = ContinuousClock.now
            for number in 0..<500 { client.begin("PUT", "/count.json", body: "\(number)") }
            for _ in 0..<500 { #expect(try client.read().status == 200) }
            let tenths = Int((ContinuousClock.now - begin) / .milliseconds(100))
            #expect(memory.looks >= 1)
            #expect(memory.looks <= tenths + 2)
        }
    }

    @Test("is not believed in where memory cannot be measured")
    func unmeasured() throws {
        try withBoundServer { (client, _) throws in
            say(megabytes: nil)
            #expect(try client.ask("PUT", "/a.json", body: "1").status == 200)
        }
    }

    @Test("cannot be made the rule by a limit that an empty server passes")
    func tooLow() {
        #expect(throws: StartFailure.self) {
            try withBoundServer {
                $0.limits.memoryBytes = 1 << 20
            } _: { _, _ in
            }
        }
    }
}
