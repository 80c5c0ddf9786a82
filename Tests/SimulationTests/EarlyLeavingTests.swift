// Clients that go while a worker is busy with what they have asked for.
import HearthCore
import HearthTesting
import HearthWire
import Testing

@testable import HearthServer

@Suite("A client that goes while a worker is busy for it")
struct EarlyLeavingTests {
    private static let text = String(repeating: "~", count: 4_000)

    /// By which way a large value comes.
    enum Way: CaseIterable {
        case put, snapshot, webSocket
    }

    /// A server, and a client that is connected.
    private func begin(_ way: Way) throws -> (stage: Stage, wire: Wire, line: SocketLine?) {
        let stage = try Stage.quiet()
        let wire = try #require(stage.network.connect())
        let line = way == .webSocket ? SocketLine(wire, parameters: "v=5&ns=default") : nil
        try exchange(stage)
        if let line {
            stage.note(try #require(try line.hear(stage)?.first?["d"]["d"]["s"].string), over: line)
        }
        return (stage, wire, line)
    }

    /// Lets everything arrive and be done.
    private func exchange(_ stage: Stage) throws {
        stage.network.moveAll()
        try stage.settle()
        stage.network.moveAll()
    }

    /// Lets everything arrive and be looked at, but nothing that a worker is asked to do.
    private func arrive(_ stage: Stage) throws {
        stage.network.moveAll()
        for _ in 0..<3 { try #require(stage.incarnation).turn(loop: 0) }
    }

    /// Has the workers do what they are asked for.
    ///
    /// - Returns: how many jobs there were.
    private func work(_ stage: Stage) throws -> Int {
        let workers = try #require(stage.incarnation).services.workers
        var count = 0
        while workers.runNext() { count += 1 }
        return count
    }

    private func request(_ target: String, _ body: String) -> [UInt8] {
        let head = [
            "PUT \(target) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(administratorToken)",
            "Content-Length: \(body.utf8.count)",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    @Test(
        "leaves no file, whichever way its large value came, and whether it was read already",
        arguments: Way.allCases, [false, true])
    func file(way: Way, isRead: Bool) throws {
        let (stage, wire, line) = try begin(way)
        let value = "\"\(EarlyLeavingTests.text)\""
        switch way {
        case .put: wire.send(request("/rooms/lobby/topic.json", value))
        case .snapshot: wire.send(request("/.settings/import.json?path=/rooms&mode=replace", value))
        case .webSocket:
            line?.say(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/rooms/lobby/topic","d":\#(value)}}}"#)
        }
        try arrive(stage)
        if isRead { #expect(try work(stage) > 0, "nothing large was asked for") }
        wire.leave(.reset)
        try arrive(stage)
        if !isRead { #expect(try work(stage) > 0, "nothing large was asked for") }
        #expect(stage.incarnation?.loops.first?.connectionCount == 0)
        try exchange(stage)
        #expect(try stage.disk.list().filter { $0.hasPrefix("bulk-") } == [])
        #expect(stage.record.commitCount == 0)
        stage.bury()
    }

    @Test("writes nothing after the end of its session")
    func comparison() throws {
        let (stage, wire, line) = try begin(.webSocket)
        let large = Value.text(EarlyLeavingTests.text)
        try stage.withChronicle("default") {
            $0.noteSending(.put(["rooms", "lobby", "topic"], large), asAdministrator: false)
        }
        line?.say(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/rooms/lobby/topic","d":\#(large.json)}}}"#)
        try exchange(stage)
        #expect(try line?.hear(stage)?.first?["d"]["b"]["s"] == .text("ok"))
        let namespace = try #require(stage.incarnation?.services.namespaces.find("default"))
        let sight = try #require(namespace.newest())
        let hash = sight.state.root.descendant(at: try Path("/rooms/lobby/topic")).listenHash
        let (before, calls) = (stage.record.commitCount, #"{"p":"/rooms/lobby/topic","d":1,"h":"\#(hash)"}"#)
        line?.say(#"{"t":"d","d":{"r":2,"a":"p","b":\#(calls)}}"#)
        try arrive(stage)
        wire.leave(.reset)
        try arrive(stage)
        #expect(try work(stage) > 0, "nothing is to be hashed")
        #expect(stage.incarnation?.loops.first?.sessions.count == 0)
        try exchange(stage)
        #expect(stage.record.commitCount == before)
        stage.bury()
    }
}
