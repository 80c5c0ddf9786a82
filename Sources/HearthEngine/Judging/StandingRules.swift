// The rules that are in force, and since when.

public import HearthCore
public import HearthRules

/// Compiled rules, in force from one commit on.
public final class StandingRules: Sendable {
    /// The rules.
    public let set: RuleSet
    /// The revision of the commit that brought them; that of the state for those that were found at the
    /// opening.
    public let since: Revision
    /// Why the stored text cannot be used by this version, which then allows nothing to anybody.
    public let fault: RuleError?

    init(_ set: RuleSet, since: Revision) {
        self.set = set
        self.since = since
        fault = nil
    }

    /// Compiles a text that was accepted before. What cannot be read must not open anything.
    init(stored text: [UInt8], since: Revision) {
        self.since = since
        do throws(RuleError) {
            set = try RuleSet(reading: text)
            fault = nil
        } catch {
            set = .locked
            fault = error
        }
    }
}

/// The rules of all states from the durable one to the newest.
struct RuleTimeline: Sendable {
    private var entries: [StandingRules] = []

    init(_ state: State) {
        if let text = state.rules?.text {
            entries = [StandingRules(stored: text, since: state.revision)]
        }
    }

    /// The rules of a state; nil if none were ever stored.
    func rules(at revision: Revision) -> StandingRules? {
        entries.last { $0.since <= revision }
    }

    mutating func append(_ rules: StandingRules) {
        entries.append(rules)
    }

    /// Forgets what no state at or after `revision` needs.
    mutating func forget(before revision: Revision) {
        while entries.count > 1, entries[1].since <= revision { entries.removeFirst() }
    }
}
