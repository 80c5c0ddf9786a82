// The way of on-disconnect writes through the engine: judged twice, run once.
import HearthCore
import HearthEngine
import HearthRules
import HearthTesting
import Testing

/// A namespace under rules, and a journal that takes everything.
private struct Bench: ~Copyable {
    var database: Database
    var position: Int64 = 0

    init(_ json: String = "{}", rules: String? = nil) throws {
        let root = try DraftReader.draft(Array(json.utf8)).node
        let stored = try rules.map { try StoredRules(checking: Array($0.utf8)) }
        database = Database(epoch: "e", state: State(root: root, rules: stored))
    }

    mutating func change(_ change: OnDisconnectChange, of session: String = "s", by asker: Asker) throws {
        var judgement = WriteJudgement(asker)
        let prepared = try database.prepareOnDisconnect(change, of: session, by: &judgement, now: 1_000)
        if let prepared { database.register(prepared) }
    }

    mutating func set(_ path: String, _ json: String, by asker: Asker = .administrator) throws {
        let path = try Path(path)
        try change(.add(.set(path, try DraftReader.draft(Array(json.utf8), at: path))), by: asker)
    }

    mutating func write(_ path: String, _ json: String) throws {
        let path = try Path(path)
        let proposal = try database.prepare(
            .set(path, try DraftReader.draft(Array(json.utf8), at: path)), now: 1_500)
        position += 1
        _ = database.commit(proposal, at: position)
    }

    /// Ends a session, and returns how many writes were refused; nil if there was nothing to run.
    mutating func end(_ session: String = "s") -> Int? {
        guard let run = database.prepareOnDisconnectRun(of: session, now: 2_000) else { return nil }
        position += 1
        if let proposal = run.proposal {
            _ = database.commit(proposal, endingSession: session, at: position)
        } else {
            database.finish(run)
        }
        return run.refusedCount
    }

    var text: String {
        String(decoding: NodeSerializer.bytes(of: database.newest.root, .export), as: UTF8.self)
    }
}

private func client(_ uid: String?) -> Asker {
    .client(uid.map { Auth(uid: $0, provider: "password", token: [:]) }, isLocal: false)
}

@Suite("On-disconnect writes of a session")
struct OnDisconnectTests {
    static let rules = #"""
        {"rules": {
            "open": {".read": true},
            "rooms": {"$room": {
                ".write": "data.child('open').val() === true",
                "online": {"$uid": {".write": "auth !== null && auth.uid === $uid"}},
                "log": {".write": "auth !== null", ".validate": "newData.isNumber()"}}}}}
        """#

    @Test("are written when it ends, at once, with the time of then, and once")
    func run() throws {
        var bench = try Bench(#"{"rooms":{"lobby":{"online":{"ann":true},"count":5}}}"#)
        try bench.set("/rooms/lobby/online/ann", "null")
        try bench.set("/rooms/lobby/count", #"{".sv":{"increment":-1}}"#)
        try bench.set("/rooms/lobby/left", #"{"ann":{".sv":"timestamp"}}"#)
        #expect(bench.database.revision == 0)
        try bench.write("/rooms/lobby/count", "9")
        #expect(bench.end() == 0)
        #expect(bench.text == #"{"rooms":{"lobby":{"count":8,"left":{"ann":2000}}}}"#)
        #expect(bench.database.revision == 2)
        #expect(bench.end() == nil)
        #expect(bench.database.onDisconnectRecords.isEmpty)
    }

    @Test("are kept apart by session, and go when they are cancelled")
    func sessions() throws {
        var bench = try Bench()
        for session in ["s", "t"] {
            let draft = Draft(Node(.string(session)))
            try bench.change(.add(.set(try Path("/a/\(session)"), draft)), of: session, by: .administrator)
        }
        #expect(bench.database.sessionsWithOnDisconnect == ["s", "t"])
        try bench.change(.cancel(try Path("/a")), of: "s", by: .administrator)
        #expect(bench.database.sessionsWithOnDisconnect == ["t"])
        #expect(bench.end("s") == nil)
        #expect(bench.end("t") == 0)
        #expect(bench.text == #"{"a":{"t":"t"}}"#)
        // A cancellation of nothing is nothing to record.
        var judgement = WriteJudgement(.administrator)
        #expect(
            try bench.database.prepareOnDisconnect(.cancel(.root), of: "u", by: &judgement, now: 1) == nil)
    }

    @Test("are judged when they are set")
    func judgedWhenSet() throws {
        var bench = try Bench(rules: Self.rules)
        #expect(throws: Refusal.permissionDenied) {
            try bench.set("/rooms/lobby/online/bob", "true", by: client("ann"))
        }
        #expect(throws: Refusal.permissionDenied) {
            try bench.set("/rooms/lobby/log", #""text""#, by: client("ann"))
        }
        #expect(bench.database.sessionsWithOnDisconnect.isEmpty)
        try bench.set("/rooms/lobby/online/ann", "null", by: client("ann"))
        try bench.set("/rooms/lobby/log", #"{".sv":"timestamp"}"#, by: client("ann"))
        #expect(bench.end() == 0)
        #expect(bench.text == #"{"rooms":{"lobby":{"log":2000}}}"#)
    }

    @Test("are judged again when they are run, and what is still allowed is written")
    func judgedWhenRun() throws {
        var bench = try Bench(
            #"{"rooms":{"lobby":{"open":true,"topic":"hello","online":{"ann":true}}}}"#, rules: Self.rules)
        try bench.set("/rooms/lobby/topic", #""bye""#, by: client("ann"))
        try bench.set("/rooms/lobby/online/ann", "null", by: client("ann"))
        try bench.write("/rooms/lobby/open", "false")
        #expect(bench.end() == 1)
        #expect(bench.text == #"{"rooms":{"lobby":{"open":false,"topic":"hello"}}}"#)
        // All refused: nothing is written, and nothing is left.
        try bench.write("/rooms/lobby/open", "true")
        try bench.set("/rooms/lobby/topic", #""bye""#, by: client("ann"))
        try bench.write("/rooms/lobby/open", "false")
        let revision = bench.database.revision
        #expect(bench.end() == 1)
        #expect(bench.database.revision == revision)
        #expect(bench.database.sessionsWithOnDisconnect.isEmpty)
    }

    @Test("are judged in the name of whoever the session is at its end")
    func renamed() throws {
        var bench = try Bench(#"{"rooms":{"lobby":{"online":{"ann":true}}}}"#, rules: Self.rules)
        try bench.set("/rooms/lobby/online/ann", "null", by: client("ann"))
        try bench.change(.rename, by: client(nil))
        #expect(bench.end() == 1)
        try bench.set("/rooms/lobby/online/ann", "null", by: client("ann"))
        try bench.change(.rename, by: client("bob"))
        try bench.change(.rename, by: client("ann"))
        #expect(bench.end() == 0)
        #expect(bench.text == "null")
        var judgement = WriteJudgement(client("ann"))
        #expect(try bench.database.prepareOnDisconnect(.rename, of: "s", by: &judgement, now: 1) == nil)
    }

    @Test("keep a priority that their own removals would take away, and give one to what they make")
    func priorities() throws {
        var bench = try Bench(#"{"a":{"b":1,".priority":3}}"#)
        try bench.set("/a/b", "null")
        try bench.set("/a/c", "2")
        try bench.set("/x/y", "1")
        try bench.change(.add(.prioritize(try Path("/x"), .serverValue(.timestamp))), by: .administrator)
        #expect(bench.end() == 0)
        #expect(bench.text == #"{"a":{"c":2,".priority":3},"x":{"y":1,".priority":2000}}"#)
    }

    @Test("are found again from their record")
    func adopted() throws {
        var bench = try Bench(#"{"rooms":{"lobby":{"online":{"ann":true}}}}"#, rules: Self.rules)
        try bench.set("/rooms/lobby/online/ann", "null", by: client("ann"))
        let record = try #require(bench.database.onDisconnectRecords["s"])
        var next = try Bench(#"{"rooms":{"lobby":{"online":{"ann":true}}}}"#, rules: Self.rules)
        let isAdopted = next.database.adoptOnDisconnect(record, of: "s")
        #expect(isAdopted)
        #expect(next.database.onDisconnectRecords == bench.database.onDisconnectRecords)
        #expect(next.end() == 0)
        #expect(next.text == "null")
        let isStrangeAdopted = next.database.adoptOnDisconnect([1, 2, 3], of: "t")
        #expect(!isStrangeAdopted)
        #expect(next.database.sessionsWithOnDisconnect.isEmpty)
    }

    @Test("are bounded in size, and stay as they were when there would be too many")
    func bounded() throws {
        var bench = try Bench()
        let text = String(repeating: "x", count: 100_000)
        try bench.set("/a", "\"\(text)\"")
        try bench.set("/b", "\"\(text)\"")
        #expect(throws: Refusal.self) { try bench.set("/c", "\"\(text)\"") }
        try bench.set("/b", "1")
        try bench.set("/c", "\"\(text)\"")
        #expect(bench.end() == 0)
        #expect(bench.database.newest.root.childCount == 3)
    }

    @Test("that could not be recorded are owed until they are")
    func overdue() throws {
        var bench = try Bench()
        try bench.set("/a", "1")
        let found = bench.database.prepareOnDisconnectRun(of: "s", now: 1)
        let run = try #require(found)
        bench.database.postpone(run)
        #expect(bench.database.overdueSessions == ["s"])
        #expect(bench.end() == 0)
        #expect(bench.database.overdueSessions.isEmpty)
        #expect(bench.text == #"{"a":1}"#)
    }
}

@Suite("A condition by the protocol's hash")
struct ListenHashConditionTests {
    private func database(_ json: String) throws -> Database {
        Database(epoch: "e", state: State(root: try DraftReader.draft(Array(json.utf8)).node))
    }

    @Test("is met by what has that hash, and by nothing only if it is empty")
    func met() throws {
        let database = try database(#"{"count":20}"#)
        let hash = "KAU+hDgZHcHeW8Ejndss7NJXOts="
        let write = { (path: String) in Write.set(try Path(path), Draft(Node(.integer(21)))) }
        let condition = { (path: String, hash: String) in
            WriteCondition.listenHash(hash, lastSeen: database.newest.root.descendant(at: try Path(path)))
        }
        _ = try database.prepare(write("/count"), condition: condition("/count", hash), now: 1)
        _ = try database.prepare(write("/new"), condition: condition("/new", ""), now: 1)
        for (path, wrong) in [("/count", ""), ("/new", hash), ("/count", "E5z61QM0lN/U2WsOnusszCTkR8M=")] {
            #expect(throws: Refusal.conditionFailed) {
                try database.prepare(write(path), condition: condition(path, wrong), now: 1)
            }
        }
    }

    @Test("that was found before the lock holds for the same value, and is found anew for small ones")
    func found() throws {
        let large = Node.empty.setting(
            Node(.string(String(repeating: "x", count: 200_000))), at: try Path("text"))
        let condition = WriteCondition.listenHash(large.listenHash, lastSeen: large)
        #expect(condition.isReady(for: large))
        #expect(condition.isReady(for: .empty))
        let other = large.setting(Node(.integer(1)), at: try Path("n"))
        #expect(!condition.isReady(for: other))
        // What was seen after the request came did not meet it: that is an answer.
        let unmet = WriteCondition.listenHash(other.listenHash, lastSeen: large)
        #expect(unmet.isReady(for: large) && unmet.isReady(for: other))
        for (root, condition, isMet) in [
            (large, condition, true), (.empty, condition, false), (Node(.integer(1)), condition, false),
            (large, unmet, false), (other, unmet, false),
        ] {
            let database = Database(epoch: "e", state: State(root: root))
            let write = Write.set(.root, Draft(Node(.integer(2))))
            if isMet {
                _ = try database.prepare(write, condition: condition, now: 1)
            } else {
                #expect(throws: Refusal.conditionFailed) {
                    try database.prepare(write, condition: condition, now: 1)
                }
            }
        }
    }

    @Test("is ready for the very same node only, however equal another is")
    func identity() throws {
        let json = #"{"a":"\#(String(repeating: "x", count: 100_000))",".priority":3}"#
        let node = try DraftReader.draft(Array(json.utf8)).node
        let twin = try DraftReader.draft(Array(json.utf8)).node
        #expect(node.isIdentical(to: node) && !node.isIdentical(to: twin))
        #expect(node == twin)
        #expect(!node.isIdentical(to: node.settingPriority(.none)))
        #expect(Node.empty.isIdentical(to: .empty) && !Node.empty.isIdentical(to: node))
        #expect(Node(.integer(1)).isIdentical(to: Node(.integer(1))))
        #expect(!Node(.integer(1)).isIdentical(to: Node(.integer(1), priority: .number(1))))
    }
}
