// Text from the writer: layouts, escapes, and what is left to the caller.
import HearthJSON
import HearthTesting
import Testing

/// Writes with `body` and returns the text.
private func write(
    _ layout: JSONLayout = .compact, _ escapes: JSONEscapes = .minimal, _ body: (inout JSONWriter) -> Void
) -> String {
    var writer = JSONWriter(layout: layout, escapes: escapes)
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite("A writer")
struct JSONWriterTests {
    private func room(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("topic")
        writer.string("hello")
        writer.key("members")
        writer.beginObject()
        writer.key("ann")
        writer.bool(true)
        writer.key("bob")
        writer.null()
        writer.endObject()
        writer.key("none")
        writer.beginObject()
        writer.endObject()
        writer.key("list")
        writer.beginArray()
        writer.integer(1)
        writer.double(0.5)
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
        writer.beginArray()
        writer.bool(false)
        writer.endArray()
        writer.endArray()
        writer.endObject()
    }

    @Test("leaves no space in the compact layout")
    func compact() {
        let expected =
            #"{"topic":"hello","members":{"ann":true,"bob":null},"none":{},"#
            + #""list":[1,0.5,{"a":[]},[false]]}"#
        #expect(write { room(&$0) } == expected)
    }

    @Test("indents objects by two spaces in the pretty layout")
    func pretty() {
        let expected = """
            {
              "topic" : "hello",
              "members" : {
                "ann" : true,
                "bob" : null
              },
              "none" : {},
              "list" : [ 1, 0.5, {
                "a" : []
              }, [ false ] ]
            }
            """
        #expect(write(.pretty) { room(&$0) } == expected)
    }

    @Test("writes a plain value by itself in every layout", arguments: [JSONLayout.compact, .pretty])
    func plain(layout: JSONLayout) {
        #expect(write(layout) { $0.string("lobby") } == "\"lobby\"")
        #expect(write(layout) { $0.integer(-12) } == "-12")
        #expect(write(layout) { $0.null() } == "null")
        #expect(
            write(layout) {
                $0.beginArray(); $0.endArray()
            } == "[]")
    }

    @Test("can be emptied between any two calls", arguments: [JSONLayout.compact, .pretty])
    func taking(layout: JSONLayout) {
        var writer = JSONWriter(layout: layout)
        var text: [UInt8] = []
        func pass() { text += writer.take() }
        writer.beginObject()
        pass()
        writer.key("a")
        pass()
        writer.beginArray()
        pass()
        writer.integer(1)
        pass()
        writer.string("x")
        pass()
        writer.endArray()
        pass()
        writer.key("b")
        pass()
        writer.null()
        pass()
        writer.endObject()
        pass()
        let expected =
            layout == .compact ? #"{"a":[1,"x"],"b":null}"# : "{\n  \"a\" : [ 1, \"x\" ],\n  \"b\" : null\n}"
        #expect(String(decoding: text, as: UTF8.self) == expected)
        #expect(writer.bytes.isEmpty)
    }

    @Test("begins anew without a comma")
    func restarting() {
        let text = write {
            $0.integer(1)
            $0.bytes.append(UInt8(ascii: "\n"))
            $0.restart()
            $0.integer(2)
        }
        #expect(text == "1\n2")
    }

    @Test("takes text that is JSON already as it is")
    func ready() {
        let text = write { writer in
            writer.beginArray()
            Array(#"{"a":1}"#.utf8).withUnsafeBytes { writer.value(text: $0) }
            Array(#"a\n"#.utf8).withUnsafeBytes { writer.string(escaped: $0) }
            writer.beginObject()
            Array(#"k\""#.utf8).withUnsafeBytes { writer.key(escaped: $0) }
            Array("\u{E9}\"".utf8).withUnsafeBytes { writer.string(utf8: $0) }
            Array("k\n".utf8).withUnsafeBytes { writer.key(utf8: $0) }
            writer.bool(true)
            writer.endObject()
            writer.endArray()
        }
        #expect(text == #"[{"a":1},"a\n",{"k\"":"\#u{E9}\"","k\n":true}]"#)
    }

    @Test("writes numbers as JavaScript does")
    func numbers() {
        let text = write {
            $0.beginArray()
            $0.integer(.min)
            $0.double(-0.0)
            $0.double(1e21)
            $0.double(3)
            $0.endArray()
        }
        #expect(text == "[-9223372036854775808,0,1e+21,3]")
    }
}

@Suite("Escapes")
struct JSONEscapesTests {
    static let texts: [(String, String)] = [
        ("", ""), ("plain", "plain"), ("say \"hi\"", #"say \"hi\""#), ("a\\b", #"a\\b"#),
        ("</script>", "</script>"),
        ("\u{8}\t\n\u{C}\r", #"\b\t\n\f\r"#), ("\u{0}\u{1}\u{B}\u{1F}", #"\u0000\u0001\u000b\u001f"#),
        ("\u{7F}\u{80}\u{A0}", "\u{7F}\u{80}\u{A0}"), ("caf\u{E9} \u{1F642}", "caf\u{E9} \u{1F642}"),
        ("12345678\"12345678\n", #"12345678\"12345678\n"#),
        ("\u{2027}\u{202A}\u{20A8}\u{2128}", "\u{2027}\u{202A}\u{20A8}\u{2128}"),
    ]

    @Test("are those of JavaScript", arguments: texts)
    func minimal(text: String, expected: String) {
        for escapes in [JSONEscapes.minimal, .scriptSafe] {
            #expect(write(.compact, escapes) { $0.string(text) } == "\"\(expected)\"")
        }
        #expect(write { $0.string("\u{2028}\u{2029}") } == "\"\u{2028}\u{2029}\"")
    }

    @Test("cover the line ends of scripts on request, wherever they stand")
    func scriptSafe() {
        for padding in [0, 1, 5, 6, 7, 8, 9, 1_020, 1_021, 1_022, 1_023, 1_024, 1_025, 3_000] {
            let plain = String(repeating: "x", count: padding)
            let text = write(.compact, .scriptSafe) { $0.string("\(plain)\u{2028}\(plain)\u{2029}") }
            #expect(text == "\"\(plain)\\u2028\(plain)\\u2029\"")
        }
    }

    @Test("of every character read back as that character", arguments: [JSONEscapes.minimal, .scriptSafe])
    func everyCharacter(escapes: JSONEscapes) {
        var text = ""
        for value in UInt32(0)...0x11000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            text.unicodeScalars.append(scalar)
        }
        #expect(read(write(.compact, escapes) { $0.string(text) }) == [.string(text), .end])
        #expect(read(write(.pretty, escapes) { $0.string(text) }) == [.string(text), .end])
    }

    @Test("of random text read back as that text, at any length")
    func random() {
        var random = SeededRandom(for: "escapes")
        let alphabet: [Unicode.Scalar] = [
            "a", "b", "\"", "\\", "\n", "\u{1}", "\u{E9}", "\u{2028}", "\u{1F642}", "\u{20AC}",
        ]
        for round in 0..<500 {
            let most = round % 10 == 0 ? 3_000 : 40
            var text = ""
            for _ in 0..<Int.random(in: 0...most, using: &random) {
                text.unicodeScalars.append(
                    alphabet[random.oneIn(3) ? Int.random(in: 0..<10, using: &random) : 0])
            }
            for escapes in [JSONEscapes.minimal, .scriptSafe] {
                let written = write(.compact, escapes) { $0.string(text) }
                if read(written) != [.string(text), .end] { Issue.record("\(written)") }
                if escapes == .scriptSafe { #expect(!written.unicodeScalars.contains("\u{2028}")) }
            }
        }
    }
}
