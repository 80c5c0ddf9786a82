// Judging in the database: together with what is judged, and again when it may have changed.
import HearthCore
import HearthEngine
import HearthRules
import HearthSync
import Testing

@Suite("A database with rules")
struct JudgingTests {
    private static let rules = """
        {"rules":{
          "rooms":{"$room":{
            ".read":"root.child('members/' + $room + '/' + auth.uid).exists()",
            ".write":"newData.parent().parent().child('members/' + $room + '/' + auth.uid).exists()"}},
          "members":{".write":"auth.uid == 'boss'"},
          "hour":{".read":"now < 5000"}}}
        """

    private func database() throws -> Database {
        var database = Database(epoch: "e")
        try database.perform(.rules(Array(Self.rules.utf8)))
        try database.perform(.set("/members/lobby/ann", number(1)))
        try database.perform(.set("/rooms/lobby/topic", text("hello")))
        return database
    }

    private func user(_ uid: String) -> Asker {
        .client(Auth(variable: ["uid": .leaf(.string(uid))]), isLocal: true)
    }

    private func perform(
        _ write: Write, as asker: Asker, on database: inout Database, condition: WriteCondition? = nil
    ) throws(Refusal) {
        var judgement = WriteJudgement(asker)
        let proposal = try database.prepare(write, by: &judgement, condition: condition, now: 1_000)
        _ = database.commit(proposal, at: database.newestPosition + 1)
    }

    @Test("lets those write whom the state that they would make allows, all or nothing")
    func writes() throws {
        var database = try database()
        try perform(.set("/rooms/lobby/x", number(1)), as: user("ann"), on: &database)
        #expect(throws: Refusal.permissionDenied) {
            try perform(.set("/rooms/lobby/x", number(2)), as: user("bob"), on: &database)
        }
        #expect(throws: Refusal.permissionDenied) {
            try perform(
                .update("/", [("members/lobby/bob", number(1)), ("rooms/lobby/x", number(2))]),
                as: user("bob"), on: &database)
        }
        #expect(database.revision == 4)
        try perform(
            .update("/", [("members/den/boss", number(1)), ("rooms/den/x", number(2))]), as: user("boss"),
            on: &database)
        #expect(database.newest.root.descendant(at: path("/rooms/den/x")) == number(2))
    }

    @Test("refuses rules, conditions and empty updates of whom nothing allows them")
    func corners() throws {
        var database = try database()
        #expect(throws: Refusal.permissionDenied) {
            try perform(.rules(Array("{\"rules\":{}}".utf8)), as: user("boss"), on: &database)
        }
        #expect(throws: Refusal.permissionDenied) {
            try perform(.update("/rooms/lobby", []), as: user("bob"), on: &database)
        }
        try perform(.update("/rooms/lobby", []), as: user("ann"), on: &database)
        let never = WriteCondition { _ in false }
        #expect(throws: Refusal.conditionFailed) {
            try perform(.set("/rooms/lobby", number(1)), as: user("ann"), on: &database, condition: never)
        }
        #expect(throws: Refusal.permissionDenied) {
            try perform(.set("/rooms/lobby", number(1)), as: user("bob"), on: &database, condition: never)
        }
    }

    @Test("without rules is open to this machine's programs alone")
    func noRules() throws {
        var database = Database(epoch: "e")
        try perform(.set("/a", number(1)), as: .client(nil, isLocal: true), on: &database)
        #expect(throws: Refusal.permissionDenied) {
            try perform(.set("/a", number(2)), as: .client(nil, isLocal: false), on: &database)
        }
        try perform(.set("/a", number(3)), as: .administrator, on: &database)
    }

    @Test("judges each state by the rules of its time, and locks what it cannot read")
    func timeline() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/a", number(1)))
        let old = database.newest
        try database.perform(.rules(Array(Self.rules.utf8)))
        #expect(database.rules(of: database.durable) == nil)
        #expect(database.rules(of: old) == nil)
        #expect(database.rules(of: database.newest)?.since == 2)
        database.durable(upTo: database.newestPosition)
        #expect(database.rules(of: database.durable)?.set.references.count == 4)

        let unreadable = State(rules: StoredRules(stored: Array("{\"rules\":7}".utf8)))
        let opened = Database(epoch: "e", state: unreadable)
        #expect(opened.rules(of: opened.newest)?.fault != nil)
        var judgement = ReadJudgement(.client(nil, isLocal: true), path: .root)
        #expect(throws: Refusal.permissionDenied) {
            try judgement.judge(
                opened.newest, under: opened.rules(of: opened.newest), now: 1, keepsReads: false)
        }
    }

    @Test("tells which permissions a commit shakes, and lets go of what nobody waits for")
    func watches() throws {
        var database = try database()
        let view = View(path: path("/rooms/lobby"))
        var judgement = ReadJudgement(user("ann"), path: view.path)
        let entry = try database.subscribe(to: view, on: 3, by: &judgement, now: 1_000)
        #expect(judgement.reads.paths == [path("/members/lobby/ann")])
        #expect(database.watchedPlaceCount == 1)
        #expect(try database.perform(.set("/rooms/lobby/y", number(1))).shaken.isEmpty)
        #expect(try database.perform(.set("/members/lobby/bob", number(1))).shaken.isEmpty)
        #expect(try database.perform(.set("/members/lobby/ann/since", number(1))).shaken.count == 1)
        let shaken = try database.perform(.set("/members", number(1))).shaken
        #expect(shaken.map(\.path) == [path("/members/lobby/ann")])
        #expect(shaken.allSatisfy { $0.loops.contains(3) })
        #expect(throws: Refusal.permissionDenied) {
            try database.judgeAgain(&judgement, on: 3, now: 1_000)
        }
        database.unsubscribe(from: entry.id, on: 3, judged: judgement)
        #expect(database.watchedPlaceCount == 0)
        #expect(database.viewCount == 0)
        #expect(throws: Refusal.permissionDenied) {
            var other = ReadJudgement(user("bob"), path: view.path)
            _ = try database.subscribe(to: view, on: 3, by: &other, now: 1_000)
        }
        #expect(database.watchedPlaceCount == 0)
    }

    /// What a resumed stream gets, in a word.
    private func resumed(
        _ database: inout Database, _ place: String, since revision: Revision
    ) throws -> String {
        let view = View(path: path(place))
        var judgement = ReadJudgement(user("ann"), path: view.path)
        let cursor = Cursor(epoch: "e", revision: revision)
        let entry = try database.subscribe(to: view, on: 0, since: cursor, by: &judgement, now: 1_000)
        defer { database.unsubscribe(from: entry.id, on: 0, judged: judgement) }
        switch entry.resumption {
        case .present: return "present"
        case .current: return "current"
        case .replay(let replay): return "replay \(replay.commits.count)"
        case .resync: return "resync"
        }
    }

    @Test("replays to whom nothing was hidden, and begins anew for everybody else")
    func resuming() throws {
        var database = try database()
        let start = database.revision
        try database.perform(.set("/rooms/lobby/y", number(1)))
        try database.perform(.set("/members/lobby/bob", number(1)))
        #expect(try resumed(&database, "/rooms/lobby", since: start) == "replay 1")
        #expect(try resumed(&database, "/rooms/lobby", since: start - 2) == "resync")
        #expect(try resumed(&database, "/rooms/lobby", since: database.revision) == "current")
        try database.perform(.set("/members/lobby/ann", number(2)))
        #expect(try resumed(&database, "/rooms/lobby", since: start) == "resync")
        #expect(try resumed(&database, "/rooms/lobby", since: database.revision) == "current")
        #expect(try resumed(&database, "/hour", since: start) == "resync")
        let before = database.revision
        for count in 0..<1_200 { try database.perform(.set("/rooms/lobby/y", number(Int64(count)))) }
        #expect(try resumed(&database, "/rooms/lobby", since: before) == "resync")
        #expect(try resumed(&database, "/rooms/lobby", since: before + 300) == "replay 900")
        try database.perform(.rules(Array(Self.rules.utf8)))
        #expect(try resumed(&database, "/rooms/lobby", since: database.revision - 1) == "resync")
    }
}
