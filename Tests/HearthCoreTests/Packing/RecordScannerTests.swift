// Bodies read the short way must come to what the long way makes of them.
import HearthCore
import HearthJSON
import HearthTesting
import Testing

@Suite("A body that may be packed as it stands")
struct RecordScannerTests {
    /// What came of a body: the text, and the same again in the other way, or the fault.
    private func outcome(of body: [UInt8], by pieceByteCount: Int, limits: JSONLimits) -> String {
        var reader = DraftReader(at: .root, limits: limits)
        do throws(DraftError) {
            for start in stride(from: 0, to: body.count, by: pieceByteCount) {
                let piece = Array(body[start..<min(start + pieceByteCount, body.count)])
                guard try reader.read(piece, isFinal: false) == nil else { return "it ended early" }
            }
            guard let draft = try reader.read([UInt8](), isFinal: true) else { return "it did not end" }
            return outcome(draft)
        } catch {
            return "\(error)"
        }
    }

    private func outcome(_ draft: Draft) -> String {
        if let violation = draft.node.invariantViolation() { return violation }
        let pending = draft.placeholders.map { "\($0.path)" }.joined(separator: " ")
        return "\(text(draft.node)) \(draft.node.etag) \(pending)"
    }

    /// What came of a body that was read at once, with memory that was used before.
    private func outcome(ofWhole body: [UInt8], limits: JSONLimits) -> String {
        var memory = DraftMemory()
        _ = Array(#"{"text":"before"}"#.utf8).withUnsafeBytes { outcome(of: $0, limits: limits, &memory) }
        return body.withUnsafeBytes { outcome(of: $0, limits: limits, &memory) }
    }

    private func outcome(
        of body: UnsafeRawBufferPointer, limits: JSONLimits, _ memory: inout DraftMemory
    ) -> String {
        do throws(DraftError) {
            return outcome(try DraftReader.draft(body, at: .root, limits: limits, using: &memory))
        } catch {
            return "\(error)"
        }
    }

    /// Byte by byte no object is ever in the buffer as a whole, so that every token is read alone.
    private func expectTheSame(_ body: [UInt8], limits: JSONLimits = JSONLimits()) {
        let long = outcome(of: body, by: 1, limits: limits)
        #expect(outcome(of: body, by: max(1, body.count), limits: limits) == long)
        #expect(outcome(of: body, by: 61, limits: limits) == long)
        let inOne = outcome(of: body, by: max(1, body.count), limits: limits)
        #expect(outcome(ofWhole: body, limits: limits) == inOne)
    }

    @Test(
        "comes to the same as token by token",
        arguments: [
            #"{"user":"ada","text":"hello","ts":1700000000000,"likes":3,"edited":false}"#,
            #"{"b":1,"a":2,"10":3,"9":4,"-1":5,"z":{"y":1,"x":{"w":true}},"é":1}"#,
            #"{"a":1,"a":2}"#, #"{"b":1,"a":{"x":1},"a":{"y":2}}"#, #"{"a":{"x":1,"x":2},"b":1}"#,
            #"{"a":1.0,"b":1e3,"c":-0,"d":-0.0,"e":0.1,"f":1.50,"g":123456789012345678901,"h":1E-7}"#,
            #"{"a":0.000001,"b":0.0000001,"c":0.1234567890123456,"d":12345678901234567.5,"e":5e-324}"#,
            #"{"a":9223372036854775807,"b":-9223372036854775808,"c":9223372036854775808,"d":-5}"#,
            #"{"a":01}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":-}"#, #"{"a":1e}"#, #"{"a":1e999}"#,
            #"{"a":+1}"#,
            #"{"a":tru}"#, #"{"a":truex}"#, #"{"a":nul}"#, #"{"a":null,"b":1}"#, #"{"a":{"b":null}}"#,
            #"{"a":{}}"#, #"{"a":{},"b":{"c":[]}}"#, #"{"a":[1,2],"b":{"c":[{"d":1}]}}"#,
            #"{"a\u0062":1,"\"":2,"\\":3,"\/":4}"#, #"{"a\/b":1}"#, #"{"a.b":1}"#, #"{"":1}"#, #"{"a/b":1}"#,
            #"{"a":"\/\b\f\n\r\t\"\\\u00e9\ud83d\ude00"}"#, #"{"a":"\ud83d"}"#, #"{"a":"\x"}"#,
            #"{"a":{".value":1},"b":{".priority":1,"c":2},"d":{".sv":"timestamp"}}"#,
            #"{"a":{"t":{".sv":"timestamp"}},"a":{"t":1}}"#, #"{"x":{"t":{".sv":"timestamp"}},"y":{"t":1}}"#,
            "{\n  \"a\" : {\n \"é\" : 1 ,\r\n\t\"b\":\"é\" } , \"c\": { \"d\": 1 } , \"e\" : ?",
            "{\"a\":{\"b\":\"é\u{2028}😀\"},\"c\":\"\u{1}\"}", "{\"a\":{\"b\":1},\"c\":{\"d\":2}} x",
            "{\"a\":{\"b\":1}", "{\"a\":{\"b\":1},}", "{\"a\":{\"b\" 1}}", "{\"a\":{\"b\":1,}}",
            "{\"a\":{,}}",
            "{\"a\":\"tab\there\"}", "{\"a\u{7F}\":1}", "  {  \"a\"  :  1  }  ", "{\"a\":1}{",
        ])
    func fixed(body: String) {
        expectTheSame(Array(body.utf8))
        expectTheSame(Array("{\"room\":\(body),\"after\":\(body)}".utf8))
        expectTheSame(Array("[\(body),{\"x\":\(body)}]".utf8))
    }

    @Test("is refused at the same place for the same limits")
    func limits() {
        let body = Array(#"{"a":{"b":{"c":{"d":"0123456789","long name":1}}},"e":{"f":1}}"#.utf8)
        for number in 1..<70 {
            expectTheSame(body, limits: JSONLimits(depth: number))
            expectTheSame(body, limits: JSONLimits(stringBytes: number))
            expectTheSame(body, limits: JSONLimits(keyBytes: number))
            // Where a text becomes too long, is told by the piece that makes it so.
            let limits = JSONLimits(totalBytes: number)
            let isRefused = outcome(of: body, by: body.count, limits: limits).contains("is longer than")
            #expect(isRefused == (number < body.count))
            let inOne = outcome(of: body, by: body.count, limits: limits)
            #expect(outcome(ofWhole: body, limits: limits) == inOne)
        }
        for levels in 28...36 {
            let opened = String(repeating: #"{"a":"#, count: levels)
            let deep = opened + "1" + String(repeating: "}", count: levels)
            expectTheSame(Array(deep.utf8))
            expectTheSame(Array("{\"x\":\(deep),\"y\":[\(deep)]}".utf8))
        }
    }

    @Test("is refused where its UTF-8 is none")
    func unicode() {
        let wrong: [[UInt8]] = [
            [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC0, 0x80],
        ]
        for bytes in wrong {
            expectTheSame(Array(#"{"a":{"b":"xyz"#.utf8) + bytes + Array(#"more text"}}"#.utf8))
            expectTheSame(Array(#"{"a":{"b"#.utf8) + bytes + Array(#"":1}}"#.utf8))
        }
    }

    @Test("comes to the same when it is made up, and when a byte of it is wrong")
    func random() {
        var random = SeededRandom(for: "record scanner")
        for _ in 0..<400 {
            var bodies = RandomBodies(random: random.branch())
            var body = Array(bodies.value(depth: 0).utf8)
            expectTheSame(body)
            guard !body.isEmpty else { continue }
            let place = Int.random(in: 0..<body.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: body[place] = UInt8.random(in: 0...255, using: &random)
            case 1: body.remove(at: place)
            default:
                let choices = Array(#"{}[]:,".0e-\"#.utf8)
                body.insert(choices[Int.random(in: 0..<choices.count, using: &random)], at: place)
            }
            expectTheSame(body)
        }
    }
}

/// Texts of values as clients write them, canonical and not, of sizes around what is packed.
private struct RandomBodies {
    var random: SeededRandom

    mutating func value(depth: Int) -> String {
        if depth == 0 || (depth < 5 && random.oneIn(3)) { return object(depth: depth) }
        return oneOf([
            "true", "false", "\(Int.random(in: -9...9, using: &random))", "1700000000000", "0.5", "1.0",
            "1e2",
            "\(Double.random(in: -1...1, using: &random))", "\"hello\"", "\"é\\n\\\"\"", "\"\\u0041\"",
            "null",
            "\"\(String(repeating: "x", count: Int.random(in: 0..<500, using: &random)))\"", "{}",
            "[1,{\"a\":2}]", "\"\\u0001\\u001f\"", "\"\\u000a\\u001F\"",
        ])
    }

    private mutating func object(depth: Int) -> String {
        let space = oneOf(["", "", "", " ", "\n  "])
        let count = depth == 0 && random.oneIn(3) ? 80 : 6
        let members = (0..<Int.random(in: 1...count, using: &random)).map { _ in
            "\(space)\"\(name())\":\(space)\(value(depth: depth + 1))"
        }
        return "{" + members.joined(separator: ",") + "\(space)}"
    }

    private mutating func name() -> String {
        random.oneIn(3)
            ? oneOf([
                "text", "user", "ts", "10", "9", "-1", "-Nab", "-Nac", "é", "\\u0061", "\\\"", ".priority",
                "b c", "a\\\\b", "ab",
            ]) : "k\(Int.random(in: 0..<200, using: &random))"
    }

    private mutating func oneOf(_ choices: [String]) -> String {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
