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
    var phase = Phase.live
    /// When to stop waiting, or to give a sign of life, in monotonic nanoseconds.
    var deadline = Int64.max
    /// Its place among the feed's subscribers.
    var index = 0
    /// What waits until the stream's beginning has been sent.
    var delayed: [[UInt8]] = []
    var delayedByteCount = 0

    init(
        _ kind: Kind, _ feed: Feed, _ request: DataRequest, token: PollToken, slot: UInt64, knows: Revision
    ) {
        self.kind = kind
        self.feed = feed
        self.request = request
        self.token = token
        self.slot = slot
        revision = knows
    }
}

@available(*, unavailable)
extension Subscriber: Sendable {}
