// Writing, durability, history and subscriptions of one namespace.
import HearthCore
import HearthEngine
import HearthSync
import Testing

@Suite("A database")
struct DatabaseTests {
    @Test("counts its commits and takes no time back")
    func revisionAndTime() throws {
        var database = Database(epoch: "e")
        let first = try database.perform(.set("/rooms/lobby/topic", text("hello")), now: 500)
        let second = try database.perform(.set("/rooms/lobby/topic", text("bye")), now: 400)
        #expect(first.commit.revision == 1)
        #expect(second.commit.revision == 2)
        #expect(second.commit.time == 500)
        #expect(database.cursor(of: database.newest).description == "e-2")
        #expect(
            database.newest.root == object([("rooms", object([("lobby", object([("topic", text("bye"))]))]))])
        )
    }

    @Test("commits a write that changes nothing")
    func idleWrite() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/a", number(1)))
        try database.perform(.set("/a", number(1)))
        try database.perform(.update("/", []))
        #expect(database.revision == 3)
    }

    @Test("changes nothing when a proposal is dropped")
    func droppedProposal() throws {
        let database = Database(epoch: "e")
        let proposal = try database.prepare(.set("/a", number(1)), now: 1)
        #expect(proposal.after.root == object([("a", number(1))]))
        #expect(database.newest.root == .empty)
        #expect(database.revision == 0)
    }

    @Test("resolves server values with the commit's time and the old numbers")
    func serverValues() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/n", number(7)), now: 100)
        let draft = Draft(
            .empty,
            placeholders: [
                .init(path: path("time"), target: .value(priority: .none), serverValue: .timestamp),
                .init(
                    path: path("n"), target: .value(priority: .number(3)),
                    serverValue: .increment(.integer(2))),
                .init(path: path("time"), target: .priority, serverValue: .timestamp),
            ])
        let publication = try database.perform(.set(.root, draft), now: 50)
        let expected = object([
            ("time", Node(.integer(100), priority: .number(100))),
            ("n", Node(.integer(9), priority: .number(3))),
        ])
        #expect(database.newest.root == expected)
        #expect(publication.commit.edits == [.put(.root, expected)])
    }

    @Test(
        "adds increments as integers while they fit",
        arguments: [
            (Leaf.integer(40), Leaf.integer(2), Leaf.integer(42)),
            (.integer(.max), .integer(1), .double(0x1p63)),
            (.double(0.5), .integer(1), .double(1.5)),
            (.string("7"), .integer(1), .integer(1)),
            (.bool(true), .double(2.5), .double(2.5)),
        ])
    func increments(old: Leaf, delta: Leaf, sum: Leaf) throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/n", Node(old)))
        let draft = Draft(
            .empty,
            placeholders: [
                .init(path: .root, target: .value(priority: .none), serverValue: .increment(delta))
            ])
        try database.perform(.set(path("/n"), draft))
        #expect(database.newest.root.child(key("n")).leaf == sum)
    }

    @Test("counts path and value together against 32 levels", arguments: [(0, 32), (31, 1), (32, 0)])
    func depth(above: Int, below: Int) throws {
        var database = Database(epoch: "e")
        let place = Path(Array(repeating: key("p"), count: above))
        let deepest = Path(Array(repeating: key("v"), count: below))
        let fitting = Node.empty.setting(number(1), at: deepest)
        try database.perform(.set(place, Draft(fitting)))
        let deeper = Node.empty.setting(number(1), at: deepest.appending(key("v")))
        #expect(throws: Refusal.tooDeep) { try database.perform(.set(place, Draft(deeper))) }
        #expect(throws: Refusal.tooDeep) {
            try database.perform(.update(.root, [(place, Draft(deeper))]))
        }
        #expect(database.revision == 1)
    }

    @Test("looks at a condition in the same step")
    func condition() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/n", number(1)))
        let isOne = WriteCondition { $0 == number(1) }
        let proposal = try database.prepare(.set("/n", number(2)), condition: isOne, now: 1)
        _ = database.commit(proposal, at: database.newestPosition + 1)
        #expect(throws: Refusal.conditionFailed) {
            _ = try database.prepare(.set("/n", number(3)), condition: isOne, now: 1)
        }
    }

    @Test("writes only over the value whose ETag the client names")
    func etag() throws {
        var database = Database(epoch: "e")
        func outcome(_ etag: String, _ value: Int64) -> String {
            do throws(Refusal) {
                let write = Write.set("/rooms/lobby", number(value))
                let proposal = try database.prepare(write, condition: .etag(etag), now: 1)
                _ = database.commit(proposal, at: database.newestPosition + 1)
                return "written"
            } catch {
                return "\(error)"
            }
        }
        let etag = number(1).etag
        #expect(outcome(etag, 1) == "conditionFailed")
        #expect(outcome("null_etag", 1) == "written")
        #expect(outcome("null_etag", 2) == "conditionFailed")
        #expect(outcome("made up", 2) == "conditionFailed")
        #expect(outcome(etag, 2) == "written")
        #expect(outcome(etag, 3) == "conditionFailed")
        #expect(database.newest.root.descendant(at: path("/rooms/lobby")) == number(2))
    }

    @Test("changes a priority alone, and gives none to nothing")
    func priority() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/a", object([("b", number(1))])))
        try database.perform(.prioritize(path("/a"), .known(.string("p"))))
        try database.perform(.prioritize(path("/none"), .known(.number(1))))
        let incremented = Draft.Placeholder.Resolution.serverValue(.increment(.integer(4)))
        try database.perform(.prioritize(path("/a/b"), incremented))
        let expected = object([
            ("a", object([("b", Node(.integer(1), priority: .number(4)))], priority: .string("p")))
        ])
        #expect(database.newest.root == expected)
    }

    @Test("names children of a POST with ascending names, whatever the clock does")
    func pushIDs() throws {
        var database = Database(epoch: "e")
        var random = SystemRandomNumberGenerator()
        try database.perform(.set("/a", number(1)), now: 9_000)
        let names = [9_001, 10, 20, 9_000].map { database.pushID(now: $0, using: &random) }
        #expect(names == names.sorted())
        #expect(Set(names).count == 4)
    }

    @Test("serves reads from what is durable")
    func durability() throws {
        var database = Database(epoch: "e")
        try database.perform(.set("/a", number(1)))
        try database.perform(.set("/a", number(2)))
        #expect(database.durable.root == .empty)
        database.durable(upTo: 1)
        #expect(database.durable.root.child(key("a")) == number(1))
        #expect(database.hasPending == true)
        database.durable(upTo: 7)
        #expect(database.durable.revision == database.newest.revision)
        #expect(database.hasPending == false)
    }

    @Test("is the same after its commits are replayed")
    func replayed() throws {
        var database = Database(epoch: "e")
        var commits: [Commit] = []
        commits.append(try database.perform(.set("/rooms/lobby", object([("topic", text("hello"))]))).commit)
        commits.append(
            try database.perform(.update("/rooms", [("lobby/topic", .empty), ("den", number(1))])).commit)
        commits.append(try database.perform(.rules(Array(#"{"rules": {".read": true}}"#.utf8))).commit)
        var opened = Database(epoch: "e")
        for commit in commits { opened.replay(commit) }
        #expect(opened.newest.root == database.newest.root)
        #expect(opened.durable.revision == 3)
        #expect(opened.newest.time == database.newest.time)
        #expect(opened.newest.rules?.text == database.newest.rules?.text)
    }

    @Test("refuses rules that cannot be read with line and column, and keeps the old ones")
    func rules() throws {
        var database = Database(epoch: "e")
        let good = Array(#"{"rules": {}}"#.utf8)
        try database.perform(.rules(good))
        let refusal = Refusal.invalidRules("2:1: Parse error. Expected ':'.")
        #expect(throws: refusal) { try database.perform(.rules(Array("{\"rules\"\n}".utf8))) }
        #expect(database.newest.rules?.text == good)
    }
}
