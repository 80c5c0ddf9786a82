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
    var slot: UInt64
    /// The form of its answer, if others may be told the same bytes; nil also for a stream.
    let form: PollForm?
    /// Whether it is a poll that was answered, and is kept for the same one to come again.
    var isParked = false
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
        form = PollForm(kind, request)
        super.init(feed, judged: judgement)
    }

    /// The first moment at which its token is refused, in ms since 1970; nil if that never comes.
    var refusedFrom: Int64? { request.caller.refusedFrom }
}

/// All on which the bytes of an answer depend beside what is told.
struct PollForm: Hashable {
    private let kinds: EventKinds
    private let limit: Int
    private let isExport: Bool
    private let print: UInt8
    private let version: HTTPVersion
    private let keepsAlive: Bool

    /// Nil if nobody else is answered in the same form.
    init?(_ kind: Subscriber.Kind, _ request: DataRequest) {
        guard case .poll(let poll) = kind, request.reply.form.callback == nil,
            request.reply.form.downloadName == nil
        else { return nil }
        kinds = poll.events
        limit = poll.limit
        isExport = request.call.form.isExport
        print =
            switch request.reply.form.print {
            case .plain: 0
            case .pretty: 1
            case .silent: 2
            }
        version = request.reply.version
        keepsAlive = request.reply.keepsAlive
    }
}
