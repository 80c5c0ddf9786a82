// Indexes kept up to date with each edit against indexes built afresh.
import HearthTesting
import Testing

@testable import HearthCore

@Suite("Indexes kept beside the tree")
struct IndexUpkeepTests {
    private let rulesText = """
        {"rules": {
          "rooms": {"$room": {".indexOn": ["n", ".value"], "m": {".indexOn": "t/u"}}, "den": {}},
          "flat": {".indexOn": [".value", "n"]}
        }}
        """
    private let places = ["/rooms/r", "/rooms/s", "/rooms/r/m", "/rooms/den", "/flat", "/rooms", "/"]

    private func emptyState(inlineWeight: Int) throws -> State {
        State(rules: try StoredRules(checking: Array(rulesText.utf8)))
            .limitingIndexes(childThreshold: 4, inlineWeight: inlineWeight)
    }

    private func randomLeaf(_ random: inout SeededRandom) -> Node {
        let priority: Priority =
            random.oneIn(4) ? .number(Double(Int.random(in: 0..<3, using: &random))) : .none
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Node(.bool(random.oneIn(2)), priority: priority)
        case 1: return Node(.string(randomText(&random)), priority: priority)
        default: return Node(.integer(.random(in: 0..<4, using: &random)), priority: priority)
        }
    }

    /// Some are equal, some differ only after more than an index keeps in words.
    private func randomText(_ random: inout SeededRandom) -> String {
        let beginning = random.oneIn(2) ? "" : "a text of which the beginning "
        return beginning + (random.oneIn(2) ? "a" : "b")
    }

    private func randomNode(_ random: inout SeededRandom, levels: Int) throws -> Node {
        if levels == 0 || random.oneIn(3) { return random.oneIn(6) ? .empty : randomLeaf(&random) }
        var builder = Node.Builder()
        for _ in 0..<Int.random(in: 0...7, using: &random) {
            let node = try randomNode(&random, levels: levels - 1)
            builder.insert(node, for: try randomKey(&random))
        }
        return builder.finish(priority: random.oneIn(5) ? .string("p") : .none)
    }

    private func randomKey(_ random: inout SeededRandom) throws -> Key {
        try Key(["n", "t", "u", "m", "r", "s", "a", "b", "1", "2"].randomElement(using: &random) ?? "n")
    }

    private func randomEdit(_ random: inout SeededRandom) throws -> Edit {
        var path = try Path(places.randomElement(using: &random) ?? "/")
        for _ in 0..<Int.random(in: 0...3, using: &random) { path = path.appending(try randomKey(&random)) }
        if random.oneIn(10) { return .prioritize(path, random.oneIn(2) ? .none : .number(7)) }
        let levels = Int.random(in: 0...3, using: &random)
        return .put(path, random.oneIn(4) ? .empty : try randomNode(&random, levels: levels))
    }

    /// Every index is right, and where nothing is unscanned none is missing.
    private func check(_ state: State, isComplete: Bool) throws {
        for place in places {
            let path = try Path(place)
            let node = state.root.descendant(at: path)
            for order in [Query.Order.value, .child(try Path("n")), .child(try Path("t/u")), .priority] {
                let expected = node.children()
                    .map { Query.Position(value: order.value(of: $0.node), key: $0.key) }.sorted()
                let isDefined = state.rules?.indexes.orders(at: path).contains(order) ?? false
                if let index = state.index(at: path, order: order) {
                    #expect(Array(index.ascending()) == expected, "\(order) at \(place)")
                } else if isComplete, isDefined {
                    #expect(node.childCount <= 4, "\(order) at \(place) is missing")
                }
            }
        }
    }

    @Test("are what a new build makes, whatever is written", arguments: [60, 1_000_000])
    func random(inlineWeight: Int) throws {
        var random = SeededRandom(for: "index upkeep")
        var state = try emptyState(inlineWeight: inlineWeight)
        for round in 0..<1_500 {
            let edits = try (0..<Int.random(in: 1...3, using: &random)).map { _ in try randomEdit(&random) }
            let old = state
            let (next, undo) = state.applyingWithUndo(edits)
            state = next
            if random.oneIn(20) {
                let path = try Path(places.randomElement(using: &random) ?? "/")
                state = state.demandingIndex(at: path, order: .priority)
            }
            try check(state, isComplete: !state.lacksIndexes)
            if random.oneIn(5) { try check(state.applying(undo), isComplete: false) }
            if random.oneIn(10) { try check(old, isComplete: !old.lacksIndexes) }
            #expect(state.applying(undo).root == old.root, "undo of round \(round)")
            if random.oneIn(30) {
                state = state.buildingIndexes()
                #expect(!state.lacksIndexes)
                try check(state, isComplete: true)
            }
        }
    }

    @Test("are built for data that was read back, and for new rules")
    func built() throws {
        var root = Node.empty
        for number in 0..<4_000 {
            root.set(Node(.integer(Int64(3_999 - number))), at: try Path("/flat/k\(number)"))
            root.set(Node(.integer(1)), at: try Path("/rooms/r/m/m\(number)/t/u"))
        }
        let opened = State(root: root, rules: try StoredRules(checking: Array(rulesText.utf8)))
            .limitingIndexes(childThreshold: 4, inlineWeight: 1_000)
        #expect(opened.lacksIndexes)
        #expect(opened.index(at: try Path("/flat"), order: .value) == nil)
        let built = opened.buildingIndexes()
        #expect(!built.lacksIndexes)
        let flat = built.index(at: try Path("/flat"), order: .value)
        #expect(flat?.ascending().first { _ in true }?.key == (try Key("k3999")))
        #expect(built.index(at: try Path("/rooms/r/m"), order: .child(try Path("t/u")))?.count == 4_000)
        let without = built.applying(Commit(revision: 1, time: 1, rules: Array(#"{"rules": {}}"#.utf8)))
        #expect(without.lacksIndexes)
        #expect(without.buildingIndexes().index(at: try Path("/flat"), order: .value) == nil)
        #expect(!without.buildingIndexes().lacksIndexes)
    }

    @Test("name children by long texts and long keys, after these have gone from the tree")
    func long() throws {
        let flat = try Path("/flat")
        var random = SeededRandom(for: "long texts")
        var kept: [(index: OrderIndex, expected: [String])] = []
        var model: [String: String] = [:]
        var state = try emptyState(inlineWeight: 1_000_000)
        for _ in 0..<3_000 {
            let number = Int.random(in: 0..<300, using: &random)
            let name = "a key that is longer than twenty-four bytes \(number)"
            let text =
                "a text of which the beginning is always the same \(Int.random(in: 0..<9, using: &random))"
            let removes = random.oneIn(3)
            model[name] = removes ? nil : text
            let path = flat.appending(try Key(name))
            state = state.applying([.put(path, removes ? .empty : Node(.string(text)))])
            guard random.oneIn(100), let index = state.index(at: flat, order: .value) else { continue }
            let sorted = model.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            kept.append((index, sorted.map { "\($0.value) \($0.key)" }))
        }
        #expect(kept.count > 5)
        for _ in 0..<4 { state = state.applying([.put(flat, .empty)]) }
        for (index, expected) in kept {
            let found = index.ascending().map { position -> String in
                guard case .leaf(.string(let text)) = position.value else { return "no text" }
                return "\(text) \(position.key.text)"
            }
            #expect(found == expected)
        }
    }

    @Test("come and go as a place grows and shrinks")
    func hysteresis() throws {
        var state = try emptyState(inlineWeight: 1_000)
        let flat = try Path("/flat")
        var presence: [Bool] = []
        for number in 0..<6 {
            state = state.applying([.put(try Path("/flat/k\(number)"), Node(.integer(1)))])
            presence.append(state.index(at: flat, order: .value) != nil)
        }
        for number in 0..<6 {
            state = state.applying([.put(try Path("/flat/k\(number)"), .empty)])
            presence.append(state.index(at: flat, order: .value) != nil)
        }
        #expect(presence == [false, false, false, false, true, true, true, true, true, false, false, false])
    }
}
