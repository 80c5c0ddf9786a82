// Query objects as the SDKs write them, and what they ask for (wire-protocol.md §11).
import HearthCore
import HearthTesting
import HearthWire
import Testing

/// An object and the query that it is.
struct QueryRow: CustomTestStringConvertible {
    let object: String
    let query: Query

    init(_ object: String, _ query: Query) {
        self.object = object
        self.query = query
    }

    var testDescription: String { object }
}

private func key(_ text: String) -> Key {
    var text = text
    return text.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
}

private func bound(_ value: Query.Value, _ key: KeyPosition) -> Query.Bound {
    Query.Bound(value: value, key: key)
}

private func read(_ object: String) throws(RealtimeQueryError) -> RealtimeQuery {
    try RealtimeQuery(reading: Array(object.utf8))
}

private let path = Path([key("k"), key("j")])
private let three = Query.Value.leaf(.integer(3))
private let nine = Query.Value.leaf(.integer(9))

@Suite("A query object")
struct RealtimeQueryTests {
    /// What the JavaScript SDK was seen to write.
    static let measured: [QueryRow] = [
        QueryRow(
            #"{"sp":3,"sin":true,"ep":9,"en":"kk","ein":false,"l":4,"vf":"r","i":"k/j"}"#,
            Query(
                order: .child(path), lower: bound(three, .start), upper: bound(nine, .before(key("kk"))),
                limit: .last(4))),
        QueryRow(
            #"{"sp":3,"sn":"[MAX_NAME]","sin":false,"i":".value"}"#,
            Query(order: .value, lower: bound(three, .end))),
        QueryRow(
            #"{"sp":"aa","sin":false,"ep":"zz","ein":false,"i":".key"}"#,
            Query(
                order: .key, lower: bound(.null, .after(key("aa"))),
                upper: bound(.null, .before(key("zz"))))),
        QueryRow(
            #"{"sp":null,"sin":true,"ep":null,"ein":true,"i":"k"}"#,
            Query(order: .child(Path([key("k")])), lower: bound(.null, .start), upper: bound(.null, .end))),
        QueryRow(#"{"l":1,"vf":"l"}"#, Query(limit: .first(1))),
        QueryRow(#"{"ep":3,"en":"[MIN_NAME]","ein":false}"#, Query(upper: bound(three, .start))),
        QueryRow(
            #"{"sp":3,"sn":"k","sin":true,"ep":3,"en":"k","ein":true}"#,
            Query(lower: bound(three, .before(key("k"))), upper: bound(three, .after(key("k"))))),
    ]

    @Test("of the JavaScript SDK asks for what it means, and is kept as it is", arguments: measured)
    func measuredObjects(row: QueryRow) throws {
        let query = try read(row.object)
        #expect(query.query == row.query)
        #expect(String(decoding: query.text, as: UTF8.self) == row.object)
        #expect(!query.isUnfiltered)
    }

    @Test("is written as the JavaScript SDK writes it", arguments: measured)
    func written(row: QueryRow) {
        #expect(String(decoding: RealtimeQuery(row.query).text, as: UTF8.self) == row.object)
    }

    @Test(
        "of other SDKs asks for the same with fewer members",
        arguments: [
            QueryRow("{}", .whole),
            QueryRow(#"{"i":".key"}"#, Query(order: .key)),
            QueryRow(#"{"i":".priority"}"#, .whole),
            QueryRow(#"{"i":"/k/j/"}"#, Query(order: .child(path))),
            // A bound is inclusive unless it says otherwise; a lower one stands before all names.
            QueryRow(#"{"sp":3}"#, Query(lower: bound(three, .start))),
            QueryRow(#"{"sp":3,"sn":"k"}"#, Query(lower: bound(three, .before(key("k"))))),
            QueryRow(#"{"ep":3,"en":"k"}"#, Query(upper: bound(three, .after(key("k"))))),
            QueryRow(#"{"sp":3,"sn":null}"#, Query(lower: bound(three, .start))),
            // Without a name the pair stands before all children of the value: they follow it anyway.
            QueryRow(#"{"sp":3,"sin":false}"#, Query(lower: bound(three, .start))),
            QueryRow(#"{"ep":3,"ein":false}"#, Query(upper: bound(three, .end))),
            QueryRow(
                #"{"i":".key","sp":"[MIN_KEY]","ep":"[MAX_NAME]"}"#,
                Query(order: .key, lower: bound(.null, .start), upper: bound(.null, .end))),
            QueryRow(
                #"{"sp":true,"ep":"x"}"#,
                Query(lower: bound(.leaf(.bool(true)), .start), upper: bound(.leaf(.string("x")), .end))),
            QueryRow(#"{"sp":1.0}"#, Query(lower: bound(.leaf(.integer(1)), .start))),
            // Without a word about the side, a limit keeps to the start if there is one.
            QueryRow(#"{"l":2}"#, Query(limit: .last(2))),
            QueryRow(#"{"l":2,"ep":3}"#, Query(upper: bound(three, .end), limit: .last(2))),
            QueryRow(#"{"l":2,"sp":3}"#, Query(lower: bound(three, .start), limit: .first(2))),
            QueryRow(#"{"vf":"l"}"#, .whole),
            QueryRow(#"{"later":{"deep":[1,2]},"l":1,"vf":"r"}"#, Query(limit: .last(1))),
        ])
    func others(row: QueryRow) throws {
        #expect(try read(row.object).query == row.query)
    }

    @Test("may name bounds that are longer than any key, or empty")
    func names() throws {
        // What the SDKs make up as the name just before "b".
        let longest = "a" + String(repeating: "z", count: 785)
        #expect(throws: RealtimeQueryError.invalid(member: "ep")) {
            try read(#"{"i":".key","ep":"\#(longest)-"}"#)
        }
        let fitting = try read(#"{"i":".key","sp":"\#(longest)"}"#).query
        #expect(fitting.contains(.init(value: .null, key: key("b"))))
        #expect(!fitting.contains(.init(value: .null, key: key("az"))))
        let named = try read(#"{"sp":3,"sn":"\#(longest)"}"#).query
        #expect(named.contains(.init(value: three, key: key("b"))))
        #expect(!named.contains(.init(value: three, key: key("a"))))
        let empty = try read(#"{"i":".key","sp":""}"#).query
        #expect(empty.contains(.init(value: .null, key: key("-"))))
        #expect(!empty.contains(.init(value: .null, key: key("17"))))
    }

    @Test("with only an order is as good as none")
    func unfiltered() throws {
        #expect(try read(#"{"i":".value"}"#).isUnfiltered)
        #expect(try !read(#"{"i":".value","l":1}"#).isUnfiltered)
    }

    @Test(
        "is refused with the member that says nothing",
        arguments: [
            ("[]", .notAnObject), ("3", .notAnObject), ("null", .notAnObject),
            (#"{"i":""}"#, .invalid(member: "i")), (#"{"i":".size"}"#, .invalid(member: "i")),
            (#"{"i":"a/.value"}"#, .invalid(member: "i")), (#"{"i":3}"#, .invalid(member: "i")),
            (#"{"sp":{"a":1}}"#, .invalid(member: "sp")), (#"{"ep":[]}"#, .invalid(member: "ep")),
            (#"{"i":".key","sp":3}"#, .invalid(member: "sp")),
            (#"{"i":".key","ep":null}"#, .invalid(member: "ep")),
            (#"{"sp":1,"sn":3}"#, .invalid(member: "sn")), (#"{"sn":"k"}"#, .nameWithoutValue(member: "sn")),
            (#"{"en":"k"}"#, .nameWithoutValue(member: "en")),
            (#"{"sp":1,"sin":1}"#, .invalid(member: "sin")),
            (#"{"ep":1,"ein":"true"}"#, .invalid(member: "ein")), (#"{"l":0}"#, .invalid(member: "l")),
            (#"{"l":-1}"#, .invalid(member: "l")), (#"{"l":1.5}"#, .invalid(member: "l")),
            (#"{"l":"1"}"#, .invalid(member: "l")), (#"{"l":1,"vf":"x"}"#, .invalid(member: "vf")),
            (#"{"l":1,"vf":null}"#, .invalid(member: "vf")),
        ] as [(String, RealtimeQueryError)])
    func refused(object: String, error: RealtimeQueryError) {
        #expect(throws: error) { try read(object) }
        #expect(!error.description.isEmpty && !error.description.contains("\n"))
    }

    @Test("that ends early is no JSON, wherever it is cut")
    func truncated() {
        let object = #"{"sp":3,"sn":"k","sin":true,"x":[{}],"i":"k/j"}"#
        for end in 0..<object.utf8.count {
            do {
                _ = try read(String(object.prefix(end)))
                Issue.record("\(end) bytes are no query")
            } catch {
                if case .json = error { continue }
                Issue.record("\(end) bytes: \(error)")
            }
        }
    }

    @Test("written for any query is read as the same query")
    func roundTrip() throws {
        var random = SeededRandom(for: "query objects")
        for _ in 0..<500 {
            let query = Self.randomQuery(&random)
            #expect(try RealtimeQuery(reading: RealtimeQuery(query).text).query == query)
        }
    }

    private static func randomQuery(_ random: inout SeededRandom) -> Query {
        let orders: [Query.Order] = [.key, .value, .priority, .child(path)]
        var query = Query(order: orders[Int.random(in: 0..<4, using: &random)])
        if random.oneIn(2) { query.lower = randomBound(query.order, &random) }
        if random.oneIn(2) { query.upper = randomBound(query.order, &random) }
        let count = Int.random(in: 1...5, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: query.limit = .first(count)
        case 1: query.limit = .last(count)
        default: break
        }
        return query
    }

    private static func randomBound(_ order: Query.Order, _ random: inout SeededRandom) -> Query.Bound {
        let names: [KeyPosition] = [.start, .before(key("k")), .after(key("k/[é")), .before(key("7")), .end]
        let values: [Query.Value] = [
            .null, .leaf(.bool(false)), three, .leaf(.double(1.5)), .leaf(.string("é")),
        ]
        let name = names[Int.random(in: 0..<5, using: &random)]
        return bound(order == .key ? .null : values[Int.random(in: 0..<5, using: &random)], name)
    }
}
