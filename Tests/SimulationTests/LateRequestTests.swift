// A request whose end comes in the very turn in which its time is up.
import HearthTesting
import HearthWire
import Testing

@testable import HearthServer

@Suite("A request that arrives at the last moment")
struct LateRequestTests {
    @Test("is answered once, as it is, and not by a refusal that stands for another")
    func lastMoment() throws {
        let stage = try Stage.quiet()
        let line = try #require(stage.connect())
        line.ask(.put, "/rooms/lobby/topic.json", body: "\"hello\"")
        // The chronicle must know what is written.
        try stage.withChronicle("default") { chronicle in
            chronicle.noteSending(.put(["rooms", "lobby", "topic"], .text("hello")), asAdministrator: false)
        }
        line.wire.up.move(30)
        try stage.settle()
        stage.clock.advance(milliseconds: 20_000)
        line.wire.up.move(.max)
        try stage.settle()
        stage.network.moveAll()
        let answers = try line.receive().compactMap { happening in
            if case .answer(let answer) = happening { return answer.status }
            return nil
        }
        #expect(answers == [200])
        stage.bury()
    }

    @Test("is refused when it has not come")
    func tooLate() throws {
        let stage = try Stage.quiet()
        let line = try #require(stage.connect())
        line.ask(.get, "/rooms/lobby.json")
        line.wire.up.move(30)
        try stage.settle()
        stage.clock.advance(milliseconds: 20_000)
        try stage.settle()
        stage.network.moveAll()
        let answers = try line.receive().compactMap { happening in
            if case .answer(let answer) = happening { return answer.status }
            return nil
        }
        #expect(answers == [408])
        stage.bury()
    }
}
