// One client's connection, as its loop sees it.
import HearthWire

/// A connection: what it has sent, what it is owed, and what it is doing. It belongs to one loop and is
/// touched by that loop's thread alone.
final class Connection {
    /// What the next bytes of the client belong to.
    enum Incoming {
        /// The head of a request, of which nothing or a part has come.
        case head
        /// The body of a request.
        case body(Upload)
        /// Messages over a WebSocket, for as long as the connection lasts.
        case webSocket(WebSocketLink)
        /// Nothing yet: the request before must be decided first.
        case blocked
        /// Nothing that matters: the last reply is on its way and then the connection ends.
        case discarded
    }

    /// What the connection waits for, which decides how long.
    enum Waiting {
        /// The rest of a TLS handshake.
        case handshake
        /// The client's next request.
        case request
        /// The rest of a request's head.
        case head
        /// The rest of a request's body.
        case body
        /// The client to take what is sent.
        case send
        /// The server itself, or an event without a limit.
        case ourselves
        /// An event, up to a moment that the request named.
        case event
        /// The end that the client should make, after ours.
        case end
    }

    /// Changes when another loop takes the connection over.
    var token: PollToken
    /// Whether it has come over an address that only programs of this machine can reach.
    let isLocal: Bool
    /// Whether it is that of a proxy, which may ask for many clients.
    let isProxied: Bool
    /// What decrypts its input and encrypts its output; nil where plain HTTP is spoken.
    var secure: SecureChannel?
    /// Bytes that have come and are not used yet.
    var input = ByteBuffer()
    var incoming = Incoming.head
    var outbox: Outbox
    var waiting = Waiting.request
    /// When to give up waiting, in monotonic nanoseconds.
    var deadline = Int64.max
    /// The deadline of this connection's entry in the loop's timers, `Int64.max` if it has none.
    var timerDeadline = Int64.max
    /// The journal position of the newest write of this connection: it reads its own writes.
    var newestWrite: Int64 = 0
    /// Whether the loop has it in its list of connections to look after at the end of the turn.
    var isDirty = false
    /// Whether its input is the beginning of a head whose rest has not come.
    var isStarved = false
    /// Whether the client has ended its direction.
    var hasEnded = false
    /// Whether our direction has been ended.
    var hasEndedSending = false
    /// Whether the poller watches it for reading and for writing.
    var watch = (reading: true, writing: false)
    /// Whether a piece of the first reply is being written by a worker.
    var awaitsPiece = false
    /// The import whose last piece a worker is reading.
    var importPipe: ImportPipe?
    /// The upload of a file that is coming.
    var arrival: FileArrival?
    /// The last request to a place in the tree, if the next one may mean the same.
    var lastRequest: LastRequest?
    /// A poll that was answered and is kept for the same one to come again.
    var parked: Subscriber?
    /// What it listens to, oldest first.
    var subscriptions: [Subscriber] = []
    /// Whose it is, or whose last request, for the connections of one address.
    var visitor: Visitor?
    /// Finds the heads of requests; last, because it is large and who only listens needs it no more.
    var parser: HTTPRequestParser

    init(
        token: PollToken, limits: HTTPLimits, isLocal: Bool, isProxied: Bool = false, spares: SpareBuffers
    ) {
        self.token = token
        self.isLocal = isLocal && !isProxied
        self.isProxied = isProxied
        outbox = Outbox(spares)
        parser = HTTPRequestParser(limits: limits)
    }

    /// Whether it is between two requests and owed nothing.
    var isIdle: Bool {
        guard case .head = incoming else { return false }
        return outbox.isEmpty && input.isEmpty && !parser.isInsideHead
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
