// JSON out: arrays, priorities, layouts, and stopping anywhere.
import HearthCore
import HearthJSON
import Testing

@Suite("The text of a node")
struct NodeSerializerTests {
    @Test(
        "is an array where the keys are canonical indexes and dense enough",
        arguments: [
            (#"{"0":"a","1":"b","2":"c"}"#, #"["a","b","c"]"#), (#"{"0":"a","2":"c"}"#, #"["a",null,"c"]"#),
            (#"{"1":"a"}"#, #"[null,"a"]"#), (#"{"1":"a","2":"b"}"#, #"[null,"a","b"]"#),
            (#"{"1":"a","3":"b"}"#, #"[null,"a",null,"b"]"#), (#"{"2":"x"}"#, #"{"2":"x"}"#),
            (#"{"3":1,"4":2}"#, #"{"3":1,"4":2}"#), (#"{"0":1,"5":2}"#, #"{"0":1,"5":2}"#),
            (#"{"00":1,"01":2}"#, #"{"00":1,"01":2}"#), (#"{"-1":1,"0":2}"#, #"{"-1":1,"0":2}"#),
            (#"{"0":1,"x":2}"#, #"{"0":1,"x":2}"#), (#"{"0":1,"-0":2,"1":3}"#, #"{"0":1,"-0":2,"1":3}"#),
            (#"{"0":1,"01":2,"2":3}"#, #"{"0":1,"01":2,"2":3}"#), (#"{"0":1}"#, "[1]"),
            (#"{"o":{"0":{"0":1},"1":2}}"#, #"{"o":[[1],2]}"#),
            (#"{"2147483647":1}"#, #"{"2147483647":1}"#), (#"{"4294967296":1}"#, #"{"4294967296":1}"#),
        ])
    func arrays(body: String, plain: String) throws {
        #expect(text(try node(body), .plain) == plain)
        #expect(text(try node(body), .export) == body)
    }

    @Test("of a query's result has arrays below its top only")
    func queryResult() throws {
        #expect(text(try node(#"{"0":{"0":1},"1":[2]}"#), .queryResult) == #"{"0":[1],"1":[2]}"#)
    }

    @Test(
        "in short has true for each child",
        arguments: [
            (#"{"a":{"b":1},"c":"x"}"#, #"{"a":true,"c":true}"#), (#""leaf""#, #""leaf""#), ("null", "null"),
            ("[1,2]", #"{"0":true,"1":true}"#), (#"{".value":5,".priority":1}"#, "5"),
        ])
    func shallow(body: String, short: String) throws {
        #expect(text(try node(body), .shallow) == short)
    }

    @Test(
        "hides priorities unless it is an export",
        arguments: [
            (
                #"{"a":{"x":1,".priority":5},"b":{".value":"v",".priority":"p"},"c":3}"#,
                #"{"a":{"x":1},"b":"v","c":3}"#
            ),
            (#"{"a":1,".priority":-1.5}"#, #"{"a":1}"#), (#"{".value":true,".priority":0}"#, "true"),
        ])
    func priorities(export: String, plain: String) throws {
        #expect(text(try node(export), .export) == export)
        #expect(text(try node(export), .plain) == plain)
    }

    @Test("is laid out for people on request")
    func pretty() throws {
        let shown = text(
            try node(#"{"first":"Jack","ship":{"name":"Pearl"},"log":[1]}"#), .init(layout: .pretty))
        #expect(
            shown == """
                {
                  "first" : "Jack",
                  "log" : [ 1 ],
                  "ship" : {
                    "name" : "Pearl"
                  }
                }
                """)
    }

    @Test("escapes what must be escaped, in keys too")
    func escapes() throws {
        let body = #"{"a\"b\\c":"\u0001\n\t\"\\/","é😀":"ü"}"#
        #expect(text(try node(body)) == #"{"a\"b\\c":"\u0001\n\t\"\\/","é😀":"ü"}"#)
    }

    @Test("is the same when it is written in slices of any size")
    func slices() throws {
        let body = #"""
            {"1":[1,null,[true]],
            "lobby":{"topic":"hello","members":{"ann":{".value":1,".priority":2}},"list":[null,"x"]},
            "z":{"deep":{"er":{"still":-1.5e-7}}},".priority":"p"}
            """#
        let value = try node(body)
        for format in [NodeSerializer.Format.plain, .export, .shallow, .queryResult, .init(layout: .pretty)] {
            let whole = NodeSerializer.bytes(of: value, format)
            for limit in 1...whole.count + 1 {
                var serializer = NodeSerializer(value, format)
                var bytes: [UInt8] = Array("before".utf8)
                var slice: [UInt8] = []
                while !serializer.write(into: &slice, byteLimit: limit) {
                    #expect(slice.count >= limit)
                    bytes += slice
                    slice = []
                }
                bytes += slice
                #expect(bytes == Array("before".utf8) + whole, "in slices of \(limit)")
            }
        }
    }

    @Test("keeps what it had when it began, whatever is written meanwhile")
    func snapshot() throws {
        var root = try node(#"{"a":1,"b":2,"c":3}"#)
        var serializer = NodeSerializer(root)
        var bytes: [UInt8] = []
        let isComplete = serializer.write(into: &bytes, byteLimit: 4)
        #expect(!isComplete)
        root.set(.empty, at: try path("b"))
        let isCompleteNow = serializer.write(into: &bytes)
        #expect(isCompleteNow)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":1,"b":2,"c":3}"#)
        #expect(text(root) == #"{"a":1,"c":3}"#)
    }
}
