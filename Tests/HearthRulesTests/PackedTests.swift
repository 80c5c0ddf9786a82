// Small objects are judged as text where they lie: it must come to what nodes come to.
import HearthCore
import HearthRules
import HearthTesting
import Testing

@Suite("An object that is judged where it lies")
struct PackedTests {
    private static let names = [
        "text", "tex", "textual", "eight by", "eight byt", "a\"b", "back\\slash", "é", "9", "-1", "-x", "x",
        "-Nabcdefghijklmnopqrs", "exactly twenty-four byte", "exactly twenty-four bytes", "user",
    ]
    private static let texts = [
        "", "a", "abc", "abcd", "abcdefgh", "abcdefghi", "Abcd", "äbcd", "ab\"c", "a\nb", "\\", "😀😀", "text",
        "x", "user", "eight by", "a much longer text of more than one word",
    ]

    private static let rules = #"""
        {"rules": {"items": {"$item": {
          ".write": "newData.hasChildren(['text', 'user']) || !data.exists()",
          ".validate": "newData.hasChildren(['text'])
                        || newData.hasChildren(['eight by', '-x', 'a\"b', 'é', '9'])
                        || newData.hasChildren(['exactly twenty-four bytes', 'x']) || newData.hasChild('x')",
          "text": {".validate": "newData.isString() && newData.val().length > 3 && newData.val().length < 10
                                 || newData.val().matches(/^[a-z]{1,3}$/)"},
          "eight by": {".validate": "newData.val().length >= 0 || newData.parent().child('x').exists()"},
          "-1": {"x": {".validate": "newData.val() == 'x' || $item.length > 1"}},
          "large": {".validate": true},
          "$other": {
            ".validate": "newData.isNumber() || newData.val() == $other || newData.hasChildren(['x', 'text'])
                          || newData.val().matches(/^.{1,4}$/) || $other.matches(/^[a-z]+$/)",
            "x": {".validate": "newData.val().length == 1 || newData.isBoolean()"},
            "$name": {".validate": "$name.length < 9 && newData.exists() && $other != $name"}
          }
        }}}}
        """#

    private func object(_ random: inout SeededRandom, most: Int, levels: Int) throws -> Node {
        var node = Node.empty
        for _ in 0..<Int.random(in: 1...most, using: &random) {
            let number = Int.random(in: 0..<(most > 20 ? 40 : Self.names.count), using: &random)
            let name = number < Self.names.count ? Self.names[number] : "n\(number)"
            let text = Self.texts[Int.random(in: 0..<Self.texts.count, using: &random)]
            var child = Node(.string(text))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: child = Node(.integer(7))
            case 1: child = Node(.bool(true))
            case 2: child = Node(.string(name))
            case 3, 4: if levels > 1 { child = try object(&random, most: 4, levels: levels - 1) }
            default: break
            }
            node.set(child, at: Path([try Key(name)]))
        }
        return node
    }

    private func isPacked(_ node: Node) -> Bool { node.withPackedText { _ in true } ?? false }

    /// What became of the rules for a write of `item`, without those of the member that only makes it large.
    private func outcome(_ rules: RuleSet, _ item: Node) throws -> (Bool, [Evaluation], [RuleCount]) {
        let edits = [Edit.put(try Path("/items/i"), item)]
        let context = JudgingContext(
            auth: nil, now: 1, root: Node(.bool(true)), records: [.evaluations, .counts])
        let verdict = rules.judgeWrite(edits, leadingTo: context.root.applying(edits), in: context)
        let large = rules.references.first { $0.place.hasSuffix("large") }?.number
        let counts = rules.references.filter { $0.number != large }.map { rules.counts[$0.number] }
        return (verdict.isAllowed, verdict.evaluations.filter { $0.rule != large }, counts)
    }

    @Test("comes to the same, with the same rules asked and counted, as one that is kept in nodes")
    func same() throws {
        var random = SeededRandom(for: "objects judged where they lie")
        var (allowed, refused, failed, many) = (0, 0, 0, 0)
        let large = Node(.string(String(repeating: "x", count: 1_100)))
        let place = Path([try Key("large")])
        for round in 0..<1_500 {
            let item = try object(&random, most: round % 4 == 0 ? 40 : 6, levels: 1 + round % 3)
            let unpacked = item.setting(large, at: place)
            guard isPacked(item) else { continue }
            #expect(!isPacked(unpacked))
            if item.childCount > 16 { many += 1 }
            let packed = try outcome(try RuleSet(reading: Array(Self.rules.utf8)), item)
            let plain = try outcome(try RuleSet(reading: Array(Self.rules.utf8)), unpacked)
            #expect(packed.0 == plain.0 && packed.1 == plain.1 && packed.2 == plain.2, "\(item)")
            if packed.0 { allowed += 1 } else { refused += 1 }
            if packed.1.contains(where: { if case .failed = $0.outcome { true } else { false } }) {
                failed += 1
            }
        }
        #expect(allowed > 50 && refused > 50 && failed > 50, "\(allowed), \(refused), \(failed)")
        #expect(many > 5)
    }
}
