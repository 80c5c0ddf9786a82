// Text that was written down is taken back as it is, or not at all.
import HearthCore
import HearthTesting
import Testing

@Suite("Text read back")
struct PackedReaderTests {
    private func object(_ text: String, levels: Int = 32) -> Node? {
        var reader = PackedReader()
        return Array(text.utf8).withUnsafeBytes { reader.object($0, levels: levels) }
    }

    private func members(_ text: String, count: Int, after first: String? = nil) throws -> Node? {
        var reader = PackedReader()
        var builder = Node.Builder()
        if let first { builder.insert(Node(.bool(true)), for: try Key(first)) }
        let isTaken = Array(text.utf8).withUnsafeBytes {
            reader.insert(members: $0, count: count, into: &builder, levels: 32)
        }
        return isTaken ? builder.finish() : nil
    }

    @Test(
        "is an object as it was written",
        arguments: [
            #"{"a":1}"#, #"{"9":1,"10":{"b":"x","c":-0.5},"\"":"\u0001\u001f\n\"\\/","-N":true,"é":"😀"}"#,
            #"{"a":9007199254740993,"b":1e+21,"c":5e-324,"d":0.1234567890123456}"#,
        ])
    func objects(text: String) throws {
        let made = try #require(object(text))
        #expect(made == (try node(text)))
        #expect(made.invariantViolation() == nil)
        #expect(made.withPackedText { String(decoding: $0, as: UTF8.self) } == text)
        for end in 0..<text.utf8.count {
            #expect(object(String(decoding: text.utf8.prefix(end), as: UTF8.self)) == nil)
        }
        #expect(object(text + " ") == nil && object(" " + text) == nil && object(text + "}") == nil)
    }

    @Test(
        "is refused unless it is canonical",
        arguments: [
            "{}", "null", "1", #""text""#, "[1]", "", "{", #"{"b":1,"a":2}"#, #"{"a":1,"a":1}"#, #"{"a": 1}"#,
            #"{"a":1.0}"#, #"{"a":1e2}"#, #"{"a":-0}"#, #"{"a":01}"#, #"{"a":null}"#, #"{"a":{}}"#,
            #"{"a":[1]}"#,
            #"{"a":"\/"}"#, #"{"a":"\u0041"}"#, #"{"a":"\u001F"}"#, #"{"a":"\u000a"}"#, #"{"\u0061":1}"#,
            #"{"a.b":1}"#, #"{".priority":1,"a":1}"#, #"{".value":1}"#, #"{"":1}"#, #"{"10":1,"9":1}"#,
            "{\"a\":\"\u{1}\"}", "{\"\u{7F}\":1}",
        ])
    func refused(text: String) {
        #expect(object(text) == nil)
    }

    @Test("is refused where it is too long or too deep")
    func bounds() {
        func long(_ count: Int) -> String { "{\"a\":\"\(String(repeating: "x", count: count - 8))\"}" }
        #expect(object(long(1_024)) != nil && object(long(1_025)) == nil)
        #expect(object(#"{"a":{"b":{"c":1}}}"#, levels: 3) != nil)
        #expect(object(#"{"a":{"b":{"c":1}}}"#, levels: 2) == nil)
    }

    @Test("is members that come after all others, as many as was said")
    func members() throws {
        let text = #""b":{"x":1},"c":"y","d":12"#
        let made = try #require(try members(text, count: 3, after: "a"))
        #expect(made == (try node("{\"a\":true,\(text)}")))
        #expect(made.invariantViolation() == nil)
        for count in [0, 1, 2, 4, 100] { #expect(try members(text, count: count) == nil) }
        for first in ["b", "c", "z"] { #expect(try members(text, count: 3, after: first) == nil) }
        let others = [
            text + ",", "," + text, text + " ", #""b":1 ,"c":1,"d":1"#, #""b":1,"d":1,"c":1"#,
            #""b":1,"b":1,"c":1"#,
            #""b":1}"c":1,"d":1"#, #""b":1;"c":1,"d":1"#, #""b":1,"c":null,"d":1"#, #""b":1,"c":1,"d":1.50"#,
            "",
        ]
        for other in others { #expect(try members(other, count: 3) == nil) }
    }

    @Test("is the same tree again, piece by piece")
    func pieces() throws {
        var random = SeededRandom(for: "pieces")
        for count in [1, 20, 33, 200, 2_000] {
            var builder = Node.Builder()
            for number in 0..<count {
                let isLarge = random.oneIn(20)
                let text = String(repeating: "é\"", count: isLarge ? 600 : number % 9)
                let priority = random.oneIn(200) ? Priority.number(1) : .none
                builder.insert(Node(.string(text), priority: priority), for: Key(index: number))
            }
            let node = builder.finish()
            let again = rebuilt(node)
            #expect(again == node)
            #expect(again.invariantViolation() == nil)
        }
    }

    private func rebuilt(_ node: Node) -> Node {
        var builder = Node.Builder()
        var reader = PackedReader()
        for piece in node.childPieces() {
            switch piece {
            case .child(let child): builder.insert(child.node, for: child.key)
            case .members(let text, let count):
                let isTaken = text.withUnsafeBytes {
                    reader.insert(members: $0, count: count, into: &builder, levels: 32)
                }
                #expect(isTaken)
            }
        }
        return builder.finish()
    }
}
