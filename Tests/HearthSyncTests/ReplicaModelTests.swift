// Clients that apply what is pushed see what a fresh query gives, for random writes and queries.
import HearthCore
import HearthSync
import HearthTesting
import Testing

@Suite("Clients of the realtime protocol")
struct ReplicaModelTests {
    /// Listens of one client, whose copies are changed by pushes alone.
    private struct Client {
        var replica = Replica()
        var listens: [(view: View, tag: Int64?)] = []

        mutating func listen(to view: View, tag: Int64?, in state: State) throws {
            listens.append((view, tag))
            replica.listen(to: view.path, query: view.query, tag: tag)
            try replica.receive(.overwrite(view.path, .node(view.value(in: state))), tag: tag)
            replica.complete(view.path, tag: tag)
        }

        mutating func hear(_ step: Step, _ random: inout SeededRandom) throws {
            // Listens are independent of each other: their pushes may come in any order, but those with a tag
            // first.
            let shuffled = listens.shuffled(using: &random)
            for (view, tag) in shuffled.filter({ $0.tag != nil }) + shuffled.filter({ $0.tag == nil }) {
                let push = try view.push(by: step.commit, before: step.before, after: step.after)
                if let push { try replica.receive(push, tag: tag) }
            }
        }

        func expectFresh(_ state: State, _ comment: @autoclosure () -> String) throws {
            for (view, tag) in listens {
                let fresh = try view.value(in: state)
                let copy = replica.value(of: view.path, tag: tag)
                #expect(
                    copy == fresh,
                    "\(comment()): \(view) holds \(text(copy)) instead of \(text(fresh))")
                #expect(replica.hash(of: view.path, tag: tag) == fresh.listenHash)
            }
        }
    }

    /// A write that no single request makes, as the on-disconnect writes of a session are.
    private func mixedEdits(_ random: inout RandomQueries) throws -> [Edit] {
        var edits: [Edit] = []
        for _ in 0..<random.int(1...4) {
            var place = try Path("/q")
            for _ in 0..<random.int(1...3) { place = place.appending(try random.key()) }
            guard edits.allSatisfy({ !$0.path.contains(place) && !place.contains($0.path) }) else { continue }
            edits.append(.put(place, random.random.oneIn(2) ? .empty : try random.value(levels: 1)))
        }
        guard random.random.oneIn(2), let place = edits.first?.path.parent else { return edits }
        return edits + [.prioritize(place, random.priority())]
    }

    private func write(_ random: inout RandomQueries, _ scene: inout Scene) throws -> Step {
        if random.random.oneIn(6) { return scene.perform(.update, .root, try mixedEdits(&random)) }
        let (kind, base, edits) = try random.write()
        return scene.perform(kind, base, edits)
    }

    private func filteredQuery(_ random: inout RandomQueries) throws -> Query {
        while true {
            let query = try random.query()
            if !query.isUnfiltered { return query }
        }
    }

    @Test("hold what a fresh query gives after every commit, with and without tags", arguments: [0, 128])
    func model(childThreshold: Int) throws {
        var random = RandomQueries(random: SeededRandom(for: "replicas with indexes from \(childThreshold)"))
        for _ in 0..<60 {
            var scene = try Scene(
                "{\"q\":\(text(try random.value(levels: 3)))}", rules: RandomQueries.rules,
                childThreshold: childThreshold)
            var clients = [Client(), Client(), Client()]
            // One listens to whole values; the second to windows, and to whole values below them; the third
            // to deep windows.
            for path in ["/", "/q", "/q/a"] {
                try clients[0].listen(to: View(path), tag: nil, in: scene.state)
            }
            for tag in 1...4 as ClosedRange<Int64> {
                let view = View(path: try Path("/q"), query: try filteredQuery(&random))
                try clients[1].listen(to: view, tag: tag, in: scene.state)
            }
            for path in ["/q/a", "/q/b/n", "/q/n"] {
                try clients[1].listen(to: View(path), tag: nil, in: scene.state)
            }
            for (tag, path) in [(1, "/q/a"), (2, "/q/n"), (3, "/q/n/m"), (4, "/")] as [(Int64, String)] {
                let view = View(path: try Path(path), query: try filteredQuery(&random))
                try clients[2].listen(to: view, tag: tag, in: scene.state)
            }
            for number in 0..<25 {
                let step = try write(&random, &scene)
                for index in clients.indices {
                    try clients[index].hear(step, &random.random)
                    try clients[index].expectFresh(scene.state, "write \(number), \(step.commit.edits)")
                }
            }
        }
    }

    @Test("are told nothing about commits that change nothing for them")
    func silence() throws {
        var random = RandomQueries(random: SeededRandom(for: "silent commits"))
        var scene = try Scene("{\"q\":\(text(try random.value(levels: 3)))}")
        for _ in 0..<400 {
            let step = try write(&random, &scene)
            let query = random.random.oneIn(2) ? Query.whole : try filteredQuery(&random)
            let view = View(path: try Path(random.random.oneIn(3) ? "/q" : "/q/a"), query: query)
            let isTold = try view.push(by: step.commit, before: step.before, after: step.after) != nil
            #expect(try isTold == (view.value(in: step.before) != view.value(in: step.after)))
        }
    }
}
