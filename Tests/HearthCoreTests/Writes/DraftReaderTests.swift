// JSON in: what vanishes, what is understood, what is refused and where.
import HearthCore
import HearthTesting
import Testing

@Suite("A body")
struct DraftReaderTests {
    @Test(
        "loses what is nothing and keeps all else",
        arguments: [
            ("null", "null"), ("{}", "null"), ("[]", "null"), ("[null,{},[[]]]", "null"),
            (#"{"a":{"b":{"c":null}}}"#, "null"), (#"{"a":{"b":null},"c":1}"#, #"{"c":1}"#),
            ("false", "false"), ("0", "0"), (#""""#, #""""#),
            (#"{"a":false,"b":0,"c":""}"#, #"{"a":false,"b":0,"c":""}"#),
            (" [1, null,\n2 ] ", #"{"0":1,"2":2}"#), ("[[1],[null,2]]", #"{"0":{"0":1},"1":{"1":2}}"#),
            ("-0", "0"), ("1.0", "1"), ("1e3", "1000"), ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9223372036854776000"), ("1.5", "1.5"),
            (#"{"b":1,"a":2,"10":3,"9":4}"#, #"{"9":4,"10":3,"a":2,"b":1}"#),
        ])
    func pruning(body: String, stored: String) throws {
        #expect(text(try node(body)) == stored)
    }

    @Test(
        "lets the last of equal keys win",
        arguments: [
            (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"b":2,"a":null}"#, #"{"b":2}"#),
            (#"{"a":{"x":1},"a":{"y":2}}"#, #"{"a":{"y":2}}"#), (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#),
            (#"{"a":1,".priority":1,".priority":"p"}"#, #"{"a":1,".priority":"p"}"#),
            (#"{".value":1,".value":2}"#, "2"),
        ])
    func duplicates(body: String, stored: String) throws {
        #expect(text(try node(body)) == stored)
    }

    @Test(
        "understands values and priorities",
        arguments: [
            (#"{".value":"v"}"#, #""v""#),
            (#"{".value":"v",".priority":2}"#, #"{".value":"v",".priority":2}"#),
            (#"{".priority":"p",".value":false}"#, #"{".value":false,".priority":"p"}"#),
            (#"{".value":null,".priority":5}"#, "null"), (#"{".priority":5}"#, "null"),
            (#"{"a":null,".priority":5}"#, "null"), (#"{"a":1,".priority":null}"#, #"{"a":1}"#),
            (
                #"{".priority":1.5,"a":{".priority":"x","b":true}}"#,
                #"{"a":{"b":true,".priority":"x"},".priority":1.5}"#
            ),
            (#"{"\u002evalue":1,"\u002epriority":2}"#, #"{".value":1,".priority":2}"#),
            (#"{"value":1,"priority":2,"sv":3}"#, #"{"priority":2,"sv":3,"value":1}"#),
        ])
    func dotted(body: String, stored: String) throws {
        #expect(text(try node(body)) == stored)
    }

    @Test(
        "is refused with the reason and the place",
        arguments: [
            (#"{"":1}"#, DraftError.Reason.invalidKey(.empty), 1, 2),
            (
                "{\n  \"ok\": 1,\n  \"ä\": 1, \"a.b\": 1}", .invalidKey(.forbidden(byte: UInt8(ascii: "."))),
                3, 11
            ),
            (#"{"x":{"y":{"z$":1}}}"#, .invalidKey(.forbidden(byte: UInt8(ascii: "$"))), 1, 12),
            (#"{"a/b":1}"#, .invalidKey(.forbidden(byte: UInt8(ascii: "/"))), 1, 2),
            (#"{"\u0001":1}"#, .invalidKey(.forbidden(byte: 1)), 1, 2),
            (#"{".foo":1}"#, .invalidKey(.forbidden(byte: UInt8(ascii: "."))), 1, 2),
            (#"{".value":1,"a":2}"#, .valueBesideOthers, 1, 13),
            (#"{"a":null,".value":1}"#, .valueBesideOthers, 1, 11),
            (#"{".sv":"timestamp",".value":1}"#, .valueBesideOthers, 1, 20),
            (#"{".sv":"timestamp","a":1}"#, .serverValueBesideOthers, 1, 20),
            (#"{".value":{"a":1}}"#, .unknownServerValue, 1, 12), (#"{".value":{}}"#, .invalidValue, 1, 12),
            (#"{".value":[]}"#, .invalidValue, 1, 11),
            (#"{"a":1,".priority":true}"#, .invalidPriority, 1, 20),
            (#"{"a":1,".priority":[1]}"#, .invalidPriority, 1, 20),
            (#"{"a":1,".priority":{}}"#, .invalidPriority, 1, 21),
            (#"{".sv":"bogus"}"#, .unknownServerValue, 1, 8), (#"{".sv":1}"#, .unknownServerValue, 1, 8),
            (#"{".sv":{"decrement":1}}"#, .unknownServerValue, 1, 9),
            (#"{".sv":{}}"#, .unknownServerValue, 1, 9),
            (#"{".sv":{"increment":"1"}}"#, .unknownServerValue, 1, 21),
            (#"{".sv":{"increment":{}}}"#, .unknownServerValue, 1, 21),
            (#"{".sv":[1]}"#, .unknownServerValue, 1, 8),
            (#"{".sv":null}"#, .unknownServerValue, 1, 8),
        ])
    func refused(body: String, reason: DraftError.Reason, line: Int, column: Int) {
        let error = #expect(throws: DraftError.self) { try DraftReader.draft(Array(body.utf8)) }
        #expect(error?.description == "line \(line), column \(column): \(reason)")
    }

    @Test("is refused as JSON with line and column")
    func malformed() {
        let error = #expect(throws: DraftError.self) {
            try DraftReader.draft(Array("{\"a\":1,\n\"b\" 2}".utf8))
        }
        #expect(error?.description == "line 2, column 5: expected ':' after a key, found '2'")
        #expect(throws: DraftError.self) { try DraftReader.draft([]) }
        #expect(throws: DraftError.self) { try DraftReader.draft(Array("1 2".utf8)) }
        #expect(throws: DraftError.self) { try DraftReader.draft(Array("1e999".utf8)) }
    }

    @Test("is refused beyond 32 levels, path and value together", arguments: [0, 1, 17, 31, 32])
    func levels(pathDepth: Int) throws {
        let place = try path(String(repeating: "/p", count: pathDepth))
        let left = 32 - pathDepth
        for (open, close) in [(#"{"k":"#, "}"), ("[", "]")] {
            let deepest = String(repeating: open, count: left) + "1" + String(repeating: close, count: left)
            #expect(try DraftReader.draft(Array(deepest.utf8), at: place).node.weight > 0)
            let tooDeep = open + deepest + close
            let error = #expect(throws: DraftError.self) {
                try DraftReader.draft(Array(tooDeep.utf8), at: place)
            }
            guard case .refused(.tooDeep, _) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
        }
        let atLeaf = String(repeating: #"{"k":"#, count: left) + #"{".value":1,".priority":2}"#
        #expect(
            try !DraftReader.draft(Array((atLeaf + String(repeating: "}", count: left)).utf8), at: place).node
                .isEmpty)
    }

    @Test("of a million open brackets fails at the first one that is too deep")
    func brackets() {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        let error = #expect(throws: DraftError.self) { try DraftReader.draft(bytes) }
        #expect(error?.description == "line 1, column 34: \(DraftError.Reason.tooDeep)")
    }

    @Test("may have a key of 768 bytes and a string of 10 MiB, not more")
    func limits() throws {
        func key(_ count: Int) -> [UInt8] { Array(#"{"\#(String(repeating: "k", count: count))":1}"#.utf8) }
        func string(_ count: Int) -> [UInt8] { [0x22] + [UInt8](repeating: 0x61, count: count) + [0x22] }
        #expect(try DraftReader.draft(key(768)).node.childCount == 1)
        #expect(throws: DraftError.self) { try DraftReader.draft(key(769)) }
        #expect(try DraftReader.draft(string(Leaf.stringByteLimit)).node.leaf != nil)
        #expect(throws: DraftError.self) { try DraftReader.draft(string(Leaf.stringByteLimit + 1)) }
    }

    @Test("says the same however it is cut")
    func chunks() throws {
        let body = #"""
            {"lobby":{"topic":"h\u00e9llo \ud83d\ude00",
            "members":{"ann":true,"bob":{".value":1.25,".priority":"p"}},
            "seen":{".sv":"timestamp"},"list":[1,null,{"n":{".sv":{"increment":-3}}}],
            ".priority":{".sv":"timestamp"}}}
            """#
        let whole = try DraftReader.draft(Array(body.utf8))
        #expect(whole.placeholders.count == 3)
        try verifyChunked(Array(body.utf8), yields: [text(whole.node), "\(whole.placeholders)"], copies: 1) {
            pieces in
            var reader = DraftReader(at: .root)
            for piece in pieces { _ = try reader.read(piece, isFinal: false) }
            let made = try reader.read([UInt8](), isFinal: true)
            let draft = try #require(made)
            return [text(draft.node), "\(draft.placeholders)"]
        }
    }

    @Test("keeps what the commit fills in, with a stand-in at its place")
    func placeholders() throws {
        let body = #"""
            {"b":{".sv":"timestamp"},"c":1,
            "a":{".value":{".sv":{"increment":2}},".priority":{".sv":"timestamp"}}}
            """#
        let draft = try DraftReader.draft(Array(body.utf8))
        #expect(text(draft.node) == #"{"a":0,"b":0,"c":1}"#)
        #expect(
            draft.placeholders == [
                .init(
                    path: try path("a"), target: .value(priority: .none), serverValue: .increment(.integer(2))
                ),
                .init(path: try path("a"), target: .priority, serverValue: .timestamp),
                .init(path: try path("b"), target: .value(priority: .none), serverValue: .timestamp),
            ])
    }

    @Test(
        "forgets what an equal key replaced, placeholders included",
        arguments: [
            (#"{"a":{".sv":"timestamp"},"a":1}"#, #"{"a":1}"#),
            (#"{"a":{"b":{".sv":"timestamp"}},"a":null}"#, "null"),
            (#"{"a":{"b":{".sv":"timestamp"}},"a":{"c":2}}"#, #"{"a":{"c":2}}"#),
            (
                #"{"a":{"x":1,".priority":{".sv":"timestamp"},".priority":3}}"#,
                #"{"a":{"x":1,".priority":3}}"#
            ),
            (#"{"a":{".priority":{".sv":"timestamp"}}}"#, "null"),
        ])
    func replacedPlaceholders(body: String, stored: String) throws {
        let draft = try DraftReader.draft(Array(body.utf8))
        #expect(draft.placeholders == [])
        #expect(text(draft.node) == stored)
    }
}
