// A session that ends while there is no room for what it leaves.
import HearthTesting
import HearthWire
import Testing

@testable import HearthServer

@Suite("The end of a session on a full disk")
struct FullDiskEndTests {
    private static func text(_ length: Int, _ number: Int) -> Value {
        .text("\(number) " + String(repeating: "~", count: length))
    }

    /// Lets everything arrive and be done.
    private func exchange(_ stage: Stage) throws {
        stage.network.moveAll()
        try stage.settle()
        stage.network.moveAll()
    }

    @Test("is written when there is space again, although nobody else writes")
    func spaceAgain() throws {
        let stage = try Stage.quiet()
        let line = SocketLine(try #require(stage.network.connect()), parameters: "v=5&ns=default")
        try exchange(stage)
        let session = try #require(try line.hear(stage)?.first?["d"]["d"]["s"].string)
        stage.note(session, over: line)
        let value = FullDiskEndTests.text(1_000, 0)
        let leaving = Leaving.set(["online", "lobby"], value)
        try stage.withChronicle("default") { $0.noteSending(leaving, of: session, asAdministrator: false) }
        line.say(#"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/online/lobby","d":\#(value.json)}}}"#)
        try exchange(stage)
        #expect(try line.hear(stage)?.first?["d"]["b"]["s"] == .text("ok"))

        stage.planDisk(capacity: stage.disk.usedByteCount)
        try fill(stage)
        line.leave(.hangUp)
        try exchange(stage)
        #expect(stage.chronicles["default"]?.owedSessions == [session])

        stage.planDisk()
        stage.clock.advance(milliseconds: 2_000)
        for _ in 0..<3 { try exchange(stage) }
        #expect(stage.chronicles["default"]?.owedSessions == [])
        stage.bury()
    }

    /// Writes until nothing larger than a little has room.
    private func fill(_ stage: Stage) throws {
        let writer = try #require(stage.connect())
        for (length, first) in [(2_000, 0), (200, 100)] {
            let isFull = try (first..<first + 100).contains { number in
                let value = FullDiskEndTests.text(length, number)
                try stage.withChronicle("default") {
                    $0.noteSending(.put(["rooms", "lobby", "topic"], value), asAdministrator: false)
                }
                writer.ask(.put, "/rooms/lobby/topic.json", body: value.json)
                try exchange(stage)
                guard case .answer(let answer) = try writer.receive().first else { return false }
                return answer.status == 503
            }
            #expect(isFull)
        }
    }
}
