// Compiled rules against the model, and random texts of all kinds against traps.
import Foundation
import HearthCore
import HearthRules
import HearthTesting
import Testing

/// How much more than usual is tried; `HEARTH_EFFORT=50` makes a long run of it.
private let effort = max(1, ProcessInfo.processInfo.environment["HEARTH_EFFORT"].flatMap { Int($0) } ?? 1)

@Suite("Compiled rules")
struct ModelTests {
    private func node(_ tree: ModelTree) throws -> Node {
        try DraftReader.draft(Array(tree.json.utf8)).node
    }

    private func ruleSet(_ condition: ModelCondition) throws -> RuleSet {
        let source = condition.source.replacingOccurrences(of: "\"", with: "\\\"")
        return try RuleSet(reading: Array("{\"rules\":{\"$key\":{\".write\":\"\(source)\"}}}".utf8))
    }

    @Test("agree with a model that walks the tree, on random rules and data")
    func model() throws {
        var draw = RandomExpressions(random: SeededRandom(for: "compiled rules against the model"))
        var counts = (satisfied: 0, unsatisfied: 0, failed: 0)
        for _ in 0..<1_500 * effort {
            let condition = draw.condition(depth: 5)
            let rules = try ruleSet(condition)
            for _ in 0..<3 {
                let context = ModelContext(
                    old: .children(["key": draw.tree(depth: 3), "a": draw.tree(depth: 2)]),
                    new: .children(["key": draw.tree(depth: 3), "b": draw.tree(depth: 2)]),
                    path: ["key"], uid: draw.pick([nil, "a", "ann"]), now: 7)
                let expected = try? condition.isTrue(context)  // a failure is one of three outcomes
                let got = try outcome(rules, context)
                switch (expected, got) {
                case (true?, .satisfied): counts.satisfied += 1
                case (false?, .unsatisfied): counts.unsatisfied += 1
                case (nil, .failed): counts.failed += 1
                default:
                    Issue.record(
                        """
                        \(condition.source)
                        old \(context.old.json)
                        new \(context.new.json)
                        uid \(context.uid ?? "-"): expected \(String(describing: expected)), got \(got)
                        """)
                    return
                }
            }
        }
        #expect(counts.satisfied > 500 && counts.unsatisfied > 500 && counts.failed > 500, "\(counts)")
    }

    private func outcome(_ rules: RuleSet, _ context: ModelContext) throws -> Evaluation.Outcome {
        let auth = context.uid.map { Auth(uid: $0, provider: "custom", token: [:]) }
        let old = try node(context.old)
        let new = try node(context.new)
        let judging = JudgingContext(
            auth: auth, now: Int64(context.now), root: old, records: [.evaluations, .reads])
        let edits = [Edit.put(Path([try Key("key")]), new.child(try Key("key")))]
        let verdict = rules.judgeWrite(edits, leadingTo: new, in: judging)
        let evaluation = try #require(verdict.evaluations.first)
        #expect(verdict.isAllowed == (evaluation.outcome == .satisfied))
        let explained = rules.explainWrite(edits, leadingTo: new, in: judging)
        #expect(explained.isAllowed == verdict.isAllowed)
        #expect(explained.rules.first?.outcome == evaluation.outcome)
        return evaluation.outcome
    }

    @Test("read again after a change of what they did not look at come to the same")
    func readSets() throws {
        var draw = RandomExpressions(random: SeededRandom(for: "read sets"))
        var changed = 0
        for _ in 0..<800 * effort {
            let condition = draw.condition(depth: 4)
            let source = condition.source.replacingOccurrences(of: "newData", with: "data")
            let rules = try RuleSet(reading: Array("{\"rules\":{\"$key\":{\".read\":\"\(source)\"}}}".utf8))
            let path = Path([try Key("key")])
            let before = try node(.children(["key": draw.tree(depth: 3), "a": draw.tree(depth: 2)]))
            let after = try node(.children(["key": draw.tree(depth: 3), "a": draw.tree(depth: 2)]))
            var context = JudgingContext(auth: nil, now: 1, root: before, records: [.reads])
            let first = rules.judgeRead(at: path, in: context)
            context.root = after
            let second = rules.judgeRead(at: path, in: context)
            if !first.reads.differs(from: before, to: after) {
                #expect(first.isAllowed == second.isAllowed, "\(source)")
            }
            if first.isAllowed != second.isAllowed { changed += 1 }
            let edits = Node.childDifferences(from: before, to: after).map {
                Edit.put(Path([$0.key]), $0.after)
            }
            if first.reads.differs(from: before, to: after) { #expect(first.reads.mayBeTouched(by: edits)) }
        }
        #expect(changed > 10)
    }

    @Test("never trap and keep within their work, however little it is")
    func bounded() throws {
        var draw = RandomExpressions(random: SeededRandom(for: "rules with little work"))
        for _ in 0..<500 * effort {
            let rules = try ruleSet(draw.condition(depth: 7))
            let root = try node(.children(["key": draw.tree(depth: 3)]))
            let limit = Int.random(in: 0...60, using: &draw.random)
            let context = JudgingContext(
                auth: nil, now: 1, root: root, records: [.evaluations],
                limits: JudgingLimits(stepsPerRule: limit, stepsPerRequest: limit))
            let path = Path([try Key("key")])
            let full = JudgingContext(auth: nil, now: 1, root: root, records: [.evaluations])
            let edits = [Edit.put(path, root.descendant(at: path))]
            let small = rules.judgeWrite(edits, leadingTo: root, in: context)
            let large = rules.judgeWrite(edits, leadingTo: root, in: full)
            let exhausted = Evaluation.Outcome.failed("the rule needs too much work")
            #expect(small.evaluations == large.evaluations || small.evaluations.first?.outcome == exhausted)
            // Explaining spends as much: the same work is too much for both.
            let explained = rules.explainWrite(edits, leadingTo: root, in: context)
            #expect(explained.rules.map(\.outcome) == small.evaluations.map(\.outcome))
        }
    }

    @Test("are read or refused, never trapped on, whatever bytes are changed in a text")
    func mutations() throws {
        var random = SeededRandom(for: "mutated rules")
        let small = #"{"rules":{"$a":{".read":"$a.matches(/^[a-z]{2}$/i) ? !data.exists() : now % 2 == 1"}}}"#
        let texts =
            try CaseFile.examples.compactMap(\.rules).map { Array(try Data(contentsOf: $0)) }
            + [Array(small.utf8)]
        let signs = Array("{}[]()\"'\\/$.,:!&|=<>?-+*%^;a1 \n\u{7F}é".utf8)
        var taken = 0
        for _ in 0..<3_000 * effort {
            var text = texts[Int.random(in: 0..<texts.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.remove(at: index)
                case 1: text[index] = UInt8.random(in: 0...255, using: &random)
                case 2: text.insert(signs[Int.random(in: 0..<signs.count, using: &random)], at: index)
                default: text[index] = signs[Int.random(in: 0..<signs.count, using: &random)]
                }
            }
            do {
                let rules = try RuleSet(reading: text)
                taken += 1
                let context = JudgingContext(auth: nil, now: 1, root: Node(.string("x")))
                _ = rules.explainRead(at: Path([Key(index: 1), Key(index: 2)]), in: context).description
            } catch {
                #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty)
                #expect(!error.text(naming: "rules.json").isEmpty)
            }
        }
        #expect(taken > 100)
    }
}
