// A read that comes in the very turn in which its loop could first hear that something is durable.
import HearthTesting
import HearthWire
import Testing

@testable import HearthServer

@Suite("A read on another loop than the write before it")
struct FreshReadTests {
    @Test("shows what was acknowledged before it was asked for")
    func acknowledged() throws {
        let stage = try Stage.quiet(loopCount: 2)
        let incarnation = try #require(stage.incarnation)
        var lines: [Int: Line] = [:]
        while lines.count < 2 {
            let line = try #require(stage.connect())
            lines[line.wire.loop] = line
        }
        let (writer, reader) = (try #require(lines[0]), try #require(lines[1]))
        try stage.settle()
        for number in 1...5 {
            writer.ask(.put, "/rooms/lobby/topic.json", body: "\(number)")
            try stage.withChronicle("default") { chronicle in
                chronicle.noteSending(
                    .put(["rooms", "lobby", "topic"], .number(number)), asAdministrator: false)
            }
            stage.network.moveAll()
            incarnation.turn(loop: 0)
            // Both loops have had their turn; then the write becomes durable, and one of them hears of it.
            incarnation.turn(loop: 1)
            stage.turnJournal()
            incarnation.turn(loop: 0)
            stage.network.moveAll()
            #expect(try FreshReadTests.answer(to: writer).status == 200)
            reader.ask(.get, "/rooms/lobby/topic.json")
            stage.network.moveAll()
            incarnation.turn(loop: 1)
            stage.network.moveAll()
            #expect(try FreshReadTests.answer(to: reader).text == "\(number)")
        }
        stage.bury()
    }

    private static func answer(to line: Line) throws -> Answer {
        for happening in try line.receive() {
            if case .answer(let answer) = happening { return answer }
        }
        throw Violation("no answer has come")
    }
}
