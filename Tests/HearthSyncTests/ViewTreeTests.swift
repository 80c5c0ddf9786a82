// Which views a commit touches, and that the trie holds no more than it must.
import HearthCore
import HearthSync
import HearthTesting
import Testing

@Suite("A tree of views")
struct ViewTreeTests {
    private func place(_ text: String) throws -> Path { try Path(text) }

    private func put(_ text: String) throws -> Edit { .put(try Path(text), Node(.integer(1))) }

    @Test("finds the views above, at and below a write, each once")
    func touched() throws {
        var tree = ViewTree()
        var names: [ViewID: String] = [:]
        for text in ["/", "/rooms", "/rooms/lobby", "/rooms/lobby/messages/m1", "/rooms/den", "/tokens"] {
            names[tree.subscribe(to: View(path: try place(text)), on: 0)] = text
        }
        let last = View(path: try place("/rooms/lobby"), query: Query(limit: .last(50)))
        names[tree.subscribe(to: last, on: 0)] = "last of lobby"
        func touched(_ texts: String...) throws -> [String] {
            tree.touched(by: try texts.map { try put($0) }).compactMap { names[$0.id] }.sorted()
        }
        #expect(try touched("/rooms/lobby/topic") == ["/", "/rooms", "/rooms/lobby", "last of lobby"])
        #expect(try touched("/rooms/den") == ["/", "/rooms", "/rooms/den"])
        #expect(try touched("/").count == 7)
        #expect(try touched("/tokens/t", "/rooms/den/x") == ["/", "/rooms", "/rooms/den", "/tokens"])
        #expect(try touched("/elsewhere") == ["/"])
        #expect(tree.touched(by: []).isEmpty)
    }

    @Test("names the loops that have subscribers")
    func loops() throws {
        var tree = ViewTree()
        let view = View(path: try place("/rooms/lobby"))
        let id = tree.subscribe(to: view, on: 1)
        #expect(tree.subscribe(to: view, on: 5) == id)
        #expect(tree.subscribe(to: view, on: 5) == id)
        func loops() throws -> [Int] {
            guard let found = tree.touched(by: [try put("/rooms")]).first else { return [] }
            return (0..<LoopSet.capacity).filter { found.loops.contains($0) }
        }
        #expect(try loops() == [1, 5])
        tree.unsubscribe(from: id, on: 5)
        #expect(try loops() == [1, 5])
        tree.unsubscribe(from: id, on: 5)
        #expect(try loops() == [1])
        tree.unsubscribe(from: id, on: 1)
        #expect(try loops().isEmpty)
        #expect(tree.view(id) == nil)
        #expect(tree.subscribe(to: view, on: 1) != id)
    }

    @Test("agrees with a list of all views, and is empty again in the end")
    func model() throws {
        var random = SeededRandom(for: "view tree")
        var tree = ViewTree()
        var model: [(id: ViewID, view: View, loop: Int)] = []
        func somePath() throws -> Path {
            let depth = Int.random(in: 0...4, using: &random)
            return Path(
                try (0..<depth).map { _ in try Key(["a", "b", "c"].randomElement(using: &random) ?? "a") })
        }
        for _ in 0..<3_000 {
            if random.oneIn(3), let index = model.indices.randomElement(using: &random) {
                let gone = model.remove(at: index)
                tree.unsubscribe(from: gone.id, on: gone.loop)
            } else {
                let query = random.oneIn(2) ? Query.whole : Query(limit: .first(1))
                let view = View(path: try somePath(), query: query)
                let loop = Int.random(in: 0..<3, using: &random)
                model.append((tree.subscribe(to: view, on: loop), view, loop))
            }
            let edits = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Edit.put(try somePath(), .empty)
            }
            let touched = tree.touched(by: edits)
            let expected = Set(
                model.filter { entry in
                    edits.contains { $0.path.contains(entry.view.path) || entry.view.path.contains($0.path) }
                }.map(\.id))
            #expect(touched.count == expected.count)
            #expect(Set(touched.map(\.id)) == expected)
        }
        for entry in model { tree.unsubscribe(from: entry.id, on: entry.loop) }
        #expect(tree.count == 0)
        #expect(tree.placeCount == 1)
    }
}
