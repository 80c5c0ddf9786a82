// A poll whose time is up while the journal is behind.
import HearthTesting
import HearthWire
import Testing

@testable import HearthServer

@Suite("A poll that began with what was not synced")
struct EarlyAnswerTests {
    @Test("is told its cursor when that is synced, though its time is up before")
    func timeIsUp() throws {
        let stage = try Stage.quiet()
        let incarnation = try #require(stage.incarnation)
        let (writer, reader) = (try #require(stage.connect()), try #require(stage.connect()))
        try stage.withChronicle("default") { chronicle in
            chronicle.noteSending(.put(["rooms", "lobby", "topic"], .text("tea")), asAdministrator: false)
        }
        writer.ask(.put, "/rooms/lobby/topic.json", body: "\"tea\"")
        stage.network.moveAll()
        incarnation.turn(loop: 0)
        reader.ask(.get, "/rooms/lobby.json?feed=longpoll&events=child_added&since=now&timeout=1s")
        stage.network.moveAll()
        incarnation.turn(loop: 0)
        stage.clock.advance(milliseconds: 2_000)
        incarnation.turn(loop: 0)
        stage.network.moveAll()
        #expect(try reader.receive().isEmpty)
        stage.turnJournal()
        incarnation.turn(loop: 0)
        stage.network.moveAll()
        let cursors = try reader.receive().compactMap { happening in
            if case .answer(let answer) = happening { return answer.headers["hearth-cursor"] }
            return nil
        }
        #expect(cursors.count == 1 && cursors.first?.hasSuffix("-1") == true, "\(cursors)")
        stage.bury()
    }
}
