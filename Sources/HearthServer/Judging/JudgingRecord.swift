// What the rules of a namespace were asked, for the administrator: how often each, and the last refusals.
import HearthCore
import HearthEngine
import HearthRules

/// Counters for each rule, and the last refusals. No value of the database is in it.
struct JudgingRecord: Sendable {
    /// A request that was refused.
    struct Entry: Sendable {
        /// Milliseconds since 1970.
        let time: Int64
        let isWrite: Bool
        let path: Path
        /// The rule that stood in the way; nil if there was none that could have allowed it.
        let rule: RuleReference?
        /// Why that rule could not be evaluated, if it could not.
        let failure: String?
    }

    /// How often a rule came to what.
    struct Count: Sendable {
        var satisfied: Int64 = 0
        var unsatisfied: Int64 = 0
        var failed: Int64 = 0
    }

    /// How many refusals are kept.
    static let entryLimit = 100

    private var entries: [Entry] = []
    /// Where the oldest entry stands once there are as many as are kept.
    private var oldest = 0
    /// Which rules the counters are for.
    private var rules: StandingRules?
    private(set) var counts: [Count] = []

    /// Notes what a judgement came to.
    ///
    /// - Complexity: O(rules that were evaluated).
    mutating func note(_ verdict: Verdict, under rules: StandingRules?) {
        guard let rules, rules.since >= self.rules?.since ?? 0 else { return }
        if rules !== self.rules {
            self.rules = rules
            counts = Array(repeating: Count(), count: rules.set.references.count)
        }
        for evaluation in verdict.evaluations {
            switch evaluation.outcome {
            case .satisfied: counts[evaluation.rule].satisfied += 1
            case .unsatisfied: counts[evaluation.rule].unsatisfied += 1
            case .failed: counts[evaluation.rule].failed += 1
            }
        }
    }

    /// Notes a refusal; the oldest one makes room for it.
    mutating func note(_ entry: Entry) {
        if entries.count < JudgingRecord.entryLimit {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % JudgingRecord.entryLimit
        }
    }

    /// The last refusals, the newest first.
    var newestFirst: [Entry] {
        Array((entries[oldest...] + entries[..<oldest]).reversed())
    }
}
