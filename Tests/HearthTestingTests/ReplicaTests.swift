// The model of a client against what was seen of the JavaScript SDK (wire-protocol.md §6.1, §6.5).
import HearthCore
import HearthTesting
import Testing

@Suite("A client's copy")
struct ReplicaTests {
    private let place = Path([Key(index: 7)])
    private static let lastTwo = Query(order: .value, limit: .last(2))

    private func node(_ json: String) throws -> Node {
        try DraftReader.draft(Array(json.utf8)).node
    }

    /// A push to a place below /7: `d x/v 1`, or `m / {"a":null,"b":2}`.
    private func push(_ text: String) throws -> Push {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        let path = place.appending(try Path(words[1]))
        guard words[0] == "m" else { return .overwrite(path, .node(try node(words[2]))) }
        let changes = try UpdateReader.changes(Array(words[2].utf8))
        return .merge(path, changes.map { .init(path: $0.path, content: .node($0.draft.node)) })
    }

    /// A client that has been told a value, for one listen, and then these pushes.
    private func value(
        _ query: Query, from json: String, after pushes: [String], tag: Int64? = 1
    ) throws -> Node {
        var client = Replica()
        client.listen(to: place, query: query, tag: 1)
        try client.receive(.overwrite(place, .node(try node(json))), tag: 1)
        for text in pushes { try client.receive(try push(text), tag: tag) }
        return client.value(of: place, tag: 1)
    }

    @Test(
        "of a full window takes, displaces or ignores children as the SDK does",
        arguments: [
            // Whole value: filtered again, a leaf is empty.
            ([#"d / {"a":1,"b":2,"c":3}"#], #"{"b":2,"c":3}"#),
            (["d / 5"], "null"),
            ([#"d / {"a":1,"b":2,".priority":3}"#], #"{"a":1,"b":2}"#),
            // A better child displaces the boundary, a worse one is ignored.
            (["d d 9"], #"{"c":3,"d":9}"#),
            (["d a 1"], #"{"b":2,"c":3}"#),
            // One that is held is changed in place, wherever its order puts it.
            (["d c 0"], #"{"b":2,"c":0}"#),
            (["d c null"], #"{"b":2}"#),
            (["d x null"], #"{"b":2,"c":3}"#),
            // Deeper than a child: only where the child is held.
            (["d c/v 1"], #"{"b":2,"c":{"v":1}}"#),
            (["d x/v 1"], #"{"b":2,"c":3}"#),
            // The order of leaver and enterer matters in two pushes, and not in one.
            (["d a 1", "d c null"], #"{"b":2}"#),
            (["d c null", "d a 1"], #"{"a":1,"b":2}"#),
            ([#"m / {"a":1,"c":null}"#], #"{"a":1,"b":2}"#),
            // A deep key of a merge, and a merge of a child.
            ([#"m / {"c/v":1,"x/v":1}"#], #"{"b":2,"c":{"v":1}}"#),
            ([#"m c {"v":1}"#], #"{"b":2,"c":{"v":1}}"#),
            ([#"m x {"v":1}"#], #"{"b":2,"c":3}"#),
        ])
    func window(pushes: [String], value: String) throws {
        let copy = try self.value(Self.lastTwo, from: #"{"b":2,"c":3}"#, after: pushes)
        #expect(copy == (try node(value)))
    }

    @Test("of a range drops what is pushed with a value outside of it")
    func range() throws {
        let query = Query(order: .value, lower: .init(value: .leaf(.integer(2)), key: .start))
        #expect(try value(query, from: #"{"a":2,"b":3}"#, after: ["d b 1"]) == node(#"{"a":2}"#))
        #expect(try value(query, from: #"{"a":2}"#, after: ["d b 1"]) == node(#"{"a":2}"#))
    }

    @Test("takes pushes without a tag only for children it holds, or for whole ones that fit")
    func untagged() throws {
        let start = #"{"b":2,"c":3}"#
        #expect(try value(Self.lastTwo, from: start, after: ["d d 9"], tag: nil) == node(#"{"c":3,"d":9}"#))
        #expect(try value(Self.lastTwo, from: start, after: ["d x/v 9"], tag: nil) == node(start))
        #expect(try value(Self.lastTwo, from: start, after: ["d x 9"], tag: 2) == node(start))
    }

    @Test("is spoiled by a push without a tag that comes before that of the window")
    func order() throws {
        // c goes and d comes, while a client listens to /7/d too: b must stay.
        func value(windowFirst: Bool) throws -> Node {
            var client = Replica()
            client.listen(to: place, query: Self.lastTwo, tag: 1)
            try client.receive(push(#"d / {"b":2,"c":3}"#), tag: 1)
            let window = try push(#"m / {"c":null,"d":4}"#)
            if windowFirst { try client.receive(window, tag: 1) }
            try client.receive(push("d d 4"))
            if !windowFirst { try client.receive(window, tag: 1) }
            return client.value(of: place, tag: 1)
        }
        #expect(try value(windowFirst: true) == node(#"{"b":2,"d":4}"#))
        #expect(try value(windowFirst: false) == node(#"{"d":4}"#))
    }

    @Test("stays a window when its listen is answered after a wider one has brought everything")
    func wider() throws {
        var client = Replica()
        client.listen(to: place)
        client.listen(to: place, query: Self.lastTwo, tag: 1)
        try client.receive(push(#"d / {"a":1,"b":2,"c":3}"#))
        client.complete(place, tag: 1)
        #expect(client.value(of: place, tag: 1) == (try node(#"{"b":2,"c":3}"#)))
        try client.receive(push(#"m / {"b":null,"a":1}"#), tag: 1)
        #expect(client.value(of: place, tag: 1) == (try node(#"{"a":1,"c":3}"#)))
    }

    @Test("is the window that was hashed, when its listen is answered after a wider one has brought some")
    func someOfIt() throws {
        var client = Replica()
        client.listen(to: place)
        client.listen(to: place, query: Self.lastTwo, tag: 1)
        client.complete(place)
        for text in ["d c 3", #"m / {"a":1,"b":2}"#] { try client.receive(push(text)) }
        let hash = client.hash(of: place, tag: 1)
        client.complete(place, tag: 1)
        #expect(client.hash(of: place, tag: 1) == hash)
        #expect(client.value(of: place, tag: 1) == (try node(#"{"b":2,"c":3}"#)))
    }

    @Test("of a whole value takes pushes at, above and below its place")
    func whole() throws {
        var client = Replica()
        client.listen(to: place)
        try client.receive(push(#"d / {"a":{"b":1},".priority":4}"#))
        try client.receive(push("d a/c 2"))
        try client.receive(.overwrite(place, .priority(.string("p"))))
        #expect(client.value(of: place) == (try node(#"{"a":{"b":1,"c":2},".priority":"p"}"#)))
        try client.receive(.overwrite(.root, .node(try node(#"{"7":{"x":1}}"#))))
        #expect(client.value(of: place) == (try node(#"{"x":1}"#)))
        try client.receive(.merge(.root, [.init(path: place, content: .node(try node("2")))]))
        #expect(client.value(of: place) == (try node("2")))
    }

    @Test("loses the priority of a place that a merge empties for a moment")
    func emptied() throws {
        var client = Replica()
        client.listen(to: place)
        try client.receive(push(#"d / {"a":1,".priority":4}"#))
        try client.receive(push(#"m / {"a":null,"b":2}"#))
        #expect(client.value(of: place) == (try node(#"{"b":2}"#)))
    }

    @Test("does not survive a tagged push above its place, nor a merge before the first value")
    func faults() throws {
        var client = Replica()
        client.listen(to: place, query: Self.lastTwo, tag: 1)
        #expect(throws: Replica.Fault.mergeBeforeValue) {
            try client.receive(push(#"m / {"a":1}"#), tag: 1)
        }
        #expect(throws: Replica.Fault.aboveQuery) {
            try client.receive(.overwrite(.root, .node(.empty)), tag: 1)
        }
    }

    @Test("is complete once the listen is answered, and hashes what it holds")
    func hashes() throws {
        var client = Replica()
        client.listen(to: place, query: Self.lastTwo, tag: 1)
        #expect(client.hash(of: place, tag: 1).isEmpty)
        client.complete(place, tag: 1)
        try client.receive(push(#"m / {"a":1,"b":"x"}"#), tag: 1)
        #expect(client.hash(of: place, tag: 1) == "jRI9dwRS9sb4SWm8uuoN7+xBk4g=")
        client.unlisten(from: place, tag: 1)
        #expect(client.value(of: place, tag: 1).isEmpty)
    }
}
