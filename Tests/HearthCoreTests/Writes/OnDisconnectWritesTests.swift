// What is left of on-disconnect writes after others and cancellations (wire-protocol.md §14.2).
import HearthCore
import HearthTesting
import Testing

/// Requests, one a line: `set /a {"b":1}`, `update /a {"b":1,"c/d":null}`, `rank /a 5`, `cancel /a`.
private func writes(_ lines: [String]) throws -> OnDisconnectWrites {
    var writes = OnDisconnectWrites()
    for line in lines {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let place = try path(words[1])
        switch words[0] {
        case "set": writes.add(.set(place, try DraftReader.draft(Array(words[2].utf8), at: place)))
        case "update": writes.add(.update(place, try UpdateReader.changes(Array(words[2].utf8), at: place)))
        case "rank":
            let priority = try #require(try DraftReader.draft(Array(words[2].utf8)).priority)
            writes.add(.prioritize(place, priority))
        case "cancel": writes.cancel(at: place)
        default: Issue.record("'\(line)' is no request")
        }
    }
    return writes
}

/// What is left, as the journal has it.
private func left(_ writes: OnDisconnectWrites) -> String {
    let text = String(
        decoding: OnDisconnectEntry(asker: .administrator, writes: writes).encoded, as: UTF8.self)
    return String(text.dropFirst(#"{"as":"administrator","#.count).dropLast())
}

@Suite("On-disconnect writes")
struct OnDisconnectWritesTests {
    @Test(
        "replace what was to be written at and below their place, and become part of what is above",
        arguments: [
            ([], #""set":{},"prioritize":{}"#),
            (["set /a 1"], #""set":{"/a":1},"prioritize":{}"#),
            (["set /a null"], #""set":{"/a":null},"prioritize":{}"#),
            (["set /a/b 1", "set /a/c 2", "set /a {\"d\":3}"], #""set":{"/a":{"d":3}},"prioritize":{}"#),
            (["set /a {\"b\":1}", "set /a/c/d 2"], #""set":{"/a":{"b":1,"c":{"d":2}}},"prioritize":{}"#),
            (["set /a {\"b\":1}", "set /a/b null"], #""set":{"/a":null},"prioritize":{}"#),
            (["set /a 5", "set /a/b null"], #""set":{"/a":5},"prioritize":{}"#),
            (["set /a 5", "set /a/b 1"], #""set":{"/a":{"b":1}},"prioritize":{}"#),
            (["set /a null", "set /a/b 1"], #""set":{"/a":{"b":1}},"prioritize":{}"#),
            (
                ["set /b 1", "set /a/c 2", "set /a/b 3", "set /10 4", "set /9 5"],
                #""set":{"/9":5,"/10":4,"/a/b":3,"/a/c":2,"/b":1},"prioritize":{}"#
            ),
            (
                ["update /a {\"b\":1,\"c/d\":null}", "update /a {\"b/x\":2}"],
                #""set":{"/a/b":{"x":2},"/a/c/d":null},"prioritize":{}"#
            ),
            (["set / {\"a\":1}", "set /b 2"], #""set":{"/":{"a":1,"b":2}},"prioritize":{}"#),
        ])
    func merging(lines: [String], left: String) throws {
        #expect(HearthCoreTests.left(try writes(lines)) == left)
    }

    @Test(
        "keep server values wherever they stand",
        arguments: [
            (
                ["set /a {\"t\":{\".sv\":\"timestamp\"},\"n\":{\".sv\":{\"increment\":2}}}"],
                #""set":{"/a":{"n":{".sv":{"increment":2}},"t":{".sv":"timestamp"}}},"prioritize":{}"#
            ),
            (
                ["set /a {\"b\":1}", "set /a/c {\".value\":{\".sv\":\"timestamp\"},\".priority\":3}"],
                #""set":{"/a":{"b":1,"c":{".value":{".sv":"timestamp"},".priority":3}}},"prioritize":{}"#
            ),
            // A leaf that is still to be filled in gives way to children, and is not filled in any more.
            (["set /a {\".sv\":\"timestamp\"}", "set /a/b 1"], #""set":{"/a":{"b":1}},"prioritize":{}"#),
            (
                ["set /a {\".sv\":\"timestamp\"}", "set /a/b null"],
                #""set":{"/a":{".sv":"timestamp"}},"prioritize":{}"#
            ),
            (
                ["set /a {\"b\":{\"c\":{\".sv\":\"timestamp\"}}}", "set /a/b {\"d\":1}"],
                #""set":{"/a":{"b":{"d":1}}},"prioritize":{}"#
            ),
            (
                [
                    "set /a {\"b\":1,\".priority\":{\".sv\":\"timestamp\"}}", "set /a/b null", "set /a/c 2",
                ], #""set":{"/a":{"c":2}},"prioritize":{}"#
            ),
        ])
    func serverValues(lines: [String], left: String) throws {
        #expect(HearthCoreTests.left(try writes(lines)) == left)
    }

    @Test(
        "may be of a priority alone",
        arguments: [
            (["rank /a 5"], #""set":{},"prioritize":{"/a":5}"#),
            (["rank /a \"p\"", "rank /a null"], #""set":{},"prioritize":{"/a":null}"#),
            (
                ["set /a/b 1", "rank /a {\".sv\":\"timestamp\"}"],
                #""set":{"/a/b":1},"prioritize":{"/a":{".sv":"timestamp"}}"#
            ),
            (["rank /a 5", "set /a 1"], #""set":{"/a":1},"prioritize":{}"#),
            (["set /a 1", "rank /a 5"], #""set":{"/a":{".value":1,".priority":5}},"prioritize":{}"#),
            (["set /a {\"b\":1}", "rank /a/c 5"], #""set":{"/a":{"b":1}},"prioritize":{}"#),
            (
                ["set /a {\"b\":{\".sv\":\"timestamp\"}}", "rank /a/b \"p\""],
                #""set":{"/a":{"b":{".value":{".sv":"timestamp"},".priority":"p"}}},"prioritize":{}"#
            ),
            (
                ["set /a 1", "rank /a {\".sv\":{\"increment\":1}}", "rank /a {\".sv\":\"timestamp\"}"],
                #""set":{"/a":{".value":1,".priority":{".sv":"timestamp"}}},"prioritize":{}"#
            ),
        ])
    func priorities(lines: [String], left: String) throws {
        #expect(HearthCoreTests.left(try writes(lines)) == left)
    }

    @Test(
        "are dropped at and below a place that is cancelled",
        arguments: [
            (["set /a 1", "cancel /a"], #""set":{},"prioritize":{}"#),
            (["set /a/b 1", "set /a/c 2", "set /d 3", "cancel /a"], #""set":{"/d":3},"prioritize":{}"#),
            (["set /a/b 1", "cancel /a/b/c"], #""set":{"/a/b":1},"prioritize":{}"#),
            (["set /a/b 1", "cancel /x"], #""set":{"/a/b":1},"prioritize":{}"#),
            (["set /a/b 1", "rank /a 2", "cancel /a"], #""set":{},"prioritize":{}"#),
            (["set /a/b 1", "rank /a 2", "cancel /a/b"], #""set":{},"prioritize":{"/a":2}"#),
            (["set /a 1", "set /b 2", "cancel /"], #""set":{},"prioritize":{}"#),
            // What was to be written whole is split, and only the branch is dropped.
            (
                ["set /a {\"b\":{\"x\":1,\"y\":2},\"c\":3,\".priority\":7}", "cancel /a/b/x"],
                #""set":{"/a/b/y":2,"/a/c":3},"prioritize":{}"#
            ),
            (
                ["set /a {\"b\":{\".sv\":\"timestamp\"},\"c\":1}", "cancel /a/c"],
                #""set":{"/a/b":{".sv":"timestamp"}},"prioritize":{}"#
            ),
            (["set /a {\"b\":1}", "cancel /a/c"], #""set":{"/a/b":1},"prioritize":{}"#),
            // There is nothing below a leaf or a removal.
            (["set /a 1", "cancel /a/b"], #""set":{"/a":1},"prioritize":{}"#),
            (["set /a null", "cancel /a/b"], #""set":{"/a":null},"prioritize":{}"#),
        ])
    func cancelling(lines: [String], left: String) throws {
        #expect(HearthCoreTests.left(try writes(lines)) == left)
    }

    /// A random write whose places have siblings that nothing touches, so that none ever vanishes.
    private func randomWrite(_ random: inout SeededRandom) throws -> Write {
        func key() throws -> Key { try Key(["a", "b", "c"].randomElement(using: &random) ?? "a") }
        var place = Path([try key()])
        while place.depth < 3, random.oneIn(2) { place = place.appending(try key()) }
        let texts = [
            "null", "1", #""hello""#, #"{".sv":"timestamp"}"#, #"{"a":1,"b":{"c":2}}"#,
            #"{"c":{".value":{".sv":"timestamp"},".priority":"p"},"b":{"a":true}}"#,
        ]
        let draft = try DraftReader.draft(Array((texts.randomElement(using: &random) ?? "1").utf8))
        guard random.oneIn(3), place.depth > 1, let base = place.parent, let last = place.last else {
            return .set(place, draft)
        }
        return .update(base, [(Path([last]), draft)])
    }

    private func apply(_ path: Path, _ draft: Draft, to root: inout Node) {
        root.set(draft.resolved(old: root.descendant(at: path), now: 17), at: path)
    }

    @Test("come to the same as writing one after the other", arguments: [true, false])
    func model(onEmptyTree: Bool) throws {
        var random = SeededRandom(for: "on-disconnect writes, empty: \(onEmptyTree)")
        let below = #"{"a":{"z":1},"b":{"z":1},"c":{"z":1},"z":1}"#
        let full = #"{"a":\#(below),"b":\#(below),"c":\#(below),"z":1}"#
        for _ in 0..<300 {
            var expected = onEmptyTree ? Node.empty : try node(full)
            var root = expected
            var writes = OnDisconnectWrites()
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let write = try randomWrite(&random)
                writes.add(write)
                switch write {
                case .set(let path, let draft): apply(path, draft, to: &expected)
                case .update(let base, let changes):
                    for change in changes { apply(base.appending(change.path), change.draft, to: &expected) }
                case .prioritize, .rules: Issue.record("there are none")
                }
            }
            let entry = OnDisconnectEntry(asker: .administrator, writes: writes)
            let stored = try #require(OnDisconnectEntry(encoded: entry.encoded))
            #expect(stored.encoded == entry.encoded)
            for item in stored.writes.items {
                if case .set(let path, let draft) = item { apply(path, draft, to: &root) }
            }
            #expect(root == expected, "\(left(writes))")
            let paths = writes.items.map(\.path)
            for path in paths {
                #expect(paths.filter { path.contains($0) }.count == 1, "none leads on to another")
            }
        }
    }
}

@Suite("A record of on-disconnect writes")
struct OnDisconnectEntryTests {
    @Test("says in whose name they are judged")
    func askers() throws {
        let token: [String: Claims] = [
            "sub": .leaf(.string("ann")), "roles": .list([.leaf(.string("host")), .null]),
            "since": .leaf(.integer(1_700_000_000)), "score": .leaf(.double(0.5)),
            "firebase": .object(["verified": .leaf(.bool(true))]),
        ]
        let auth = Auth(uid: "ann", provider: "password", token: token)
        for asker in [
            Asker.administrator, .client(nil, isLocal: true), .client(nil, isLocal: false),
            .client(auth, isLocal: false), .client(Auth(variable: [:]), isLocal: true),
        ] {
            let writes = try writes(["set /rooms/lobby/online/ann null", "rank /rooms/lobby 5"])
            let entry = OnDisconnectEntry(asker: asker, writes: writes)
            let stored = try #require(OnDisconnectEntry(encoded: entry.encoded))
            #expect(stored.asker == asker)
            #expect(stored.encoded == entry.encoded)
        }
    }

    @Test(
        "that cannot be understood is none",
        arguments: [
            "", "{", "[]", "{}", #"{"as":"nobody"}"#, #"{"as":"client","auth":3}"#,
            #"{"as":"client","set":{"/a.b":1}}"#, #"{"as":"client","set":["/a"]}"#,
            #"{"as":"client","set":{"/a":{".sv":"later"}}}"#,
            #"{"as":"client","prioritize":{"/a":true}}"#,
            #"{"as":"client","later":1}"#, #"{"as":"client"}x"#,
        ])
    func strange(text: String) {
        #expect(OnDisconnectEntry(encoded: Array(text.utf8)) == nil)
    }
}
