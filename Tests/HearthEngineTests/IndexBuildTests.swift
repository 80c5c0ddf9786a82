// Indexes built beside writes, and put in when they have caught up.
import HearthCore
import HearthEngine
import HearthSync
import Testing

@Suite("Indexes of a database")
struct IndexBuildTests {
    private let rules = Array(#"{"rules": {"rooms": {"$room": {".indexOn": "n"}}}}"#.utf8)
    private let lobby = View(
        path: path("/rooms/lobby"), query: Query(order: .child(path("n")), limit: .last(2)))

    private func room(_ count: Int) -> Node {
        object((0..<count).map { ("k\($0)", object([("n", number(Int64($0)))])) })
    }

    /// A database that has a large room and rules, but no index yet.
    private func opened(_ count: Int = 10_000) throws -> Database {
        let root = Node.empty.setting(room(count), at: path("/rooms/lobby"))
        return Database(epoch: "e", state: State(root: root, rules: try StoredRules(checking: rules)))
    }

    @Test("are missing after opening, and there after a build, for reads too")
    func opening() throws {
        var database = try opened()
        #expect(database.lacksIndexes == true)
        #expect(Window.effort(for: lobby, in: database.newest) == .sort(childCount: 10_000))
        guard let build = database.beginIndexBuild() else {
            Issue.record("there is something to build")
            return
        }
        #expect(database.beginIndexBuild() == nil, "one build at a time")
        #expect(database.finishIndexBuild(build.run()) == nil)
        #expect(database.lacksIndexes == false)
        #expect(Window.effort(for: lobby, in: database.newest) == .ordered)
        #expect(Window.effort(for: lobby, in: database.durable) == .ordered)
        #expect(
            try Window(of: lobby, in: database.newest).positions.map(\.key) == [key("k9998"), key("k9999")])
    }

    @Test("take in what is written while they are built", arguments: [3, 200])
    func catchingUp(writeCount: Int) throws {
        var database = try opened()
        guard var build = database.beginIndexBuild()?.run() else {
            Issue.record("there is something to build")
            return
        }
        for value in 0..<writeCount {
            try database.perform(.set("/rooms/lobby/k\(value)/n", number(Int64(20_000 + value))))
            try database.perform(.set("/rooms/lobby/k\(9_000 + value)", .empty))
        }
        var roundCount = 0
        while let again = database.finishIndexBuild(build) {
            roundCount += 1
            build = again.run()
            try database.perform(.set("/rooms/lobby/late\(roundCount)/n", number(30_000)))
        }
        #expect(roundCount == (writeCount > 32 ? 1 : 0))
        let window = try Window(
            of: View(path: lobby.path, query: Query(order: lobby.query.order)), in: database.newest)
        let expected = database.newest.root.descendant(at: lobby.path).children()
            .map { Query.Position(value: lobby.query.order.value(of: $0.node), key: $0.key) }.sorted()
        #expect(Window.effort(for: lobby, in: database.newest) == .ordered)
        #expect(window.positions == expected)
        database.durable(upTo: database.newestPosition)
        #expect(Window.effort(for: lobby, in: database.durable) == .ordered)
    }

    @Test("are built again for new rules and for a large value that is written at once")
    func anew() throws {
        var database = Database(epoch: "e")
        try database.perform(.rules(rules))
        #expect(database.lacksIndexes == false)
        try database.perform(.set("/rooms/den", room(200)))
        #expect(database.lacksIndexes == false, "little is built at once")
        try database.perform(.set("/rooms/lobby", room(10_000)))
        #expect(database.lacksIndexes == true, "much is left to a worker")
        if let build = database.beginIndexBuild() { #expect(database.finishIndexBuild(build.run()) == nil) }
        #expect(Window.effort(for: lobby, in: database.newest) == .ordered)
        try database.perform(.rules(Array(#"{"rules": {"rooms": {".indexOn": "n"}}}"#.utf8)))
        #expect(Window.effort(for: lobby, in: database.newest) == .ordered, "kept until the build")
        if let build = database.beginIndexBuild() { #expect(database.finishIndexBuild(build.run()) == nil) }
        #expect(Window.effort(for: lobby, in: database.newest) == .sort(childCount: 10_000))
    }

    @Test("are kept for an order that is demanded, through builds and restocking", arguments: [200, 10_000])
    func demanded(count: Int) throws {
        var database = try opened(count)
        let ranked = View(path: lobby.path, query: Query(limit: .last(2)))
        database.demandIndex(for: ranked)
        #expect(Window.effort(for: ranked, in: database.newest) == .ordered, "no child has a priority")
        try database.perform(.prioritize(path("/rooms/lobby/k5"), .known(.number(1))))
        #expect(Window.effort(for: ranked, in: database.newest) == .sort(childCount: count))
        let running = database.beginIndexBuild()
        database.demandIndex(for: ranked)
        database.demandIndex(for: ranked)
        if let running { #expect(database.finishIndexBuild(running.run()) == nil) }
        if let build = database.beginIndexBuild() { #expect(database.finishIndexBuild(build.run()) == nil) }
        #expect(Window.effort(for: ranked, in: database.newest) == .ordered)
        try database.perform(.prioritize(path("/rooms/lobby/k7"), .known(.number(0))))
        #expect(try Window(of: ranked, in: database.newest).positions.map(\.key) == [key("k7"), key("k5")])
        #expect(database.lacksIndexes == false)
    }

    @Test("are demanded by subscribing to a window by priority, and by no other subscription")
    func subscribed() throws {
        var database = try opened(200)
        try database.perform(.prioritize(path("/rooms/lobby/k5"), .known(.number(1))))
        let ranked = View(path: lobby.path, query: Query(limit: .last(2)))
        let byOther = View(path: lobby.path, query: Query(order: .child(path("other")), limit: .last(2)))
        _ = database.subscribe(to: View(path: lobby.path), on: 0)
        _ = database.subscribe(to: byOther, on: 0)
        #expect(Window.effort(for: ranked, in: database.newest) == .sort(childCount: 200))
        _ = database.subscribe(to: ranked, on: 0)
        #expect(Window.effort(for: ranked, in: database.newest) == .ordered)
        #expect(Window.effort(for: byOther, in: database.newest) == .sort(childCount: 200))
    }

    @Test("are demanded for a few orders of a place at most")
    func fewOrders() throws {
        var database = try opened(200)
        let views = (0..<9).map {
            View(path: lobby.path, query: Query(order: .child(path("x\($0)")), limit: .last(1)))
        }
        for view in views { database.demandIndex(for: view) }
        let ordered = views.filter { Window.effort(for: $0, in: database.newest) == .ordered }
        #expect(ordered.count == 4)
    }

    @Test("are left to a build while commits are read back")
    func readBack() throws {
        var database = Database(epoch: "e")
        var commits = [try database.perform(.rules(rules)).commit]
        for value in 0..<300 {
            commits.append(
                try database.perform(.set("/rooms/lobby/k\(value)/n", number(Int64(value)))).commit)
        }
        var opened = Database(epoch: "e")
        for commit in commits { opened.replay(commit) }
        #expect(opened.lacksIndexes == true)
        #expect(Window.effort(for: lobby, in: opened.newest) == .sort(childCount: 300))
        if let build = opened.beginIndexBuild() { #expect(opened.finishIndexBuild(build.run()) == nil) }
        #expect(
            try Window(of: lobby, in: opened.durable).positions
                == Window(of: lobby, in: database.newest).positions)
        #expect(Window.effort(for: lobby, in: opened.durable) == .ordered)
    }

    @Test("can be given up and begun again")
    func abandoned() throws {
        var database = try opened()
        _ = database.beginIndexBuild()
        #expect(database.lacksIndexes == false)
        database.abandonIndexBuild()
        #expect(database.lacksIndexes == true)
        #expect(database.beginIndexBuild() != nil)
    }
}
