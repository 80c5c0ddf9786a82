// Cursors: what can be told again, and when the answer is a resync.
import HearthCore
import HearthEngine
import HearthSync
import Testing

extension Resumption {
    /// The revisions that are told, or the answer's name.
    var summary: String {
        switch self {
        case .present: "present"
        case .current: "current"
        case .replay(let replay): "replay \(replay.commits.map(\.revision))"
        case .resync: "resync"
        }
    }
}

@Suite("A cursor")
struct ResumingTests {
    private let lobby = View(path: path("/rooms/lobby"))

    @Test("is told the commits since that touch its place, and no others")
    func replay() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/rooms/lobby/a", number(1)))
        try database.perform(.set("/tokens/t", number(1)))
        try database.perform(.set("/rooms/lobby/b", number(2)))
        try database.perform(.set("/rooms/den", number(2)))
        try database.perform(.set("/rooms", object([("lobby", number(5))])))
        let answers = (0...5).map { database.resume(lobby, from: Cursor(epoch: "e", revision: $0)).summary }
        #expect(
            answers == [
                "replay [1, 3, 5]", "replay [3, 5]", "replay [3, 5]", "replay [5]", "replay [5]", "current",
            ])
        #expect(database.resume(lobby, from: nil).summary == "present")
    }

    @Test("is a resync when it is unknown", arguments: [("f", 1), ("e", 3), ("e", 99), ("", 0)])
    func unknown(epoch: String, revision: Revision) throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/a", number(1)))
        try database.perform(.set("/a", number(2)))
        #expect(database.resume(lobby, from: Cursor(epoch: epoch, revision: revision)).summary == "resync")
    }

    @Test("is a resync below the floor that too many commits raise")
    func countFloor() throws {
        var database = Database(epoch: "e", limits: .init(historyCommitCount: 2))
        for value in 1...5 { try database.perform(.set("/rooms/lobby", number(Int64(value)))) }
        #expect(database.historyFloor == 3)
        #expect(database.resume(lobby, from: Cursor(epoch: "e", revision: 2)).summary == "resync")
        #expect(database.resume(lobby, from: Cursor(epoch: "e", revision: 3)).summary == "replay [4, 5]")
    }

    @Test("is a resync below the floor that too many bytes raise")
    func byteFloor() throws {
        var database = Database(epoch: "e", limits: .init(historyByteCount: 3_000))
        for _ in 1...20 {
            try database.perform(.set("/rooms/lobby", text(String(repeating: "x", count: 200))))
        }
        #expect(database.historyFloor > 10)
        #expect(database.historyFloor < 20)
        database.limits.historyByteCount = 0
        #expect(database.historyFloor == 20)
    }

    @Test("is a resync before a commit whose undo is too large, and goes on after it")
    func largeUndo() throws {
        var database = Database(epoch: "e", limits: .init(undoByteCount: 100))
        try database.perform(.set("/rooms/lobby", text(String(repeating: "x", count: 200))))
        let replaced = try database.perform(.set("/rooms/lobby", number(1)))
        #expect(replaced.commit.undo == nil)
        try database.perform(.set("/rooms/lobby", number(2)))
        #expect(database.historyFloor == 2)
        #expect(database.resume(lobby, from: Cursor(epoch: "e", revision: 1)).summary == "resync")
        #expect(database.resume(lobby, from: Cursor(epoch: "e", revision: 2)).summary == "replay [3]")
    }

    @Test("is a resync across a change of the rules")
    func rulesFloor() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/rooms/lobby", number(1)))
        try database.perform(.rules(Array(#"{"rules": {}}"#.utf8)))
        #expect(database.resume(lobby, from: Cursor(epoch: "e", revision: 1)).summary == "resync")
        #expect(database.resume(lobby, from: Cursor(epoch: "e", revision: 2)).summary == "current")
    }

    @Test("is good for all that is kept, however many chunks it takes")
    func long() throws {
        var database = Database(epoch: "e", limits: .init(historyCommitCount: 3_000))
        for value in 1...4_000 {
            try database.perform(
                .set(value % 1_000 == 0 ? "/rooms/lobby" : "/rooms/den", number(Int64(value))))
        }
        #expect(database.historyFloor == 1_000)
        func summary(_ revision: Revision) -> String {
            database.resume(lobby, from: Cursor(epoch: "e", revision: revision)).summary
        }
        #expect(summary(999) == "resync")
        #expect(summary(1_000) == "replay [2000, 3000, 4000]")
        #expect(summary(1_999) == "replay [2000, 3000, 4000]")
        #expect(summary(2_000) == "replay [3000, 4000]")
        #expect(summary(3_998) == "replay [4000]")
        #expect(summary(4_000) == "current")
        let elsewhere = View(path: path("/tokens"))
        let missed = database.resume(elsewhere, from: Cursor(epoch: "e", revision: 1_000))
        #expect(missed.summary == "replay []", "a long absence is looked through later")
        guard case .replay(let replay) = missed else { return }
        try database.perform(.set("/tokens/t", .empty))
        #expect(Array(replay.steps()).isEmpty)
    }

    @Test("stays good over a restart that brings the history back")
    func restart() throws {
        var database = Database(epoch: "e")
        var commits: [Commit] = []
        for value in 1...3 {
            commits.append(try database.perform(.set("/rooms/lobby", number(Int64(value)))).commit)
        }
        let opened = Database(epoch: "e", state: database.newest, history: Array(commits.dropFirst()))
        #expect(opened.historyFloor == 1)
        #expect(opened.resume(lobby, from: Cursor(epoch: "e", revision: 1)).summary == "replay [2, 3]")
        #expect(opened.resume(lobby, from: Cursor(epoch: "e", revision: 0)).summary == "resync")
    }

    @Test("leads through the states of its place as they were")
    func steps() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/rooms/lobby", number(1)))
        try database.perform(.set("/rooms/lobby/a", number(2)))
        try database.perform(.set("/rooms/den", number(2)))
        try database.perform(.set("/rooms", .empty))
        guard case .replay(let replay) = database.resume(lobby, from: Cursor(epoch: "e", revision: 1)) else {
            Issue.record("two commits were missed")
            return
        }
        let told = replay.steps().map { step in
            [step.before, step.after].map { $0.root.descendant(at: path("/rooms/lobby")) }
        }
        let object = object([("a", number(2))])
        #expect(told == [[number(1), object], [object, .empty]])
    }
}

@Suite("What a database no longer needs")
struct RetiredTests {
    @Test("is handed over when it is large, and freed at once when it is small")
    func large() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/small", number(1)))
        try database.perform(.set("/large", text(String(repeating: "x", count: 70_000))))
        try database.perform(.set("/small", number(2)))
        database.durable(upTo: 3)
        #expect(database.takeRetired().isEmpty)
        try database.perform(.set("/large", .empty))
        #expect(database.takeRetired().count == 1)  // the history before it
        database.durable(upTo: 4)
        #expect(database.takeRetired().count == 1)  // the state before it
        #expect(database.takeRetired().isEmpty)
    }
}
