// Who may what, at the same moment as it is done.

public import HearthCore
import HearthRules

extension Database {
    /// The rules in force at a state, which is the durable one, the newest one or one between; nil if none
    /// were ever stored.
    public func rules(of state: State) -> StandingRules? {
        timeline.rules(at: state.revision)
    }

    /// Judges a stream's permission again, for the newest state, and watches what it depends on now.
    ///
    /// - Precondition: the stream was entered by `subscribe` with this judgement.
    /// - Throws: `permissionDenied`; the stream must be taken out then, as if it had been let go.
    public mutating func judgeAgain(
        _ judgement: inout ReadJudgement, on loop: Int, now: Int64
    ) throws(Refusal) {
        let before = judgement.reads
        try judgement.judge(newest, under: rules(of: newest), now: now, keepsReads: true)
        guard judgement.reads.paths != before.paths else { return }
        watches.watch(judgement.reads, on: loop)
        watches.unwatch(before, on: loop)
    }

    /// How many places are watched because a permission depends on them.
    public var watchedPlaceCount: Int { watches.count }
}
