// One connection's standing question.
import HearthCore
import HearthEngine
import HearthWire

/// A waiting poll, or an event stream. It belongs to one loop.
final class Subscriber {
    /// What it wants to be told.
    enum Kind {
        /// One answer with child events.
        case poll(RESTFeed.LongPoll)
        /// A stream of `put` and `patch`.
        case changes
        /// A stream of child events.
        case childEvents(EventKinds)
    }

    /// Whether it can be told what is published.
    enum Phase {
        /// As soon as it is durable.
        case live
        /// After what it missed, which a worker is writing; until then what is published waits here.
        case catchingUp([Publication])
    }

    let kind: Kind
    let feed: Feed
    let request: DataRequest
    let token: PollToken
    /// Its place among the replies that the connection is owed.
    let slot: UInt64
    /// The newest revision that it knows.
    var revision: Revision
    /// The revision at which it was let in.
    let firstRevision: Revision
    /// The question whether it may read, with what the last answer rested on.
    var judgement: ReadJudgement
    /// When to look whether its token is still good, in monotonic nanoseconds.
    var revocationDeadline = Int64.max
    /// The place of what it missed, among the replies that the connection is owed.
    var catchUpSlot: UInt64?
    var phase = Phase.live
    /// When to stop waiting, or to give a sign of life, in monotonic nanoseconds.
    var deadline = Int64.max
    /// Its place among the feed's subscribers.
    var index = 0
    /// What waits until the stream's beginning has been sent.
    var delayed: [[UInt8]] = []
    var delayedByteCount = 0

    init(
        _ kind: Kind, _ feed: Feed, _ request: DataRequest, token: PollToken, slot: UInt64,
        judged judgement: ReadJudgement
    ) {
        self.kind = kind
        self.feed = feed
        self.request = request
        self.token = token
        self.slot = slot
        revision = judgement.revision
        firstRevision = judgement.revision
        self.judgement = judgement
    }

    /// The first moment at which its token is refused, in ms since 1970; nil if that never comes.
    var refusedFrom: Int64? { request.caller.refusedFrom }
}

@available(*, unavailable)
extension Subscriber: Sendable {}
