// One client of the realtime protocol, whatever transport it has come over.
import HearthCore
import HearthEngine
import HearthWire

/// A client's session: who it is, what it listens to, and what it is owed. It belongs to one loop.
final class Session {
    /// How the client is reached.
    enum Link {
        /// Not at all: the session has ended.
        case none
        case webSocket(Connection)
        case poll(PollLink)
    }

    /// What the client calls the session by; whoever knows it may take the session over.
    let id: String
    /// The database that the client named, which may not exist.
    let namespaceName: String
    /// The host as the client named it.
    let host: String
    /// Whether it may use what is open to this machine's programs alone.
    let isLocal: Bool
    var link: Link
    /// The polls by which the client was reached until it went over to a WebSocket, as long as their last
    /// response is owed.
    var leaving: PollLink?
    /// Who asks, by the last token that was shown.
    var caller = Caller.anybody
    var listens: [ListenKey: Listen] = [:]
    var output = SessionOutput()
    /// The journal position of its newest write: it reads its own writes.
    var newestWrite: Int64 = 0
    /// Whether something may be left to be written when it ends.
    var leavesWrites = false
    /// Whether a request is being worked on elsewhere; nothing that came after it is looked at before.
    var isBlocked = false
    /// Whether the loop has it in its list of sessions to look after.
    var isDirty = false
    /// When its token's time is over, in monotonic nanoseconds.
    var tokenDeadline = Int64.max
    /// Bytes of large replies on their way, which do not count as falling behind.
    var allowance = 0
    private var found: Namespace?

    init(id: String, namespaceName: String, host: String, isLocal: Bool, link: Link) {
        self.id = id
        self.namespaceName = namespaceName
        self.host = host
        self.isLocal = isLocal
        self.link = link
    }

    /// Who is judged.
    var asker: Asker { caller.asker(isLocal: isLocal) }

    /// Whether nothing waits here to be sent, nor is it known already that something will.
    var isOwedNothing: Bool { leaving == nil && output.isEmpty && !isDirty }

    var hasEnded: Bool {
        if case .none = link { return true }
        return false
    }

    /// The database, looked up once and again after it was deleted.
    func namespace(in namespaces: Namespaces) -> Namespace? {
        if let found { return found }
        found = namespaces.find(namespaceName)
        return found
    }

    /// Forgets the database: it was deleted.
    func forgetNamespace() {
        found = nil
    }
}

@available(*, unavailable)
extension Session: Sendable {}

/// What a session knows a listen by: filtered ones by their tag, for there may be several at a place.
struct ListenKey: Hashable {
    let path: Path
    let tag: Int64?
}

/// A client's listen.
final class Listen: Follower {
    unowned let session: Session
    let key: ListenKey
    /// The query as the client wrote it; nil for the whole value.
    let query: [UInt8]?
    var phase = FollowingPhase.live

    init(_ session: Session, _ key: ListenKey, _ query: [UInt8]?, _ feed: Feed, judged: ReadJudgement) {
        self.session = session
        self.key = key
        self.query = query
        super.init(feed, judged: judged)
    }
}
