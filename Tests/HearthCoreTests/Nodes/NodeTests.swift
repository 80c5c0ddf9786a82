// Reading, walking, comparing and building nodes.
import HearthCore
import HearthTesting
import Testing

@Suite("A node")
struct NodeTests {
    private func key(_ text: String) throws -> Key { try Key(text) }

    private func list(_ numbers: some Sequence<Int>) -> Node {
        var builder = Node.Builder()
        for number in numbers { builder.insert(Node(.integer(Int64(number))), for: Key(index: number)) }
        return builder.finish()
    }

    @Test("keeps the priority of a leaf that gets children, and loses it with its last child")
    func priorities() throws {
        var root = try node(#"{"a":{".value":1,".priority":"p"}}"#)
        root.set(Node(.bool(true)), at: try path("a/b/c"))
        #expect(text(root) == #"{"a":{"b":{"c":true},".priority":"p"}}"#)
        root.set(.empty, at: try path("a/b/c"))
        #expect(root.isEmpty)
        root.set(Node(.bool(true)), at: try path("a"))
        #expect(text(root) == #"{"a":true}"#)
    }

    @Test("is not changed by a removal of nothing or below a leaf", arguments: ["x", "a/b", "a/b/c", "x/y"])
    func removal(place: String) throws {
        let root = try node(#"{"a":{".value":1,".priority":"p"}}"#)
        #expect(text(root.setting(.empty, at: try path(place))) == text(root))
    }

    @Test("tells what kind of value it is, whether a child is there and what stands below, at any size")
    func looks() throws {
        let root = try node(
            #"{"f":false,"i":1,"d":1.5,"s":"x","p":{".value":"y",".priority":2},"o":{"a":{"b":7}}}"#)
        let kinds = try ["f", "i", "d", "s", "p", "o", "none"].map { root.child(try key($0)).leafKind }
        #expect(kinds == [.bool, .number, .number, .string, .string, nil, nil])
        #expect(try root.hasChild(key("o")) && !root.hasChild(key("none")))
        #expect(try !root.child(key("s")).hasChild(key("x")))
        for (place, expected) in [
            ("o/a/b", "7"), ("o/a", #"{"b":7}"#), ("o/b", "null"), ("s/x", "null"), ("", text(root)),
        ] {
            #expect(text(root.descendant(at: try path(place))) == expected)
        }
        for count in [1, 31, 32, 33, 1_000, 5_000] {
            let wide = Node.empty.setting(list(stride(from: 0, to: 2 * count, by: 2)), at: try path("a"))
            for number in [0, 1, count, count + 1, 2 * count - 2, 2 * count] {
                let isThere = number % 2 == 0 && number < 2 * count
                let place = try path("a").appending(Key(index: number))
                #expect(wide.descendant(at: place).isEmpty != isThere)
                #expect(wide.child(try key("a")).hasChild(Key(index: number)) == isThere)
            }
        }
    }

    @Test("stays what it was when another one is made from it, at any size")
    func sharing() throws {
        var states: [(Node, [Int])] = []
        var random = SeededRandom(for: "sharing")
        var numbers: Set<Int> = []
        var present = Node.empty
        for _ in 0..<400 {
            let number = Int.random(in: 0..<300, using: &random)
            let isRemoval = random.oneIn(3)
            if isRemoval { numbers.remove(number) } else { numbers.insert(number) }
            present.set(isRemoval ? .empty : Node(.integer(Int64(number))), at: Path([Key(index: number)]))
            states.append((present, numbers.sorted()))
        }
        for (state, numbers) in states {
            #expect(state.children().map(\.node.leaf) == numbers.map { .integer(Int64($0)) })
            #expect(state.invariantViolation() == nil)
        }
    }

    @Test("weighs about what its text does")
    func weight() throws {
        let texts = [
            "5", #""hello""#, #"{"a":1,"b":"some longer text"}"#,
            #"{"lobby":{"-NabcdefghijklmnopqrsX":{"text":"hello there","by":"ann","at":1700000000000}}}"#,
        ]
        for body in texts {
            let weight = try node(body).weight
            #expect(weight > body.utf8.count / 2 && weight < body.utf8.count * 2 + 20, "\(body)")
        }
        var messages = Node.Builder()
        for index in 0..<10_000 { messages.insert(Node(.string("hello")), for: Key(index: index)) }
        let whole = messages.finish()
        let exact = NodeSerializer.bytes(of: whole, .export).count
        #expect(abs(whole.weight - exact) < exact / 10)
    }

    @Test(
        "can be walked from any place in both directions",
        arguments: [0, 1, 2, 31, 32, 33, 64, 65, 2_048, 5_000])
    func cursors(count: Int) {
        // Only even numbers are there.
        let node = list((0..<count).map { $0 * 2 })
        let all = (0..<count).map { $0 * 2 }
        #expect(node.children().compactMap(\.key.arrayIndex) == all)
        #expect(node.children(from: .end).map(\.key) == [])
        #expect(node.childrenReversed().compactMap(\.key.arrayIndex) == all.reversed())
        #expect(node.childrenReversed(from: .start).map(\.key) == [])
        for place in Set([
            0, 1, 2, 30, 31, 61, 62, 63, 64, 65, count - 1, count, 2 * count - 2, 2 * count + 5,
        ]) where place >= 0 {
            let key = Key(index: place)
            func numbers(_ cursor: ChildCursor) -> [Int] { cursor.prefix(40).compactMap(\.key.arrayIndex) }
            #expect(
                numbers(node.children(from: .before(key))) == Array(all.filter { $0 >= place }.prefix(40)))
            #expect(numbers(node.children(from: .after(key))) == Array(all.filter { $0 > place }.prefix(40)))
            #expect(
                numbers(node.childrenReversed(from: .before(key)))
                    == Array(all.reversed().filter { $0 < place }.prefix(40)))
            #expect(
                numbers(node.childrenReversed(from: .after(key)))
                    == Array(all.reversed().filter { $0 <= place }.prefix(40)))
        }
    }

    @Test("can be built in any order", arguments: 1...20)
    func building(round: Int) throws {
        var random = SeededRandom(seed: UInt64(round))
        let numbers = Array(0..<(round * round * 10))
        let ascending = list(numbers)
        #expect(ascending.invariantViolation() == nil)
        #expect(ascending.childCount == numbers.count)
        // Nearly in order, and not at all.
        var nearly = numbers
        for _ in 0..<5 { nearly.swapAt(nearly.indices.randomElement(using: &random) ?? 0, 0) }
        for order in [nearly, Array(numbers.reversed()), numbers.shuffled(using: &random)] {
            let built = list(order)
            #expect(built.invariantViolation() == nil)
            #expect(built == ascending)
            #expect(built.digest == ascending.digest)
        }
    }

    @Test("is built with the last of equal keys, and without the empty ones")
    func builderRules() throws {
        var builder = Node.Builder()
        builder.insert(.empty, for: try key("a"))
        #expect(builder.finish().isEmpty)
        for index in 0..<100 { builder.insert(Node(.integer(1)), for: Key(index: index)) }
        builder.insert(Node(.integer(2)), for: Key(index: 99))
        builder.insert(.empty, for: Key(index: 98))
        builder.insert(Node(.integer(3)), for: Key(index: 3))
        builder.insert(.empty, for: Key(index: 4))
        builder.insert(.empty, for: try key("z"))
        let built = builder.finish(priority: .string("p"))
        #expect(built.childCount == 98 && built.priority == .string("p"))
        #expect(built.child(Key(index: 99)).leaf == .integer(2))
        #expect(built.child(Key(index: 3)).leaf == .integer(3))
        #expect(built.child(Key(index: 4)).isEmpty)
        for index in 0..<100 { builder.insert(.empty, for: Key(index: index)) }
        #expect(builder.finish(priority: .number(1)).isEmpty)
    }

    @Test("tells the children that differ between two states", arguments: [0, 1, 10, 40, 3_000])
    func differences(count: Int) throws {
        var random = SeededRandom(for: "differences of \(count)")
        let old = list(0..<count)
        for changeCount in [0, 1, 3, 50] {
            var new = old
            var touched: Set<Int> = []
            for _ in 0..<changeCount {
                let number = Int.random(in: 0..<count + 20, using: &random)
                touched.insert(number)
                let value: Node = random.oneIn(2) ? .empty : Node(.string("new"))
                new.set(value, at: Path([Key(index: number)]))
            }
            let expected = touched.map { Key(index: $0) }.sorted().filter { old.child($0) != new.child($0) }
            check(Node.childDifferences(from: old, to: new), expected, old, new)
            check(Node.childDifferences(from: new, to: old), expected, new, old)
            #expect((old == new) == expected.isEmpty)
            #expect((old.digest == new.digest) == expected.isEmpty)
        }
    }

    private func check(_ differences: [ChildDifference], _ keys: [Key], _ before: Node, _ after: Node) {
        #expect(differences.map(\.key) == keys)
        for difference in differences {
            #expect(difference.before == before.child(difference.key))
            #expect(difference.after == after.child(difference.key))
        }
    }

    @Test("differs from another one in value, kind, priority or depth, whatever the sizes")
    func inequality() throws {
        let texts = [
            "null", "0", "false", #""""#, #""0""#, "0.5", "[0]", "[[0]]", #"{"a":0}"#, #"{"a":{"b":0}}"#,
            "[0,0]",
            #"{".value":0,".priority":0}"#, #"{".value":0,".priority":"0"}"#, #"{"a":0,".priority":1}"#,
            #"{"a":{".value":0,".priority":1}}"#, #"{"a":{".value":0,".priority":2}}"#, #"{"b":0}"#,
        ]
        for (index, left) in texts.enumerated() {
            for (other, right) in texts.enumerated() {
                let one = try node(left)
                let two = try node(right)
                #expect((one == two) == (index == other), "\(left) and \(right)")
                #expect((one.digest == two.digest) == (index == other), "\(left) and \(right)")
            }
        }
    }
}
