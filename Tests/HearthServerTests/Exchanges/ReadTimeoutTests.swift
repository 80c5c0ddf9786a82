// Reads whose clients say how long they may take, measured by a clock that moves with every look at it.
import HearthServer
import Synchronization
import Testing

/// The machine's clocks, of which the monotonic one jumps ahead whenever it is read.
private final class JumpingClock: Clock {
    private let jumps = Mutex<(step: Int64, sum: Int64)>((0, 0))

    var milliseconds: Int64 { WallClock().milliseconds }
    var monotonicNanoseconds: Int64 {
        jumps.withLock { jumps in
            jumps.sum += jumps.step
            return WallClock().monotonicNanoseconds + jumps.sum
        }
    }

    /// Sets by how much it jumps.
    func jump(milliseconds: Int64) {
        jumps.withLock { $0.step = milliseconds * 1_000_000 }
    }
}

@Suite("A read with a timeout")
struct ReadTimeoutTests {
    private let clock = JumpingClock()

    private func withClockedServer(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestClient) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = [.loopback4(port: 0)]
        configuration.loopCount = 1
        configuration.timeouts.idle = .seconds(100_000)
        configuration.log = Log(threshold: .error)
        change(&configuration)
        let server = try Server.start(configuration, clock: clock)
        defer { server.stop() }
        try body(try TestClient(server))
    }

    /// Some `count` messages, about 60 bytes each.
    private func messages(_ count: Int) -> String {
        let members = (0..<count).map { index in
            "\"m\(String(index + 1_000_000))\":{\"from\":\"ann\",\"text\":\"message number \(index)\"}"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test(
        "is refused when it takes longer, and answered when it does not",
        arguments: [
            "/rooms.json?timeout=", "/rooms/m1000001.json?timeout=",
            "/rooms/m1000001/.priority.json?timeout=",
            "/rooms.json?shallow=true&timeout=", "/rooms.json?format=export&timeout=",
            "/rooms.json?print=pretty&timeout=",
            "/rooms.json?orderBy=%22$key%22&limitToLast=2&timeout=",
        ])
    func bounded(target: String) throws {
        try withClockedServer {
            $0.limits.inlineBytes = 64 << 10
        } _: { (client) throws in
            #expect(try client.ask("PUT", "/rooms.json?print=silent", body: messages(3_000)).status == 204)
            let whole = try client.ask("GET", String(target.dropLast("timeout=".count)))
            #expect(whole.status == 200, "\(whole.status)")
            clock.jump(milliseconds: 2_000)
            let late = try client.ask("GET", target + "1s")
            #expect(late.status == 400)
            #expect(late.body.contains("longer than its timeout"), "\(late.body.prefix(200))")
            let inTime = try client.ask("GET", target + "15min")
            #expect(inTime.status == 200)
            #expect(inTime.body == whole.body)
            // The connection goes on, and a read without a bound takes as long as it takes.
            #expect(try client.ask("GET", String(target.dropLast("timeout=".count))).body == whole.body)
        }
    }

    @Test("is the same for HEAD, and for a tag that still holds")
    func withoutBody() throws {
        try withClockedServer { (client) throws in
            #expect(try client.ask("PUT", "/rooms.json?print=silent", body: messages(2_000)).status == 204)
            let read = try client.ask("GET", "/rooms.json", ["X-Firebase-ETag: true"])
            let tag = try #require(read.headers["etag"])
            clock.jump(milliseconds: 2_000)
            let held = ["if-none-match: \(tag)"]
            #expect(try client.ask("GET", "/rooms.json?timeout=1s", held).status == 400)
            #expect(try client.ask("GET", "/rooms.json?timeout=15min", held).status == 304)
            #expect(try client.ask("HEAD", "/rooms.json?timeout=1s").status == 400)
            #expect(try client.ask("HEAD", "/rooms.json?timeout=15min").status == 200)
        }
    }

    @Test(
        "is refused for a time that means nothing or is more than 15 minutes",
        arguments: ["16min", "901s", "900001ms", "3", "-3s", "1h", "", "3s3ms"])
    func misused(text: String) throws {
        try withClockedServer { (client) throws in
            let reply = try client.ask("GET", "/rooms.json?timeout=\(text)")
            #expect(reply.status == 400)
            #expect(reply.body.contains("timeout must be"), "\(reply.body)")
        }
    }

    @Test(
        "may give the time in milliseconds, seconds or minutes",
        arguments: ["900000ms", "3s", "3min", "15min"])
    func units(text: String) throws {
        try withClockedServer { (client) throws in
            let reply = try client.ask("GET", "/rooms.json?timeout=\(text)")
            #expect(reply.body == "null")
        }
    }
}
