// What the rules of a namespace refused last, for the administrator.
import HearthCore
import HearthRules

/// The last refusals. No value of the database is in it.
struct DenialRecord: Sendable {
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

    /// How many refusals are kept.
    static let entryLimit = 100

    private var entries: [Entry] = []
    /// Where the oldest entry stands once there are as many as are kept.
    private var oldest = 0

    /// Notes a refusal; the oldest one makes room for it.
    mutating func note(_ entry: Entry) {
        if entries.count < DenialRecord.entryLimit {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % DenialRecord.entryLimit
        }
    }

    /// The last refusals, the newest first.
    var newestFirst: [Entry] {
        Array((entries[oldest...] + entries[..<oldest]).reversed())
    }
}
