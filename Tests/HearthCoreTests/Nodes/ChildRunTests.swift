// Runs of children, and what is written of them, against the same done child by child.
import HearthCore
import HearthJSON
import HearthTesting
import Testing

/// Trees of children of all sorts under one place, and places between their keys.
private struct RunScenes {
    var random: SeededRandom

    init(random: SeededRandom) {
        self.random = random
    }

    private static let names = ["a\"b", "back\\slash", "9", "10", "007", "-1", "-", "0", "1", "2", "😀", "é"]

    private let padding = String(repeating: "z", count: 900)

    func key(_ number: Int) throws -> Key {
        try Key("-N\(String(repeating: "0", count: 6 - "\(number)".count))\(number)")
    }

    mutating func anyKey(_ count: Int) throws -> Key {
        if random.oneIn(8) {
            return try Key(Self.names[Int.random(in: 0..<Self.names.count, using: &random)])
        }
        if random.oneIn(20) { return try Key(String(repeating: "k", count: 30)) }
        return try key(Int.random(in: 0...count, using: &random))
    }

    mutating func position(_ count: Int) throws -> KeyPosition {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .start
        case 1: .end
        case 2, 3: .before(try anyKey(count))
        default: .after(try anyKey(count))
        }
    }

    mutating func limit(_ count: Int) -> Query.Limit? {
        let number = [0, 1, 2, 31, 32, 33, count, Int.max].randomElement(using: &random) ?? 0
        let any = random.oneIn(2) ? number : Int.random(in: 0...count + 1, using: &random)
        return random.oneIn(3) ? nil : (random.oneIn(2) ? .first(any) : .last(any))
    }

    /// What stands at one key: mostly what a page holds as text, and now and then what it does not, or what
    /// reads as an array.
    mutating func value(odd: Int) throws -> Node {
        guard odd > 0, random.oneIn(odd) else {
            return try node(#"{"text":"good \"morning\"","time":\#(Int.random(in: 0...9, using: &random))}"#)
        }
        return switch Int.random(in: 0..<7, using: &random) {
        case 0: Node(.integer(5), priority: .number(2))
        case 1: try node(#"{"text":"hi",".priority":"p"}"#)
        case 2: try node(#"{"list":["a","b"],"text":"x"}"#)
        case 3: try node(#"["a",null,"c"]"#)
        case 4: Node(.string(String(repeating: "x", count: 1_200)))
        case 5: try node(#"{"a":"\#(String(repeating: "y", count: 900))","b":"\#(padding)"}"#)
        default: Node(.double(0.5))
        }
    }

    /// A node with up to `count` children, some of which were taken away again.
    mutating func tree(_ count: Int, odd: Int) throws -> Node {
        var builder = Node.Builder()
        for number in 0..<count { builder.insert(try value(odd: odd), for: try key(number)) }
        if random.oneIn(2) {
            for name in Self.names { builder.insert(try value(odd: odd), for: try Key(name)) }
        }
        var tree = builder.finish(priority: random.oneIn(4) ? .number(3) : .none)
        let changes = random.oneIn(3) ? count : 5
        for _ in 0..<changes {
            let removes = random.oneIn(2)
            tree = tree.setting(removes ? .empty : try value(odd: odd), at: Path([try anyKey(count)]))
        }
        return tree
    }
}

@Suite("A run of children")
struct ChildRunTests {
    @Test(
        "is what lies between its ends, from the end that its limit counts from",
        arguments: [0, 1, 3, 31, 32, 33, 100, 1_500], [0, 3, 40])
    func model(count: Int, odd: Int) throws {
        var random = SeededRandom(for: "child runs")
        for _ in 0..<(count > 200 ? 2 : 8) {
            var scenes = RunScenes(random: random.branch())
            let tree = try scenes.tree(count, odd: odd)
            let all = Array(tree.children())
            #expect(tree.childrenReversed().map(\.key) == all.map(\.key).reversed())
            for _ in 0..<12 {
                let (lower, upper) = (try scenes.position(count), try scenes.position(count))
                let limit = scenes.limit(count)
                let expected = naive(all, lower, upper, limit)
                let run = tree.run(from: lower, to: upper, limit: limit)
                let said = Comment(rawValue: "\(lower) to \(upper), \(String(describing: limit))")
                #expect(run.keys == expected.map(\.key), said)
                #expect(run.map(\.key) == expected.map(\.key), said)
                #expect(run.entries.map(\.node) == expected.map(\.node), said)
                #expect(run.count == expected.count && run.isEmpty == expected.isEmpty, said)
                try compareTexts(.run(run), expected, &scenes.random)
                try compareTexts(.picked(expected), expected, &scenes.random)
            }
        }
    }

    private func naive(
        _ all: [ChildEntry], _ lower: KeyPosition, _ upper: KeyPosition, _ limit: Query.Limit?
    ) -> [ChildEntry] {
        let inside = all.filter { !$0.key.precedes(lower) && $0.key.precedes(upper) }
        return switch limit {
        case nil: inside
        case .first(let count): Array(inside.prefix(count))
        case .last(let count): Array(inside.suffix(count))
        }
    }

    /// The text must be that of a node of these children and no others, in every form, at once and in
    /// pieces.
    private func compareTexts(
        _ excerpt: Excerpt, _ children: [ChildEntry], _ random: inout SeededRandom
    ) throws {
        // In descending order, so that no page is taken over as it is.
        var builder = Node.Builder()
        for child in children.reversed() { builder.insert(child.node, for: child.key) }
        let whole = builder.finish()
        #expect(excerpt.node == whole && excerpt.node.invariantViolation() == nil)
        #expect(excerpt.isEmpty == whole.isEmpty && excerpt.childCount == whole.childCount)
        let formats: [NodeSerializer.Format] = [
            .queryResult, .export, .plain, .shallow, .init(arrays: .belowTop, layout: .pretty),
        ]
        for format in formats {
            let expected = text(whole, format)
            #expect(String(decoding: NodeSerializer.bytes(of: excerpt, format), as: UTF8.self) == expected)
            var serializer = NodeSerializer(excerpt, format)
            var bytes: [UInt8] = []
            while !serializer.write(into: &bytes, byteLimit: Int.random(in: 1...4_000, using: &random)) {}
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
            compareCopies(excerpt, format, expected)
            compareCopies(.whole(whole), format, expected)
        }
    }

    /// Where a text is said to be there already, it is the very same, and as long as it was said to be.
    private func compareCopies(_ excerpt: Excerpt, _ format: NodeSerializer.Format, _ expected: String) {
        let byteCount = NodeSerializer.copiedByteCount(of: excerpt, format)
        var bytes: [UInt8] = []
        let isCopied = NodeSerializer.copy(excerpt, format, to: &bytes)
        guard isCopied, let byteCount else { return }
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(bytes.count == byteCount)
    }

    @Test("of plain messages is copied, of what may be an array or is asked for otherwise it is not")
    func copied() throws {
        func copy(_ excerpt: Excerpt, _ format: NodeSerializer.Format = .queryResult) -> Bool {
            var bytes: [UInt8] = []
            return NodeSerializer.copiedByteCount(of: excerpt, format) != nil
                && NodeSerializer.copy(excerpt, format, to: &bytes)
        }
        let message = try node(#"{"text":"hi","user":"ada"}"#)
        #expect(copy(.whole(message), .plain) && copy(.whole(message), .export))
        #expect(!copy(.whole(message), .shallow) && !copy(.whole(.empty), .plain))
        let list = try node(#"{"0":"hi","1":"ho"}"#)
        #expect(!copy(.whole(list), .plain) && copy(.whole(list), .export))
        var builder = Node.Builder()
        for number in 0..<200 { builder.insert(message, for: try Key("m\(1_000 + number)")) }
        let run = builder.finish().run(limit: .last(100))
        #expect(copy(.run(run)) && copy(.run(run), .export) && !copy(.run(run), .plain))
    }

    @Test("weighs about as much as its text has bytes")
    func weight() throws {
        var scenes = RunScenes(random: SeededRandom(for: "weights of runs"))
        let tree = try scenes.tree(1_000, odd: 0)
        for count in [0, 1, 7, 32, 100, 900] {
            let run = tree.run(limit: .last(count))
            let length = NodeSerializer.bytes(of: .run(run), .queryResult).count
            #expect(abs(run.weight - length) <= 4)
            #expect(abs(Excerpt.picked(run.entries).weight - length) <= length / 20 + 4)
        }
    }

    @Test("stays as it is when the tree is written to")
    func snapshot() throws {
        var scenes = RunScenes(random: SeededRandom(for: "kept runs"))
        var tree = try scenes.tree(300, odd: 9)
        let run = tree.run(limit: .last(100))
        let before = NodeSerializer.bytes(of: .run(run), .queryResult)
        for number in 0..<300 {
            let key = try scenes.key(number)
            tree.apply([.put(Path([key]), .empty)])
        }
        #expect(NodeSerializer.bytes(of: .run(run), .queryResult) == before)
    }

    @Test("shows an array that was written into a page whose text was looked at before, and its end")
    func arrays() throws {
        var tree = Node.empty
        for number in 0..<40 {
            tree.apply([.put(Path([try Key("k\(number + 10)")]), try node(#"{"x":{"y":1}}"#))])
        }
        func shown() -> String {
            let run = tree.run(limit: .first(2))
            return String(decoding: NodeSerializer.bytes(of: .run(run), .queryResult), as: UTF8.self)
        }
        let plain = #"{"k10":{"x":{"y":1}},"k11":{"x":{"y":1}}}"#
        #expect(shown() == plain)
        tree.apply([.put(try path("k11/x"), try node("[7]"))])
        #expect(shown() == #"{"k10":{"x":{"y":1}},"k11":{"x":[7]}}"#)
        tree.apply([.put(try path("k11/x"), try node(#"{"y":1}"#))])
        #expect(shown() == plain)
    }
}
