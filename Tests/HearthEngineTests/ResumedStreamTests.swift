// Streams that are cut at random and resumed by cursor miss nothing and hear nothing twice.
import HearthCore
import HearthEngine
import HearthSync
import HearthTesting
import Testing

/// A stream's end at a client: what it was told of a view, and the cursor that it holds.
private struct Stream {
    let view: View
    var cursor: Cursor?
    /// The children as the events tell them.
    private(set) var children: [Key: Node] = [:]
    /// The value as put and patch tell it.
    private(set) var value = Node.empty
    private(set) var resyncCount = 0
    private(set) var replayCount = 0

    init(_ view: View) {
        self.view = view
    }

    /// Comes back with its cursor and catches up with the newest state.
    mutating func resume(_ database: borrowing Database) throws {
        switch database.resume(view, from: cursor) {
        case .current:
            break
        case .replay(let replay):
            replayCount += 1
            for step in replay.steps() { try hear(step.commit, step.before, step.after) }
        case .present, .resync:
            resyncCount += 1
            children = [:]
            for event in try view.present(in: database.newest) { children[event.key] = event.data }
            value = try view.value(in: database.newest)
        }
        cursor = database.cursor(of: database.newest)
    }

    mutating func hear(_ commit: Commit, _ before: State, _ after: State) throws {
        for event in try view.events(of: commit, before: before, after: after).children {
            switch event.kind {
            case .removed:
                #expect(children.removeValue(forKey: event.key) == event.data, "told as it was, once")
            case .added:
                #expect(children.updateValue(event.data, forKey: event.key) == nil, "told once")
            case .moved, .changed:
                #expect(children.updateValue(event.data, forKey: event.key) != nil, "was there")
            }
        }
        switch try view.change(by: commit, before: before, after: after) {
        case nil: break
        case .put(let path, let node): value.set(node, at: path)
        case .patch(let path, let members):
            for member in members { value.set(member.node, at: path.appending(member.path)) }
        case .prioritize(let path, let priority):
            value.set(value.descendant(at: path).settingPriority(priority), at: path)
        }
    }

    func expectHolds(_ state: State) throws {
        let window = try Window(of: view, in: state)
        #expect(children.count == window.positions.count, "\(view)")
        for child in window.children { #expect(children[child.key] == child.node, "\(view) \(child.key)") }
        let value = try view.value(in: state)
        #expect(text(self.value) == text(value), "\(view)")
    }

    private func text(_ node: Node) -> String {
        String(decoding: NodeSerializer.bytes(of: node), as: UTF8.self)
    }
}

@Suite("A stream that is cut and comes back")
struct ResumedStreamTests {
    private let names = ["a", "b", "c", "d", "1", "2", "n"]

    private func somePath(_ random: inout SeededRandom) -> Path {
        var place = path(random.oneIn(10) ? "/rooms" : "/rooms/lobby")
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            place = place.appending(key(names.randomElement(using: &random) ?? "a"))
        }
        return place
    }

    private func someNode(_ random: inout SeededRandom, levels: Int = 2) -> Node {
        let priority: Priority =
            random.oneIn(8) ? .number(Double(Int.random(in: 0...2, using: &random))) : .none
        if levels == 0 || random.oneIn(2) {
            return Node(.integer(.random(in: 0...3, using: &random)), priority: priority)
        }
        let children = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (names.randomElement(using: &random) ?? "a", someNode(&random, levels: levels - 1))
        }
        return object(children, priority: priority)
    }

    private func someWrite(_ random: inout SeededRandom) -> Write {
        let place = somePath(&random)
        if random.oneIn(12) { return .prioritize(place, .known(random.oneIn(2) ? .none : .number(1))) }
        if random.oneIn(3) {
            let first = someNode(&random)
            let second = random.oneIn(2) ? Node.empty : someNode(&random)
            return .update(place, [(path("a/x"), Draft(first)), (path("b"), Draft(second))])
        }
        return .set(place, Draft(random.oneIn(3) ? .empty : someNode(&random)))
    }

    private func views() -> [View] {
        let lobby = path("/rooms/lobby")
        let two = Query.Bound(value: .leaf(.integer(2)), key: .start)
        return [
            View(path: lobby), View(path: .root), View(path: path("/rooms/lobby/a")),
            View(path: lobby, query: Query(limit: .last(2))),
            View(path: lobby, query: Query(order: .value, limit: .last(3))),
            View(path: lobby, query: Query(order: .child(path("n")), lower: two)),
            View(path: lobby, query: Query(order: .child(path("n")), limit: .first(2))),
            View(path: lobby, query: Query(order: .key, upper: .init(value: .null, key: .before(key("c"))))),
        ]
    }

    @Test("holds what a fresh read gives, and was told each commit once", arguments: [25, 1_000])
    func random(historyCommitCount: Int) throws {
        var random = SeededRandom(for: "resumed streams")
        let rules = #"{"rules": {"rooms": {"$room": {".indexOn": ["n", ".value"]}}}}"#
        for _ in 0..<8 {
            let start = State(rules: try StoredRules(checking: Array(rules.utf8)))
                .limitingIndexes(childThreshold: 2, inlineWeight: 10_000)
            var database = Database(
                epoch: "e", state: start, limits: .init(historyCommitCount: historyCommitCount))
            var connected = views().map { Stream($0) }
            var cut: [Stream] = []
            for index in connected.indices { try connected[index].resume(database) }
            for _ in 0..<150 {
                let publication = try database.perform(someWrite(&random))
                for index in connected.indices {
                    try connected[index].hear(publication.commit, publication.before, publication.after)
                    connected[index].cursor = database.cursor(of: database.newest)
                }
                if random.oneIn(4), let index = connected.indices.randomElement(using: &random) {
                    cut.append(connected.remove(at: index))
                }
                if random.oneIn(6), let index = cut.indices.randomElement(using: &random) {
                    connected.append(cut.remove(at: index))
                    try connected[connected.count - 1].resume(database)
                }
                for stream in connected { try stream.expectHolds(database.newest) }
            }
            for index in cut.indices { try cut[index].resume(database) }
            for stream in cut { try stream.expectHolds(database.newest) }
            let all = connected + cut
            #expect(all.contains { $0.replayCount > 0 }, "some were told what they had missed")
            if historyCommitCount > 150 { #expect(all.allSatisfy { $0.resyncCount == 1 }) }
        }
    }

    @Test("is told of touched views by publications alone")
    func touched() throws {
        var random = SeededRandom(for: "touched views")
        var database = Database(epoch: "e")
        let subscriptions = views().map { (view: $0, id: database.subscribe(to: $0, on: 3).id) }
        for _ in 0..<400 {
            let publication = try database.perform(someWrite(&random))
            let touched = Set(publication.touched.map(\.id))
            for (view, id) in subscriptions where !touched.contains(id) {
                let events = try view.events(
                    of: publication.commit, before: publication.before, after: publication.after)
                #expect(events.children.isEmpty)
                #expect(try view.value(in: publication.before) == view.value(in: publication.after))
            }
            for view in publication.touched { #expect(view.loops.contains(3)) }
        }
        for (_, id) in subscriptions { database.unsubscribe(from: id, on: 3) }
        #expect(database.viewCount == 0)
        #expect(try database.perform(.set("/rooms", number(1))).touched == [])
    }
}
