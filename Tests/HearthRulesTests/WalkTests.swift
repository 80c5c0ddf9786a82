// Which rules are asked, in which order, and that it is the same whatever is kept of the way.
import Foundation
import HearthCore
import HearthRules
import HearthTesting
import Testing

/// How much more than usual is tried; `HEARTH_EFFORT=50` makes a long run of it.
private let effort = max(1, ProcessInfo.processInfo.environment["HEARTH_EFFORT"].flatMap { Int($0) } ?? 1)

@Suite("The walk over the rules")
struct WalkTests {
    /// A random request with rules and data.
    private struct Scene {
        let model: ModelRules
        let rules: RuleSet
        let context: ModelContext
        let path: [String]
        let edits: [(path: [String], tree: ModelTree)]

        init(_ draw: inout RandomExpressions) throws {
            model = draw.rules(depth: 4)
            rules = try RuleSet(reading: Array("{\"rules\":\(model.source)}".utf8))
            let old = draw.tree(depth: 4)
            path = draw.path(depth: 4)
            var edits = [(path: draw.path(depth: 4), tree: draw.tree(depth: 3))]
            let second = (path: draw.path(depth: 4), tree: draw.tree(depth: 2))
            if !second.path.starts(with: edits[0].path), !edits[0].path.starts(with: second.path) {
                edits.append(second)
            }
            self.edits = edits
            let new = edits.reduce(old) { $0.setting($1.tree, at: $1.path) }
            context = ModelContext(old: old, new: new, path: [], uid: draw.pick([nil, "a"]), now: 7)
        }

        /// Judged with what is kept, and in so many steps.
        func judging(_ records: JudgingContext.Records, steps: Int = 1_000_000) throws -> JudgingContext {
            let auth = context.uid.map { Auth(uid: $0, provider: "custom", token: [:]) }
            return JudgingContext(
                auth: auth, now: 7, root: try DraftReader.draft(Array(context.old.json.utf8)).node,
                records: records, limits: JudgingLimits(stepsPerRule: steps, stepsPerRequest: steps))
        }

        func write(_ judging: JudgingContext) throws -> (edits: [Edit], after: Node) {
            let edits = try edits.map {
                Edit.put(try place($0.path), try DraftReader.draft(Array($0.tree.json.utf8)).node)
            }
            return (edits, judging.root.applying(edits))
        }

        /// The rules that were asked, as the model tells them.
        func asked(_ evaluations: [Evaluation]) -> [ModelRules.Asked] {
            evaluations.map { evaluation in
                let rule = rules.references[evaluation.rule]
                let truth: Bool? =
                    switch evaluation.outcome {
                    case .satisfied: true
                    case .unsatisfied: false
                    case .failed: nil
                    }
                return ModelRules.Asked(rule: "\(rule.kind.rawValue) \(rule.place)", truth: truth)
            }
        }
    }

    @Test("asks for a write what the specification says, on random rules and data")
    func writes() throws {
        var draw = RandomExpressions(random: SeededRandom(for: "rules asked for writes"))
        var counts = (allowed: 0, refused: 0, asked: 0)
        for _ in 0..<1_500 * effort {
            let scene = try Scene(&draw)
            var walk = ModelWalk(scene.model, scene.context)
            let expected = walk.mayWrite(scene.edits)
            let judging = try scene.judging(.evaluations)
            let (edits, after) = try scene.write(judging)
            let verdict = scene.rules.judgeWrite(edits, leadingTo: after, in: judging)
            let says = "\(scene.model.source)\n\(scene.context.old.json)\n\(edits)"
            #expect(verdict.isAllowed == expected, "\(says)")
            #expect(scene.asked(verdict.evaluations) == walk.asked, "\(says)")
            guard verdict.isAllowed == expected else { return }
            if expected { counts.allowed += 1 } else { counts.refused += 1 }
            counts.asked += walk.asked.count
        }
        #expect(counts.allowed > 100 && counts.refused > 100 && counts.asked > 2_000, "\(counts)")
    }

    @Test("asks for a read what the specification says, on random rules and data")
    func reads() throws {
        var draw = RandomExpressions(random: SeededRandom(for: "rules asked for reads"))
        var counts = (allowed: 0, refused: 0)
        for _ in 0..<1_000 * effort {
            let scene = try Scene(&draw)
            var context = scene.context
            context.new = context.old
            var walk = ModelWalk(scene.model, context)
            let expected = walk.mayRead(scene.path)
            let verdict = scene.rules.judgeRead(
                at: try place(scene.path), in: try scene.judging(.evaluations))
            #expect(verdict.isAllowed == expected, "\(scene.model.source)")
            #expect(scene.asked(verdict.evaluations) == walk.asked, "\(scene.model.source)")
            if expected { counts.allowed += 1 } else { counts.refused += 1 }
        }
        #expect(counts.allowed > 100 && counts.refused > 100, "\(counts)")
    }

    @Test("comes to the same, with the same work, whatever is kept of it")
    func records() throws {
        var draw = RandomExpressions(random: SeededRandom(for: "rules asked with little work"))
        var counts = (allowed: 0, exhausted: 0)
        for _ in 0..<1_000 * effort {
            let scene = try Scene(&draw)
            let steps = draw.pick([1_000_000, Int.random(in: 0...15, using: &draw.random)])
            let (edits, after) = try scene.write(try scene.judging([]))
            let plain = scene.rules.judgeWrite(
                edits, leadingTo: after, in: try scene.judging([], steps: steps))
            for records in [.reads, .evaluations, [.reads, .evaluations], .counts] as [JudgingContext.Records]
            {
                let judging = try scene.judging(records, steps: steps)
                let verdict = scene.rules.judgeWrite(edits, leadingTo: after, in: judging)
                #expect(verdict.denial == plain.denial, "\(scene.model.source)")
            }
            let judging = try scene.judging([], steps: steps)
            let explained = scene.rules.explainWrite(edits, leadingTo: after, in: judging)
            #expect(explained.denial == plain.denial, "\(scene.model.source)")
            if plain.isAllowed { counts.allowed += 1 }
            if plain.denial?.failure == "the rule needs too much work" { counts.exhausted += 1 }
        }
        #expect(counts.allowed > 50 && counts.exhausted > 25, "\(counts)")
    }
}

private func place(_ names: [String]) throws -> Path {
    Path(try names.map { try Key($0) })
}
