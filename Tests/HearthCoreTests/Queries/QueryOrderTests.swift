// The total order over values and keys, as rest-api.md §5 has it.
import HearthCore
import Testing

@Suite("The order of a query")
struct QueryOrderTests {
    private static func child(_ name: String, _ value: Node) throws -> (key: Key, node: Node) {
        var builder = Node.Builder()
        builder.insert(Node(.bool(true)), for: try Key("there"))
        builder.insert(value, for: try Key("v"))
        return (try Key(name), builder.finish())
    }

    private static func some() throws -> Node {
        Node.empty.setting(Node(.integer(1)), at: try Path("x/y"))
    }

    @Test("is nothing, false, true, numbers, strings, objects; ties by key")
    func total() throws {
        let order = Query.Order.child(try Path("v"))
        let ascending = [
            try Self.child("9", .empty), try Self.child("a", .empty),
            try Self.child("z", Node(.bool(false))), try Self.child("a", Node(.bool(true))),
            try Self.child("k", Node(.double(-1e300))), try Self.child("k", Node(.integer(-5))),
            try Self.child("k", Node(.integer(0))), try Self.child("k", Node(.double(0.5))),
            try Self.child("2", Node(.integer(1))), try Self.child("10", Node(.integer(1))),
            try Self.child("k", Node(.integer(.max))), try Self.child("k", Node(.double(1e300))),
            try Self.child("k", Node(.string(""))), try Self.child("k", Node(.string("10"))),
            try Self.child("k", Node(.string("9"))), try Self.child("k", Node(.string("B"))),
            try Self.child("k", Node(.string("a"))), try Self.child("k", Node(.string("é"))),
            try Self.child("k", Node(.string("😀"))), try Self.child("k", Node(.string("\u{FFFF}"))),
            try Self.child("1", Self.some()), try Self.child("a", Self.some()),
        ]
        expectAscending(ascending, order)
        // The same table by value: a child that is a leaf counts as itself.
        let inner = try ascending.map { (key: $0.key, node: $0.node.child(try Key("v"))) }
        expectAscending(inner, .value)
    }

    @Test("by key is numbers first, then text by UTF-16 code units")
    func keys() throws {
        let names = [
            "-5", "3", "03", "003", "20", "2147483647", "-a", "2147483648", "B", "a", "😀", "\u{FFFF}",
        ]
        let positions = try names.map {
            Query(order: .key).position(of: Node(.bool(true)), key: try Key($0))
        }
        #expect(positions == positions.sorted())
        #expect(Set(positions.map(\.key)).count == names.count)
    }

    @Test("by priority is none, numbers, strings; ties by key")
    func priorities() throws {
        let ranked: [(String, Priority)] = [
            ("1", .none), ("z", .none), ("b", .number(-2)), ("b", .number(1.5)), ("9", .number(2)),
            ("a", .number(2)), ("b", .string("")), ("b", .string("Z")), ("b", .string("a")),
        ]
        let children = try ranked.map { (key: try Key($0.0), node: Node(.bool(true), priority: $0.1)) }
        expectAscending(children, .priority)
    }

    @Test("lets bounds through that include, exclude or name a key")
    func bounds() throws {
        func contains(_ query: Query, _ name: String, _ value: Node) throws -> Bool {
            query.contains(query.position(of: value, key: try Key(name)))
        }
        let two = Query.Value.leaf(.integer(2))
        let from = Query(order: .value, lower: .init(value: two, key: .start))
        let after = Query(order: .value, lower: .init(value: two, key: .end))
        let afterKey = Query(order: .value, lower: .init(value: two, key: .after(try Key("m"))))
        let upTo = Query(order: .value, upper: .init(value: two, key: .end))
        let before = Query(order: .value, upper: .init(value: two, key: .start))
        let value = Node(.integer(2))
        #expect(
            try [from, after, afterKey, upTo, before].map { try contains($0, "m", value) }
                == [true, false, false, true, false])
        #expect(
            try [from, after, afterKey, upTo, before].map { try contains($0, "n", value) }
                == [true, false, true, true, false])
        // An open start lets lower types through, an open end higher ones.
        #expect(try contains(from, "k", Node(.string("x"))))
        #expect(try contains(from, "k", Self.some()))
        #expect(try contains(from, "k", Node(.bool(true))) == false)
        #expect(try contains(upTo, "k", Node(.bool(false))))
        // By key, the value of a bound is not looked at.
        let byKey = Query(order: .key, lower: .init(value: two, key: .before(try Key("b"))))
        #expect(try contains(byKey, "b", Node(.bool(false))))
        #expect(try contains(byKey, "a", Node(.string("x"))) == false)
    }

    private func expectAscending(_ children: [(key: Key, node: Node)], _ order: Query.Order) {
        let positions = children.map { Query(order: order).position(of: $0.node, key: $0.key) }
        for (left, low) in positions.enumerated() {
            for (right, high) in positions.enumerated() {
                #expect((low < high) == (left < right), "\(children[left].key) \(children[right].key)")
                #expect((low == high) == (left == right))
            }
        }
    }
}
