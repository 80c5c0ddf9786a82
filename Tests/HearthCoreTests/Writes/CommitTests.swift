// Edits, and the way back.
import HearthCore
import HearthTesting
import Testing

@Suite("Undo")
struct CommitTests {
    @Test(
        "leads back, vanished ancestors and their priorities included",
        arguments: [
            // The last child of ancestors with priorities.
            (#"{"a":{"b":{"c":1,".priority":2},".priority":"p"},".priority":3}"#, ["a/b/c": "null"]),
            (#"{"a":{"b":{"c":1,".priority":2},".priority":"p"},"x":1}"#, ["a/b/c": "null"]),
            // Below a leaf with a priority.
            (#"{"a":{".value":1,".priority":"p"}}"#, ["a/b/c": "5"]),
            (#"{".value":1,".priority":"p"}"#, ["a": "5"]),
            // Where nothing was, and everything at once.
            ("null", ["a/b": "1"]), (#"{"a":1}"#, ["b/c/d": "1"]), (#"{"a":1,".priority":1}"#, ["": "null"]),
            (#"{"a":{"b":1}}"#, ["": #"{"a":{"b":2},".priority":1}"#]),
            // Nothing changes.
            (#"{"a":1}"#, ["a/b": "null"]), (#"{"a":1}"#, ["a": "1"]), ("null", ["a": "null"]),
            // Several places.
            (
                #"{"a":{"x":1,".priority":1},"b":{"y":{".value":2,".priority":5}}}"#,
                ["a/z": "2", "b/y/deep": "3", "c": "4", "b/q": "null"]
            ),
        ] as [(String, [String: String])])
    func undo(body: String, writes: [String: String]) throws {
        let root = try node(body)
        let edits = try writes.sorted { $0.key < $1.key }.map {
            Edit.put(try path($0.key), try node($0.value))
        }
        let undo = root.undo(of: edits)
        let changed = root.applying(edits)
        #expect(text(changed.applying(undo)) == body)
        #expect(changed.applying(undo) == root)
        #expect(changed.applying(undo).applying(edits) == changed)
    }

    @Test("of a new priority is the old one, however large the value is")
    func priorities() throws {
        let root = try node(#"{"a":{"text":"\#(String(repeating: "x", count: 100_000))",".priority":1}}"#)
        for priority in [Priority.none, .number(2), .string("p")] {
            let edits = [
                Edit.prioritize(try path("a"), priority), .prioritize(try path("nothing"), .number(1)),
            ]
            let undo = root.undo(of: edits)
            #expect(root.applying(edits).descendant(at: try path("a")).priority == priority)
            #expect(root.applying(edits).applying(undo) == root)
            #expect(undo.reduce(0) { $0 + $1.weight } < 200)
        }
    }

    @Test("shares what it keeps, so that it costs the written path alone")
    func weight() throws {
        var builder = Node.Builder()
        for index in 0..<10_000 { builder.insert(Node(.string("hello")), for: Key(index: index)) }
        let root = Node.empty.setting(builder.finish(), at: try path("rooms/lobby"))
        let undo = root.undo(of: [.put(try path("rooms/lobby/77"), Node(.string("bye")))])
        #expect(undo == [.put(try path("rooms/lobby/77"), Node(.string("hello")))])
    }

    @Test("leads back over any sequence of random commits")
    func sequences() throws {
        var random = SeededRandom(for: "undo")
        let places = ["", "a", "a/b", "a/b/c", "a/b/d", "a/e", "f", "f/g", "f/g/h"]
        let values = [
            "null", "null", "1", #"{".value":2,".priority":3}"#, #"{"b":{"c":1,".priority":1}}"#,
            #"{"g":"x"}"#,
        ]
        for _ in 0..<200 {
            var states = [Node.empty]
            var undos: [[Edit]] = []
            for _ in 0..<12 {
                let edits = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let place = try path(places.randomElement(using: &random) ?? "")
                    if random.oneIn(5) { return Edit.prioritize(place, .string("q")) }
                    return .put(place, try node(values.randomElement(using: &random) ?? "null"))
                }
                let present = states[states.count - 1]
                undos.append(present.undo(of: edits))
                states.append(present.applying(edits))
            }
            var present = states.removeLast()
            for (undo, state) in zip(undos.reversed(), states.reversed()) {
                present = present.applying(undo)
                #expect(present == state && text(present) == text(state))
            }
        }
    }

    @Test("of an update keeps the priority of a place that is never empty in the end")
    func updateKeepsPriority() throws {
        let root = try node(#"{"p":{"a":1,".priority":5}}"#)
        let place = try path("p")
        let changes = try UpdateReader.changes(Array(#"{"a":null,"b":2}"#.utf8), at: place)
        let edits = changes.map { Edit.put(place.appending($0.path), $0.draft.node) }
        #expect(text(root.applying(edits)) == #"{"p":{"b":2,".priority":5}}"#)
        #expect(root.applying(edits).applying(root.undo(of: edits)) == root)
    }
}

@Suite("A cursor")
struct CursorTests {
    @Test(
        "is read back as it was written",
        arguments: [
            "k3Jx9a-1042", "a-0", "0123456789abcdef-9223372036854775807", "a-1.e0", "k3Jx9a-1042.e3",
            "a-0.s0", "k3Jx9a-1042.s100000",
        ])
    func roundTrip(text: String) {
        #expect(Cursor(text)?.description == text)
    }

    @Test(
        "is refused if it is not well formed",
        arguments: [
            "", "-", "a-", "-1", "a-b", "a--1", "a-1-2", "a-+1", "a- 1", "ä-1", "a_b-1",
            "a-9223372036854775808",
            "0123456789abcdefg-1", "a-00000000000000000001", "a-1\n", "a-1.", "a-1.e", "a-1.3", "a-1.x3",
            "a-1.e-1", "a-1.e+1", "a-1.e1.e1", "a-.e1", "a-0.e1", "a-1.s9223372036854775808",
        ])
    func refused(text: String) {
        #expect(Cursor(text) == nil)
    }

    @Test("in the middle of a revision can be told again from a whole one")
    func base() {
        let part = Cursor(epoch: "a", revision: 7, part: .events(2))
        #expect(!part.isWhole && part.base == Cursor(epoch: "a", revision: 6))
        let state = Cursor(epoch: "a", revision: 7, part: .children(2))
        #expect(!state.isWhole && state.base == Cursor(epoch: "a", revision: 7))
        #expect(state.base.isWhole && state.base.base == state.base)
    }
}
