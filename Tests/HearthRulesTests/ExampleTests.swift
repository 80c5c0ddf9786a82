// The example rules have cases that would notice if any one of their rules were another.
import Foundation
import HearthCore
import HearthRules
import Testing

@Suite("An example")
struct ExampleTests {
    private let now: Int64 = 1_750_000_000_000

    @Test("has rules that say why they are as they are", arguments: try CaseFile.examples)
    func comments(file: CaseFile) throws {
        let text = String(decoding: Array(try Data(contentsOf: try #require(file.rules))), as: UTF8.self)
        #expect(text.contains("// "))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test(
        "has a case for every rule that fails if the rule allows all, and one if it allows nothing",
        arguments: try CaseFile.examples)
    func everyRuleMatters(file: CaseFile) throws {
        let text = Array(try Data(contentsOf: try #require(file.rules)))
        let groups = try CaseGroup.groups(reading: Array(try Data(contentsOf: file.cases)))
        for rule in try RuleSet(reading: text).references {
            let range = try #require(valueRange(of: rule, in: text))
            for word in ["true", "false"] where Array(text[range]) != Array(word.utf8) {
                var changed = text
                changed.replaceSubrange(range, with: word.utf8)
                let results = groups.flatMap { $0.play(rules: changed, now: now) }
                #expect(
                    results.contains { !$0.isPassed },
                    "\(rule.kind.rawValue) of \(rule.place) could as well be \(word)")
            }
        }
    }

    /// The bytes of a rule's value: a word, or a string with its quotes.
    private func valueRange(of rule: RuleReference, in text: [UInt8]) -> Range<Int>? {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let before = String(decoding: lines[rule.line - 1], as: UTF8.self).prefix(rule.column - 1)
        let start = lines[rule.line - 1].startIndex + before.utf8.count
        guard text[start] == UInt8(ascii: "\"") else {
            let end = text[start...].firstIndex { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            return end.map { start..<$0 }
        }
        var index = start + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return start..<(index + 1)
    }
}
