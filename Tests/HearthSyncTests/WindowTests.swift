// Windows against a naive sort, and what they may cost.
import HearthCore
import HearthSync
import HearthTesting
import Testing

@Suite("A window")
struct WindowTests {
    @Test("is what a naive sort gives, with and without indexes")
    func model() throws {
        var random = SeededRandom(for: "window")
        for _ in 0..<150 {
            var chance = RandomQueries(random: random.branch())
            let tree = try chance.object(count: Int.random(in: 0...40, using: &random))
            let root = Node.empty.setting(tree, at: try Path("/q"))
            let rules = try StoredRules(checking: Array(RandomQueries.rules.utf8))
            let plain = State(root: root, rules: rules)
            let indexed = plain.limitingIndexes(childThreshold: 0, inlineWeight: 1_000_000)
                .demandingIndex(at: try Path("/q"), order: .priority)
            for _ in 0..<20 {
                let view = View(path: try Path("/q"), query: try chance.query())
                let expected = naive(view.query, tree)
                for state in [plain, indexed] {
                    let window = try Window(of: view, in: state)
                    #expect(window.children.map(\.key) == expected, "\(view.query)")
                    #expect(window.children.map(\.node) == expected.map(tree.child), "\(view.query)")
                    #expect(window.result.children().map(\.key) == expected.sorted())
                }
                #expect(Window.effort(for: view, in: indexed) == .ordered)
            }
        }
    }

    private func naive(_ query: Query, _ node: Node) -> [Key] {
        var children: [(value: Query.Value, key: Key)] = []
        for child in node.children() {
            let value = query.order.value(of: child.node)
            if query.contains(.init(value: value, key: child.key)) { children.append((value, child.key)) }
        }
        children.sort { left, right in
            let ordering = left.value.ordering(to: right.value)
            return ordering == .same ? left.key < right.key : ordering == .ascending
        }
        switch query.limit {
        case nil: return children.map(\.key)
        case .first(let count): return children.prefix(count).map(\.key)
        case .last(let count): return children.suffix(count).map(\.key)
        }
    }

    @Test("costs no sort by key, by priority where there is none, or with an index")
    func effort() throws {
        let tree = #"{"q":{"a":1,"b":2,"c":3},"r":{"a":{".value":1,".priority":1},"b":2}}"#
        let scene = try Scene(tree, rules: #"{"rules":{"q":{".indexOn":".value"}}}"#, childThreshold: 2)
        func effort(_ path: String, _ query: String) throws -> Window.Effort {
            Window.effort(for: try View(path, query), in: scene.state)
        }
        #expect(try effort("/q", "order=key last=1") == .ordered)
        #expect(try effort("/q", "last=1") == .ordered)
        #expect(try effort("/q", "order=value") == .ordered)
        #expect(try effort("/q", "order=n") == .sort(childCount: 3))
        #expect(try effort("/r", "last=1") == .sort(childCount: 2))
        #expect(try effort("/q/a", "order=value") == .ordered)
    }

    @Test("that would have to sort too many children is refused, and so are its events")
    func bounded() throws {
        var scene = try Scene(#"{"q":{"a":1,"b":2,"c":3}}"#)
        let view = try View("/q", "order=value last=1")
        let text = "4 children have no index in this order; at most 3 are sorted"
        let step = try scene.perform("put /q/d 4")
        #expect(throws: Refusal.tooLarge(text)) { try Window(of: view, in: scene.state, sortLimit: 3) }
        #expect(throws: Refusal.tooLarge(text)) { try view.value(in: scene.state, sortLimit: 3) }
        #expect(throws: Refusal.tooLarge(text)) { _ = try view.present(in: scene.state, sortLimit: 3) }
        #expect(throws: Refusal.tooLarge(text)) {
            try view.events(of: step.commit, before: step.before, after: step.after, sortLimit: 3)
        }
        #expect(throws: Refusal.tooLarge(text)) {
            try view.change(by: step.commit, before: step.before, after: step.after, sortLimit: 3)
        }
        #expect(try Window(of: view, in: scene.state, sortLimit: 4).positions.count == 1)
    }

    @Test(
        "by value gives what stands in the tree, whatever stands beside it",
        arguments: [
            #"{"a":true,"b":false,"c":-1.5,"d":9007199254740993,"e":"","f":"hällo","g":1e300}"#,
            #"{"a":"a text that is longer than what an index holds of it","b":"with \u0000 in it","c":0}"#,
            #"{"a":1,"b":{"x":1},"c":"s"}"#,
            #"{"a":1,"b":{".value":2,".priority":7},"c":3}"#,
        ])
    func byValue(json: String) throws {
        let scene = try Scene(
            "{\"q\":\(json)}", rules: #"{"rules":{"q":{".indexOn":".value"}}}"#, childThreshold: 0)
        let view = try View("/q", "order=value")
        #expect(try text(view.value(in: scene.state)) == text(node(json)))
    }

    @Test("gives whole children, without the priority of their parent")
    func whole() throws {
        let scene = try Scene(#"{"q":{".priority":9,"a":{"x":1,".priority":3},"b":2}}"#)
        #expect(try text(View("/q", "last=1").value(in: scene.state)) == #"{"a":{"x":1,".priority":3}}"#)
        #expect(
            try text(View("/q").value(in: scene.state)) == #"{"a":{"x":1,".priority":3},"b":2,".priority":9}"#
        )
        #expect(try text(View("/q/b", "order=key").value(in: scene.state)) == "null")
        #expect(try text(View("/q/b").value(in: scene.state)) == "2")
        #expect(try text(View("/q/b", "last=1").value(in: scene.state)) == "null")
    }
}
