// Lists that stand as they are kept are taken many members at a time; that must come to what reading them
// token by token comes to.
import HearthCore
import HearthTesting
import Testing

@Suite("A list that stands as it is kept")
struct MemberScannerTests {
    /// What came of a body in those pieces: text, digest and what is pending, or the fault.
    private func outcome(_ pieces: [[UInt8]]) -> String {
        var reader = DraftReader(at: .root)
        do throws(DraftError) {
            for piece in pieces {
                guard try reader.read(piece, isFinal: false) == nil else { return "it ended early" }
            }
            guard let draft = try reader.read([UInt8](), isFinal: true) else { return "it did not end" }
            if let violation = draft.node.invariantViolation() { return violation }
            let pending = draft.placeholders.map { "\($0.path)" }.joined(separator: " ")
            return "\(text(draft.node)) \(draft.node.etag) \(draft.node.childCount) \(pending)"
        } catch {
            return "\(error)"
        }
    }

    /// In pieces of `few` bytes no member is ever in the buffer as a whole.
    private func expectTheSame(_ body: [UInt8], _ random: inout SeededRandom, few: Int = 1) {
        let starts = stride(from: 0, to: body.count, by: few)
        let expected = outcome(starts.map { Array(body[$0..<min($0 + few, body.count)]) })
        #expect(outcome([body]) == expected)
        for longest in [40, 700, 9_000] {
            var pieces: [[UInt8]] = []
            var rest = body[...]
            while !rest.isEmpty {
                let count = min(Int.random(in: 0...longest, using: &random), rest.count)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(outcome(pieces) == expected)
        }
    }

    @Test("comes to the same as token by token, wherever it is cut and whatever is odd about it")
    func lists() {
        var random = SeededRandom(for: "lists as they are kept")
        for round in 0..<12 {
            var lists = RandomLists(random: random.branch(), oddOneIn: [1_000_000, 40, 4][round % 3])
            expectTheSame(Array(lists.list(Int.random(in: 0...75, using: &random)).utf8), &random)
            expectTheSame(
                Array("{\"after\":1,\"rooms\":{\"a\":\(lists.list(35)),\"b\":\(lists.list(3))}}".utf8),
                &random)
        }
    }

    @Test("is refused at the same place when a byte of it is wrong")
    func damage() {
        var random = SeededRandom(for: "damaged lists")
        for _ in 0..<30 {
            var lists = RandomLists(random: random.branch(), oddOneIn: 200)
            var body = Array(lists.list(20).utf8)
            let place = Int.random(in: 0..<body.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: body[place] = UInt8.random(in: 0...255, using: &random)
            case 1: body.remove(at: place)
            default: body = Array(body[..<place])
            }
            expectTheSame(body, &random)
        }
    }

    @Test(
        "takes what does not fit a page to the next one",
        arguments: [200, 500, 900, 1_000, 1_010, 1_011, 1_012, 1_024, 1_030])
    func longMembers(count: Int) {
        var random = SeededRandom(for: "long members \(count)")
        let members = (0..<60).map { index in
            let filler = String(repeating: "x", count: count - (index % 50 == 49 ? count / 2 : 14))
            return "\"-N\(100_000 + index)\":{\"text\":\"\(filler)\"}"
        }
        expectTheSame(Array("{\(members.joined(separator: ","))}".utf8), &random, few: 61)
    }

    @Test("knows what is UTF-8")
    func unicode() {
        let seconds: [UInt8] = [0x22, 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        let others: [UInt8] = [0x22, 0x7F, 0x80, 0xBF, 0xC0]
        var reader = PackedReader()
        var wrong: [[UInt8]] = []
        for first in UInt8(0x80)...0xFF {
            for second in seconds {
                for number in 0..<25 {
                    let all = [first, second, others[number / 5], others[number % 5]]
                    let text = all.filter { $0 != 0x22 }
                    let body = Array(#"{"a":""#.utf8) + text + Array(#"","b":1}"#.utf8)
                    let isRead = body.withUnsafeBytes { reader.object($0, levels: 2) } != nil
                    if isRead != (String(validating: text, as: UTF8.self) != nil) { wrong.append(text) }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test("has keys of every length and kind, and finds them again")
    func keys() throws {
        var random = SeededRandom(for: "keys of lists")
        var keys: Set<Key> = []
        let letters = Array("09-_aZé\"\\\u{FFFF}😀 ".unicodeScalars)
        while keys.count < 120 {
            var name = ""
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                name.unicodeScalars.append(letters[Int.random(in: 0..<letters.count, using: &random)])
            }
            keys.insert(try Key(name))
        }
        let sorted = keys.sorted()
        var builder = Node.Builder()
        for (index, key) in sorted.enumerated() { builder.insert(Node(.integer(Int64(index))), for: key) }
        let body = NodeSerializer.bytes(of: builder.finish())
        expectTheSame(body, &random)
        let node = try DraftReader.draft(body).node
        for (index, key) in sorted.enumerated() { #expect(node.child(key).leaf == .integer(Int64(index))) }
    }
}

/// Lists of records under ascending keys, most of them as they are kept.
private struct RandomLists {
    var random: SeededRandom
    /// How seldom something is odd.
    let oddOneIn: Int

    mutating func list(_ count: Int) -> String {
        var number = 100_000
        var members: [String] = []
        for _ in 0..<count {
            number += random.oneIn(oddOneIn) ? Int.random(in: -5...0, using: &random) : 7
            let name = oneOf(["-N\(number)-abcdefghijkl", "-N\(number)-abcdefghijkl", "-N\(number)"])
            let space = random.oneIn(oddOneIn) ? oneOf([" ", "\n ", "\t"]) : ""
            members.append("\(space)\"\(name)\":\(space)\(value())\(space)")
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func value() -> String {
        guard !random.oneIn(oddOneIn) else {
            return oneOf([
                "null", "{}", "[1,2]", "{\".value\":1,\".priority\":2}", "{\"b\":1,\"a\":2}",
                "{\"a\":1,\"a\":2}",
                "{\".sv\":\"timestamp\"}", "{\"a\":null}", "1.0", "1e3", "-0", "\"\\u0041\"", "\"\\/\"",
                "{\"a\":{\".priority\":1,\"b\":2}}", "\"\(String(repeating: "é", count: 600))\"",
            ])
        }
        return oneOf([
            "{\"message\":\"\(words())\",\"timestamp\":\(Int.random(in: 0...9_999_999, using: &random))}",
            "{\"message\":\"\(words())\",\"timestamp\":0.25,\"username\":\"ada\"}", "true", "-5",
            "\"\(words())\"",
            "{\"né\":1,\"text\":\"\(words())\"}",
            "{\"likes\":{\"ada\":true,\"bob\":false},\"text\":\"\(words())\"}",
        ])
    }

    private mutating func words() -> String {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
            oneOf(["the", "quick", "café", "\\\"quoted\\\"", "🔥", "brown", "naïve", "\\n", "\\u0001", "€"])
        }.joined(separator: " ")
    }

    private mutating func oneOf(_ choices: [String]) -> String {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
