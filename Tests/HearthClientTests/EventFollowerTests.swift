// Streams over scripted accidents: whatever happens to an answer, each event is told exactly once.

import HearthClient
import HearthTesting
import HearthWire
import Testing

@Suite("A follower of events")
struct EventFollowerTests {
    private static let quick = BackOff(first: .microseconds(200), longest: .milliseconds(1))

    private func batch(_ revisions: ClosedRange<Int>, resync: Bool = false) -> String {
        let events = revisions.map { revision in
            "{\"event\":\"child_added\",\"key\":\"m\(revision)\",\"data\":\(revision),"
                + "\"cursor\":\"k-\(revision)\"}"
        }
        return "{\"cursor\":\"k-\(revisions.upperBound)\",\(resync ? "\"resync\":true," : "")"
            + "\"events\":[\(events.joined(separator: ","))]}"
    }

    private func follower(
        _ server: ScriptedServer, from start: EventFollower.Start,
        notice: @escaping (EventFollower.Notice) -> Void = { _ in }
    ) -> EventFollower {
        let client = Client(ServerAddress(host: "127.0.0.1", port: server.port))
        return EventFollower(
            EventFollower.Subject(path: "/rooms/lobby/messages", events: [.childAdded]), from: start,
            through: client, backOff: Self.quick, notice: notice)
    }

    private func parameters(_ request: ScriptedServer.Request) -> [Substring] {
        request.line.split(separator: " ")[1].split(separator: "?")[1].split(separator: "&")
    }

    @Test("goes on from cursor to cursor and passes over answers that tell nothing")
    func cursors() throws {
        let quiet = "{\"cursor\":\"k-9\",\"events\":[]}"
        let server = ScriptedServer([
            .json(batch(1...3)), .json(batch(4...5)), .json(quiet), .json(batch(10...10), ending: .closes),
        ])
        var follower = follower(server, from: .present)
        var keys: [String] = []
        for _ in 0..<3 { keys += try follower.next().events.compactMap(\.key) }
        #expect(keys == ["m1", "m2", "m3", "m4", "m5", "m10"])
        #expect(follower.cursor == "k-10")
        let asked = server.finish().map { request in parameters(request).filter { $0.hasPrefix("since") } }
        #expect(asked == [[], ["since=k-3"], ["since=k-5"], ["since=k-9"]])
    }

    @Test("from now on first asks for the cursor, without waiting")
    func fromNow() throws {
        let server = ScriptedServer([
            .json("{\"cursor\":\"k-4\",\"events\":[]}"), .json(batch(5...5), ending: .closes),
        ])
        var follower = follower(server, from: .now)
        #expect(try follower.next() == EventBatch(isResync: false, events: [], cursor: "k-4"))
        #expect(try follower.next().events.map(\.key) == ["m5"])
        let asked = server.finish().map(parameters)
        #expect(asked[0].contains("since=now") && asked[0].contains("timeout=0s"))
        #expect(asked[1].contains("since=k-4") && asked[1].contains("timeout=30s"))
    }

    @Test("loses no event and tells none twice when an answer is cut at any byte", arguments: [true, false])
    func cutAnywhere(resets: Bool) throws {
        let whole = ScriptedServer.Answer.json(batch(2...4)).bytes
        for length in 0..<whole.count {
            let cut = ScriptedServer.Answer(Array(whole.prefix(length)), ending: resets ? .resets : .closes)
            let server = ScriptedServer([
                .json(batch(1...1)), cut, .json(batch(2...4)), .json(batch(5...5), ending: .closes),
            ])
            var follower = follower(server, from: .present)
            var keys: [String] = []
            for _ in 0..<3 { keys += try follower.next().events.compactMap(\.key) }
            #expect(keys == ["m1", "m2", "m3", "m4", "m5"], "cut after \(length) bytes")
            let since = server.finish().map { parameters($0).first { $0.hasPrefix("since") } }
            // A kept connection that closes without a byte is asked once more before anything is called lost.
            #expect(since == [nil, "since=k-1", "since=k-1", "since=k-4"], "cut after \(length) bytes")
        }
    }

    @Test("rides out restarts and says when it lost and found the server")
    func restarts() throws {
        let busy = ScriptedServer.Answer.json("{\"error\":\"stopping\"}", status: 503, ending: .closes)
        let cut = ScriptedServer.Answer(Array("HTTP/1.1 2".utf8), ending: .closes)
        let server = ScriptedServer([
            .json(batch(1...1)), busy, cut, busy, .json(batch(2...2), ending: .closes),
        ])
        var lost = 0
        var restored = 0
        var follower = follower(server, from: .present) { notice in
            if case .lost = notice { lost += 1 } else { restored += 1 }
        }
        #expect(try follower.next().events.map(\.key) == ["m1"])
        #expect(try follower.next().events.map(\.key) == ["m2"])
        #expect(lost == 3 && restored == 1)
        _ = server.finish()
    }

    @Test("comes again when a server that starts asks it to, also the first time")
    func retryAfter() throws {
        let starting = ScriptedServer.Answer.json(
            "{\"error\":\"starting\"}", status: 503, headers: "Retry-After: 0\r\n", ending: .closes)
        let server = ScriptedServer([starting, .json(batch(1...1), ending: .closes)])
        var follower = follower(server, from: .present)
        #expect(try follower.next().events.map(\.key) == ["m1"])
        _ = server.finish()
    }

    @Test("announces a resync and goes on behind it")
    func resync() throws {
        let server = ScriptedServer([
            .json(batch(8...9, resync: true)), .json(batch(10...10), ending: .closes),
        ])
        var follower = follower(server, from: .after("old-3"))
        let first = try follower.next()
        #expect(first.isResync && first.events.map(\.key) == ["m8", "m9"])
        #expect(try follower.next().events.map(\.key) == ["m10"])
        #expect(parameters(server.finish()[1]).contains("since=k-9"))
    }

    @Test("gives up on what cannot pass", arguments: [400, 401, 404])
    func refusals(status: Int) throws {
        let server = ScriptedServer([
            .json(batch(1...1)), .json("{\"error\":\"no\"}", status: status, ending: .closes),
        ])
        var follower = follower(server, from: .present)
        _ = try follower.next()
        let error = #expect(throws: ClientError.self) { try follower.next() }
        #expect(error == .refused(ServerRefusal(status: status, reason: "no")))
        _ = server.finish()
    }

    @Test("does not wait for a server that never was there")
    func nobody() throws {
        ScriptedServer.withClosedPort { port in
            let client = Client(ServerAddress(host: "127.0.0.1", port: port))
            let subject = EventFollower.Subject(path: "/rooms/lobby/messages", events: [.childAdded])
            var follower = EventFollower(subject, from: .present, through: client, backOff: Self.quick)
            let error = #expect(throws: ClientError.self) { try follower.next() }
            #expect(error?.mayPass == true)
        }
    }

    @Test("waits longer from failure to failure, never beyond the bound, and not all clients alike")
    func backOff() {
        var random = SeededRandom(seed: 11)
        var backOff = BackOff(first: .milliseconds(100), longest: .seconds(1))
        for bound in [100, 200, 400, 800, 1_000, 1_000] {
            let pause = backOff.next(retryAfter: nil, using: &random)
            #expect(pause >= .milliseconds(bound / 2) && pause <= .milliseconds(bound))
        }
        let asked = backOff.next(retryAfter: 4, using: &random)
        #expect(asked >= .seconds(4) && asked <= .seconds(6))
        backOff.reset()
        #expect(backOff.next(retryAfter: nil, using: &random) <= .milliseconds(100))
    }
}
