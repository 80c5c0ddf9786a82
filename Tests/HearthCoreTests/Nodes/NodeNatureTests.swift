// What one look at a node tells.
import HearthCore
import HearthTesting
import Testing

@Suite("One look at a node")
struct NodeNatureTests {
    @Test(
        "tells what stands there, with a priority or without",
        arguments: [
            ("null", Node.Nature.nothing), ("true", .leaf(.bool)), ("1", .leaf(.number)),
            ("0.5", .leaf(.number)), (#""x""#, .leaf(.string)), (#"{"a": 1}"#, .children),
            (#"{".value": "x", ".priority": 1}"#, .leaf(.string)), (#"{".priority": 1, "a": 1}"#, .children),
        ])
    func natures(json: String, nature: Node.Nature) throws {
        let node = try DraftReader.draft(Array(json.utf8)).node
        #expect(node.nature == nature)
        #expect(node.isEmpty == (nature == .nothing))
        #expect((node.childCount > 0) == (nature == .children))
        if case .leaf(let kind) = nature { #expect(node.leafKind == kind) } else { #expect(node.leaf == nil) }
    }

    @Test(
        "tells the text and how long it is",
        arguments: [
            "", "a", "exactly 15 long", "exactly 16 bytes", "é", "😀", String(repeating: "aé😀", count: 50),
        ])
    func texts(text: String) {
        for priority in [Priority.none, .number(1)] {
            let node = Node(.string(text), priority: priority)
            #expect(node.text == text)
            #expect(node.textLengths?.utf8 == text.utf8.count)
            #expect(node.textLengths?.utf16 == text.utf16.count)
        }
    }

    @Test("tells no text where there is none")
    func noTexts() throws {
        for json in ["null", "1", "true", #"{"a": "x"}"#, #"{".value": 1, ".priority": "x"}"#] {
            let node = try DraftReader.draft(Array(json.utf8)).node
            #expect(node.text == nil && node.textLengths == nil, "\(json)")
        }
    }
}

@Suite("The plain bytes of a key")
struct PlainBytesTests {
    @Test(
        "are those of its text",
        arguments: ["a", "username", "-NsXSKGSFjw70wWSNwwm", "twenty-four bytes of key", "-", "a1"])
    func plain(text: String) throws {
        let key = try Key(text)
        let bytes = try #require(key.plainBytes)
        withUnsafeBytes(of: bytes) { bytes in
            #expect(Array(bytes.prefix(key.byteCount)) == Array(text.utf8))
            #expect(bytes.dropFirst(key.byteCount).allSatisfy { $0 == 0 })
        }
    }

    @Test(
        "are nil where the key is kept in another form",
        arguments: ["7", "-5", "03", "é", "\u{FFFD}", "twenty-five bytes of a key"])
    func others(text: String) throws {
        #expect(try Key(text).plainBytes == nil)
    }
}

@Suite("The same bytes")
struct SameBytesTests {
    @Test("are found for every length, and every byte that differs is noticed")
    func bytes() {
        var random = SeededRandom(for: "the same bytes")
        for count in 0...40 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(same(bytes, bytes))
            #expect(!same(bytes, bytes + [0]))
            for index in 0..<count {
                var other = bytes
                other[index] ^= UInt8.random(in: 1...255, using: &random)
                #expect(!same(bytes, other))
            }
        }
    }

    private func same(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.hasSameBytes(as: $0) } }
    }
}
