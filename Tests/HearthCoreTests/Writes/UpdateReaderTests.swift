// The body of an update: an object whose keys are paths.
import HearthCore
import HearthTesting
import Testing

@Suite("The body of an update")
struct UpdateReaderTests {
    private func lines(_ body: String, at place: Path = .root) throws -> [String] {
        try UpdateReader.changes(Array(body.utf8), at: place).map { "\($0.path) \(text($0.draft.node))" }
    }

    @Test(
        "names a place by each key, removals last",
        arguments: [
            ("{}", []), (#"{"a":1,"b":{"c":[2]}}"#, ["/a 1", #"/b {"c":{"0":2}}"#]),
            (#"{"ada/nick":"A","bob/nick":"B"}"#, [#"/ada/nick "A""#, #"/bob/nick "B""#]),
            (#"{"/a/b":1,"c/":2,"//d//e//":3}"#, ["/a/b 1", "/c 2", "/d/e 3"]),
            (
                #"{"a":null,"b":1,"c":{},"d":{"x":null},"e":2}"#,
                ["/b 1", "/e 2", "/a null", "/c null", "/d null"]
            ),
            (#"{"a":1,"b":2,"/a/":3}"#, ["/a 3", "/b 2"]), (#"{"a\u002fb":1}"#, ["/a/b 1"]),
            (#"{"a":{"x":1,".priority":5}}"#, [#"/a {"x":1,".priority":5}"#]),
        ] as [(String, [String])])
    func places(body: String, changes: [String]) throws {
        #expect(try lines(body) == changes)
    }

    @Test(
        "is refused with the reason",
        arguments: [
            ("[1]", DraftError.Reason.notAnObject), ("5", .notAnObject), ("null", .notAnObject),
            (#""a""#, .notAnObject),
            (#"{"":1}"#, .emptyPath), (#"{"//":1}"#, .emptyPath),
            (#"{"a/b.c":1}"#, .invalidKey(.forbidden(byte: UInt8(ascii: ".")))),
            (#"{"a":{"b/c":1}}"#, .invalidKey(.forbidden(byte: UInt8(ascii: "/")))),
            (#"{".priority":true}"#, .invalidPriority), (#"{"a/.priority":{"b":1}}"#, .unknownServerValue),
            (#"{"a/.priority":[1]}"#, .invalidPriority),
            (#"{"a/.priority/b":1}"#, .invalidKey(.forbidden(byte: UInt8(ascii: ".")))),
            (#"{".value":1}"#, .invalidKey(.forbidden(byte: UInt8(ascii: ".")))),
        ])
    func refused(body: String, reason: DraftError.Reason) {
        let error = #expect(throws: DraftError.self) { try UpdateReader.changes(Array(body.utf8)) }
        guard case .refused(let actual, _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(actual == reason)
    }

    @Test("may change a priority alone, behind what it may be given to and before removals")
    func priorities() throws {
        let body =
            #"{"a/.priority":5,"b":1,"a/c":2,"d":null,"/e/.priority/":null,".priority":{".sv":"timestamp"}}"#
        let changes = try UpdateReader.changes(Array(body.utf8))
        let lines = changes.map { change in
            "\(change.path) \(change.draft.solePriority.map { "\($0)" } ?? text(change.draft.node))"
        }
        #expect(
            lines == [
                "/b 1", "/a/c 2", "/a known(HearthCore.Priority.number(5.0))",
                "/e known(HearthCore.Priority.none)", "/ serverValue(HearthCore.ServerValue.timestamp)",
                "/d null",
            ])
    }

    @Test(
        "must not write a place and its priority",
        arguments: [
            #"{"a":1,"a/.priority":5}"#, #"{"a":1,"a/b/.priority":5}"#,
        ])
    func overlappingPriority(body: String) throws {
        let error = #expect(throws: DraftError.self) { try UpdateReader.changes(Array(body.utf8)) }
        guard case .refused(.overlappingPaths, _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test(
        "must not write a place and one below it",
        arguments: [
            #"{"a":{"c":1},"a/b":2}"#, #"{"a/b/c":1,"x":1,"a-b":2,"a/b":null}"#,
            #"{"a/b/c/d":1,"a/b!":1,"a":1}"#,
            #"{"9":1,"10":2,"9/x/y":3}"#,
        ])
    func overlapping(body: String) throws {
        let error = #expect(throws: DraftError.self) { try UpdateReader.changes(Array(body.utf8)) }
        guard case .refused(.overlappingPaths(let upper, let lower), _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(upper.contains(lower) && upper != lower)
    }

    @Test("may write places beside each other whose names begin alike")
    func neighbours() throws {
        #expect(try lines(#"{"a":1,"ab":2,"a!":3,"b/a":4,"b/ab":5}"#).count == 5)
    }

    @Test("counts the levels of its paths and of the place it is written to")
    func levels() throws {
        let place = try path(String(repeating: "/p", count: 20))
        let fine = String(repeating: "k/", count: 10) + "k"
        #expect(try lines(#"{"\#(fine)":{"x":1}}"#, at: place).count == 1)
        #expect(throws: DraftError.self) { try lines(#"{"\#(fine)":{"x":{"y":1}}}"#, at: place) }
        #expect(throws: DraftError.self) { try lines(#"{"\#(fine)/k/k":1}"#, at: place) }
        // The next member begins anew.
        #expect(try lines(#"{"\#(fine)":{"x":1},"l":{"a":{"b":{"c":{"d":1}}}}}"#, at: place).count == 2)
    }

    @Test("says the same however it is cut")
    func chunks() throws {
        let body = #"{"rooms/lobby/topic":"hello","rooms/lobby/at":{".sv":"timestamp"},"old":null}"#
        try verifyChunked(
            Array(body.utf8), yields: ["/rooms/lobby/topic 0", "/rooms/lobby/at 1", "/old 0"], copies: 1
        ) {
            pieces in
            var reader = UpdateReader(at: .root)
            for piece in pieces { _ = try reader.read(piece, isFinal: false) }
            let made = try reader.read([UInt8](), isFinal: true)
            let changes = try #require(made)
            return changes.map { "\($0.path) \($0.draft.placeholders.count)" }
        }
    }
}
