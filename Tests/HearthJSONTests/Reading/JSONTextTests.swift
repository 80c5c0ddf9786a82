// What can be asked of a key or a string once it is read, and of the reader about its last token.
import HearthJSON
import Testing

@Suite("A text in a buffer")
struct JSONTextTests {
    /// Reads the string that `text` is and hands it to `body` with its buffer.
    private func with<Result>(_ text: String, _ body: (JSONText, UnsafeRawBufferPointer) -> Result) throws
        -> Result
    {
        try Array(text.utf8).withUnsafeBytes { buffer in
            var reader = JSONReader()
            guard case .string(let string) = try reader.next(in: buffer, isFinal: true) else {
                preconditionFailure("the test's text is no string")
            }
            return body(string, buffer)
        }
    }

    @Test("is told from its neighbours by name, escapes resolved", arguments: [#""path""#, #""p\u0061th""#])
    func says(text: String) throws {
        #expect(try with(text) { $0.says("path", in: $1) })
        #expect(try with(text) { !$0.says("paths", in: $1) })
        #expect(try with(text) { !$0.says("pat", in: $1) })
        #expect(try with(text) { !$0.says("poth", in: $1) })
        #expect(try with(#""""#) { $0.says("", in: $1) })
    }

    @Test("is appended as UTF-8 behind what is there")
    func append() throws {
        let bytes = try with(#" "a\"\u20AC\ud83d\ude42\\" "#) { text, buffer in
            var bytes = Array("> ".utf8)
            text.append(to: &bytes, in: buffer)
            return bytes
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "> a\"\u{20AC}\u{1F642}\\")
    }

    @Test("gives its raw bytes, which are JSON again between quotes")
    func raw() throws {
        let text = #""a\"\u20AC\n""#
        let again = try with(text) { "\"" + String(decoding: $0.raw(in: $1), as: UTF8.self) + "\"" }
        #expect(again == text)
    }
}

@Suite("A reader")
struct JSONReaderTests {
    @Test("tells the place of its last token over lines and chunks")
    func places() throws {
        let text = Array("{\"caf\u{E9}\":\n  {\"\u{1F642}\":\"\u{E9}\\n\", \"n\": 12 } }".utf8)
        var places: [String] = []
        var reader = JSONReader()
        var unread: [UInt8] = []
        for byte in text {
            unread.append(byte)
            let token = try unread.withUnsafeBytes { try reader.next(in: $0, isFinal: false) }
            if token != .needsMore { places.append("\(reader.lastTokenPlace)") }
            unread.removeFirst(reader.discardConsumed())
        }
        let expected = [(1, 1), (1, 2), (2, 3), (2, 4), (2, 8), (2, 15), (2, 20), (2, 23), (2, 25)]
        #expect(places == expected.map { "line \($0), column \($1)" })
        #expect(reader.depth == 0)
    }

    @Test("skips a value and says where it stands")
    func skipping() throws {
        let text = #"{"data": {"a":[1,{"b":null}]} ,"n" : 12,"s":"x"}"#
        let skipped = try Array(text.utf8).withUnsafeBytes { buffer in
            var reader = JSONReader()
            var skipped: [String] = []
            while case let token = try reader.next(in: buffer, isFinal: true), token != .end {
                guard case .key = token else { continue }
                let range = try reader.skipValue(in: buffer)
                skipped.append(String(decoding: buffer[range], as: UTF8.self))
            }
            return skipped
        }
        #expect(skipped == [#"{"a":[1,{"b":null}]}"#, "12", "\"x\""])
    }

    @Test("refuses what is wrong in a value that it skips")
    func skippingFault() {
        let text = Array("[[1,[2,}]]".utf8)
        #expect(throws: JSONError.self) {
            try text.withUnsafeBytes { buffer in
                var reader = JSONReader()
                _ = try reader.skipValue(in: buffer)
            }
        }
    }
}
