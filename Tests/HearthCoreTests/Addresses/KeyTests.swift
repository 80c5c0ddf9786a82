// Names of children: which are allowed, how they are kept, in which order they come.
import HearthCore
import HearthTesting
import Testing

@Suite("A key")
struct KeyTests {
    @Test(
        "is refused with the reason",
        arguments: [
            ("", KeyError.empty), (String(repeating: "k", count: 769), .tooLong(byteCount: 769)),
            (String(repeating: "é", count: 385), .tooLong(byteCount: 770)),
            ("a.b", .forbidden(byte: 0x2E)), ("$", .forbidden(byte: 0x24)), ("a#", .forbidden(byte: 0x23)),
            ("[0", .forbidden(byte: 0x5B)), ("0]", .forbidden(byte: 0x5D)), ("a/b", .forbidden(byte: 0x2F)),
            ("\u{0}", .forbidden(byte: 0)), ("a\u{1F}", .forbidden(byte: 0x1F)),
            ("\n", .forbidden(byte: 0x0A)),
            ("long enough to be kept beside\u{7F}", .forbidden(byte: 0x7F)),
        ])
    func refused(text: String, reason: KeyError) {
        #expect(throws: reason) { try Key(text) }
        #expect(!reason.description.isEmpty)
    }

    @Test("is found among others in order, and only if it is one of them")
    func place() throws {
        let long = String(repeating: "k", count: 30)
        let keys = try ["7", "20", "-a", "a", "b", "é", long + "1", long + "2"].map { try Key($0) }.sorted()
        for (index, key) in keys.enumerated() {
            #expect(key.place(in: keys) == index)
            #expect(key.place(in: Array(keys[..<index])) == nil)
        }
        for text in ["0", "8", "c", "zz", long, long + "3"] { #expect(try Key(text).place(in: keys) == nil) }
        #expect(keys[0].place(in: []) == nil)
    }

    @Test("says what is wrong with it, in words")
    func descriptions() {
        #expect(KeyError.empty.description == "a key must not be empty")
        #expect(
            KeyError.tooLong(byteCount: 800).description == "a key has 800 bytes, at most 768 are allowed")
        #expect(KeyError.forbidden(byte: 9).description == "a key must not contain control characters")
        #expect(
            KeyError.forbidden(byte: 0x24).description
                == "a key must not contain '$' (none of . $ # [ ] / is allowed)")
    }

    /// Every pair of neighbours in the order that wire-protocol.md §10.4 measured, and some more.
    static let ordered = [
        "-2147483648", "-5", "-05", "-1", "0", "-0", "00", "1", "01", "000000000001", "3", "03", "003", "9",
        "10",
        "20", "2147483646", "2147483647", "002147483647", " ", "!", "-", "--", "-2147483649", "-N", "-a",
        "0x1",
        "1 ", "12345678901", "2147483648", "99999999999999999999", "A", "B", "Z", "_", "a", "a b", "aa",
        "aaaaaaa", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaab", "ab", "b",
        "~",
        "\u{80}", "é", "ÿ", "日本", "한", "\u{D7FF}", "😀", "😀a", "\u{10FFFF}", "\u{E000}", "\u{F8FF}",
        "\u{FFFD}", "\u{FFFF}",
    ]

    @Test("comes in Firebase's order: integers by value, then text by UTF-16 code units")
    func order() throws {
        let keys = try Self.ordered.map { try Key($0) }
        for (index, key) in keys.enumerated() {
            for (other, second) in keys.enumerated() {
                #expect((key < second) == (index < other), "\(key) and \(second)")
                #expect((key == second) == (index == other), "\(key) and \(second)")
            }
        }
    }

    @Test("is read back as it was written, with its length", arguments: ordered)
    func text(written: String) throws {
        let key = try Key(written)
        #expect(key.text.unicodeScalars.elementsEqual(written.unicodeScalars))
        #expect(key.utf8Bytes == Array(written.utf8))
        #expect(key.byteCount == written.utf8.count)
        #expect(written.utf8.elementsEqual(key.description.utf8))
    }

    @Test("of any characters and length keeps text and order")
    func randomTexts() throws {
        var random = SeededRandom(for: "keys")
        let letters = [
            "a", "b", "0", "1", "-", " ", "é", "日", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "😀", "\u{10FFFF}",
        ]
        var texts: [String] = []
        for _ in 0..<600 {
            let count =
                random.oneIn(3)
                ? Int.random(in: 1...60, using: &random) : Int.random(in: 1...9, using: &random)
            texts.append((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" }.joined())
        }
        for text in texts { #expect(try Array(Key(text).utf8Bytes) == Array(text.utf8)) }
        let sorted = try Set(texts).map { try Key($0) }.sorted().map(\.text)
        #expect(sorted == Set(texts).sorted(by: ModelNode.precedes))
    }

    @Test(
        "stands for an array's element only in its canonical form",
        arguments: [
            ("0", 0), ("1", 1), ("10", 10), ("2147483647", 2_147_483_647), ("00", nil), ("01", nil),
            ("-1", nil),
            ("-0", nil), ("2147483648", nil), ("a", nil), ("1a", nil), (" 1", nil),
        ] as [(String, Int?)])
    func arrayIndex(text: String, index: Int?) throws {
        let key = try Key(text)
        #expect(key.arrayIndex == index)
        if let index { #expect(key == Key(index: index)) }
    }

    @Test(
        "knows its value as an integer",
        arguments: [
            ("-5", -5), ("007", 7), ("-0", 0), ("-2147483648", -2_147_483_648), ("2147483648", nil),
            ("-2147483649", nil), ("-", nil), ("+1", nil), ("1e3", nil),
        ] as [(String, Int32?)])
    func integers(text: String, value: Int32?) throws {
        #expect(try Key(text).integerValue == value)
        #expect(try Key(text).isIntegerLike == (value != nil))
    }

    @Test("with the same look but other characters is another key")
    func canonicalEquivalence() throws {
        let composed = try Key("caf\u{E9}")
        let decomposed = try Key("cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, try Key("caf\u{E9}")]).count == 2)
    }

    @Test("is the same key however long it is, and hashes alike", arguments: [1, 23, 24, 25, 48, 768])
    func equality(length: Int) throws {
        let text = String(repeating: "x", count: length)
        #expect(try Key(text) == Key(text))
        #expect(try Key(text).hashValue == Key(text).hashValue)
        #expect(try !(Key(text) < Key(text)))
    }
}

@Suite("A path")
struct PathTests {
    @Test(
        "is split at slashes, of which those around and between do not count",
        arguments: [
            ("", "/"), ("/", "/"), ("//", "/"), ("rooms", "/rooms"), ("/rooms/lobby/", "/rooms/lobby"),
            ("//rooms///lobby", "/rooms/lobby"), ("/rooms/ü ber/1", "/rooms/ü ber/1"),
        ])
    func splitting(text: String, shown: String) throws {
        #expect(try Path(text).description == shown)
    }

    @Test("is refused for any bad key in it", arguments: ["a/b.c", "a/$b", "/x/[0]"])
    func refused(text: String) {
        #expect(throws: KeyError.self) { try Path(text) }
    }

    @Test("knows what is above and below it")
    func relations() throws {
        let lobby = try path("/rooms/lobby")
        let rooms = try path("rooms")
        #expect(lobby.depth == 2 && lobby.last?.text == "lobby" && !lobby.isRoot)
        #expect(lobby.parent == rooms && Path.root.parent == nil && Path.root.last == nil)
        #expect(lobby.appending(try Key("topic")).description == "/rooms/lobby/topic")
        #expect(lobby.appending(try path("a/b")).description == "/rooms/lobby/a/b")
        #expect(lobby.appending(Path.root) == lobby)
        #expect(Path.root.contains(lobby) && lobby.contains(lobby) && !lobby.contains(rooms))
        let longer = try path("rooms/lobby2")
        #expect(!lobby.contains(longer))
        #expect(lobby.prefix(1) == rooms && lobby.dropping(1).description == "/lobby")
    }
}
