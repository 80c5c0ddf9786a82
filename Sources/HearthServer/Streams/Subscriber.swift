// One connection's standing question over HTTP.
import HearthCore
import HearthEngine
import HearthStorage
import HearthWire

/// A waiting poll, or an event stream. It belongs to one loop.
final class Subscriber: Follower {
    /// What it wants to be told.
    enum Kind {
        /// One answer with child events.
        case poll(RESTFeed.LongPoll)
        /// A stream of `put` and `patch`.
        case changes
        /// A stream of child events.
        case childEvents(EventKinds)
    }

    let kind: Kind
    let request: DataRequest
    let token: PollToken
    /// Its place among the replies that the connection is owed.
    let slot: UInt64
    /// Where what it began with ends in the journal: before that is synced, no cursor of it may be told.
    var beginning: Position = 0
    /// When to look whether its token is still good, in monotonic nanoseconds.
    var revocationDeadline = Int64.max
    /// The place of what it missed, among the replies that the connection is owed.
    var catchUpSlot: UInt64?
    var phase = FollowingPhase.live
    /// When to stop waiting, or to give a sign of life, in monotonic nanoseconds.
    var deadline = Int64.max
    /// What waits until the stream's beginning has been sent.
    var delayed: [[UInt8]] = []
    var delayedByteCount = 0

    init(
        _ kind: Kind, _ feed: Feed, _ request: DataRequest, token: PollToken, slot: UInt64,
        judged judgement: ReadJudgement
    ) {
        self.kind = kind
        self.request = request
        self.token = token
        self.slot = slot
        super.init(feed, judged: judgement)
    }

    /// The first moment at which its token is refused, in ms since 1970; nil if that never comes.
    var refusedFrom: Int64? { request.caller.refusedFrom }
}
