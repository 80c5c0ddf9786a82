// One of the threads that serve connections: it takes in what has arrived, decides it, and sends what may
// leave.
import HearthCore
import HearthIdentity
import HearthWire
import Synchronization

/// A loop over the connections that the system gave it.
///
/// It is made inside its thread and never leaves it; other threads reach it through its mailbox. Nothing
/// it calls waits, but the poller.
final class Loop {
    /// The source of a large reply is asked for more when fewer bytes than this are on their way.
    static let lowWater = 64 << 10
    /// After so many connections were read in a turn the journal does not wait for the others.
    private static let batchLimit = 64
    /// How many connections are heard in a turn while others wait to be sent something: who asks again at
    /// once must not keep them waiting.
    static let hearingLimit = 64

    let index: Int
    let services: Services
    let mailbox: Mailbox
    let poller: any Poller
    /// Connections by descriptor.
    var connections: [Connection?] = []
    var connectionCount = 0
    var timers = Timers()
    /// Connections to look after before the turn ends.
    var dirty: [Connection] = []
    /// Those of them that are looked after now.
    var settling: [Connection] = []
    /// How many connections were looked after at once in this turn.
    var promptCount = 0
    /// Memory for what is sent.
    let spares = SpareBuffers()
    /// What reading small bodies takes.
    var draftMemory = DraftMemory()
    /// Where the text of a small answer is written before its length is known.
    var text: [UInt8] = []
    /// Replies held for the journal: which connections to look at when it has come so far.
    var held: [(position: Int64, token: PollToken)] = []
    /// What the journal had synced at the last look.
    var durable: Int64 = 0
    /// The monotonic time of this turn.
    var now: Int64 = 0
    /// Where bytes are received before it is known how many they are.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
    /// Where bytes are decrypted, and where those are gathered that are to be encrypted.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
    /// Whether the next write is given to the journal before it is answered: it has come alone.
    var handsOverAtOnce = false
    /// How many steps of TLS handshakes were taken in this turn.
    var handshakeSteps = 0
    var listeners: [ListeningSocket]
    /// Users' tokens that were verified before.
    var tokens = TokenCache()
    /// The subscribers whose permission may end.
    var judged = JudgedSubscribers()
    var spare = SpareDescriptor()
    var generation: UInt32 = 0
    var isStopping = false
    var stopDeadline = Int64.max
    var feeds = Feeds()
    /// Clients of the realtime protocol, by the name of their session.
    var sessions: [String: Session] = [:]
    /// Sessions to look after before the turn ends.
    var dirtySessions: [Session] = []
    /// Replies held for the journal: which sessions to look at when it has come so far.
    var heldSessions: [(position: Int64, session: Session)] = []
    /// Connections that another loop is to take over when the turn ends.
    var departures: [Departing] = []
    /// When to look after clients that poll, in monotonic nanoseconds.
    var nextSweep = Int64.max
    /// Made when the first client wants its messages compressed.
    lazy var compression = Compression()
    /// What the last request's host means.
    var lastHost: HostMeaning?
    /// The namespace that the last request meant.
    var lastNamespace: FoundNamespace?
    let patience: Patience
    private var messages: [LoopMessage] = []
    private var events: [PollEvent] = []

    /// Takes over the listening sockets.
    init(
        index: Int, services: Services, poller: any Poller, listeners: [ListeningSocket]
    ) throws(SystemFailure) {
        self.index = index
        self.services = services
        self.poller = poller
        self.listeners = listeners
        mailbox = services.mailboxes[index]
        patience = Patience(services.configuration.timeouts)
        now = services.clock.monotonicNanoseconds
        try poller.register(PollToken(descriptor: mailbox.descriptor, generation: 0))
        for listener in listeners {
            try poller.register(PollToken(descriptor: listener.number, generation: 0))
        }
    }

    deinit {
        scratch.deallocate()
        plain.deallocate()
    }

    /// Serves until it was told to stop and everything is sent, or the time for that is up.
    func run() {
        while !isFinished {
            turn()
        }
        closeAll()
        services.recorder.handOver()
    }

    /// Takes in what has arrived, decides it, and sends what has become durable.
    func turn() {
        poller.wait(
            timeoutNanoseconds: timeLeft, atMost: dirty.isEmpty ? .max : Loop.hearingLimit, into: &events)
        now = services.clock.monotonicNanoseconds
        handshakeSteps = 0
        handsOverAtOnce = events.count == 1
        promptCount = 0
        for (index, event) in events.enumerated() {
            take(event)
            if index % Loop.batchLimit == Loop.batchLimit - 1 { services.recorder.handOver() }
        }
        // The disk works while those are answered whose records were synced meanwhile.
        services.recorder.handOver()
        handsOverAtOnce = false
        hear()
        expireTimers()
        sweepPolls()
        hearOwnPosts()
        feedSubscribers()
        settleSessions()
        settleDirty()
        departAll()
        services.recorder.handOver()
    }

    /// Deals with what this loop has posted to itself while it heard others: nothing may be replied before
    /// what it brought about is told.
    private func hearOwnPosts() {
        var roundsLeft = 16
        while roundsLeft > 0, !mailbox.isEmpty {
            hear()
            roundsLeft -= 1
        }
    }

    /// Deals with the mailbox. What is durable is looked up first: whatever was posted for it is there by
    /// then.
    func hear() {
        durable = services.durable.position
        mailbox.drain(into: &messages)
        for message in messages {
            switch message {
            case .durable: break
            case .resume(let token, let action):
                guard let connection = connection(token) else { continue }
                action(self, connection)
                markDirty(connection)
            case .published(let number, let publication):
                feeds.take(publication, of: number)
                judgeAgain(after: publication, in: number)
            case .perform(let action): action(self)
            case .stop: beginStopping()
            }
        }
        messages.removeAll(keepingCapacity: true)
        releaseHeld()
        releaseHeldSessions()
    }

    private func take(_ event: PollEvent) {
        if event.token.generation == 0 {
            if event.token.descriptor == mailbox.descriptor {
                mailbox.listen()
            } else if let listener = listeners.first(where: { $0.number == event.token.descriptor }) {
                accept(listener)
            }
            return
        }
        guard let connection = connection(event.token) else { return }
        if event.isReadable { receive(connection) }
        markDirty(connection)
    }

    /// How long the poller may wait: not at all while there is work left over.
    private var timeLeft: Int64? {
        if !dirty.isEmpty || !dirtySessions.isEmpty || !mailbox.awaitNext() { return 0 }
        let next = min(timers.next ?? .max, stopDeadline, nextSweep)
        return next == .max ? nil : max(0, next - services.clock.monotonicNanoseconds)
    }

    private var isFinished: Bool {
        isStopping && (connectionCount == 0 || now >= stopDeadline)
    }
}

@available(*, unavailable)
extension Loop: Sendable {}

extension Loop {
    /// The connection of a token, nil if it is gone.
    func connection(_ token: PollToken) -> Connection? {
        let index = Int(token.descriptor)
        guard index < connections.count, let connection = connections[index], connection.token == token else {
            return nil
        }
        return connection
    }

    /// Has a connection looked after before the turn ends.
    func markDirty(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    /// Notes that a reply waits for the journal.
    func hold(_ connection: Connection, until position: Int64) {
        guard position > durable else { return }
        held.append((position, connection.token))
    }

    /// Looks at the connections whose held replies may have become durable, oldest first.
    private func releaseHeld() {
        var count = 0
        for entry in held {
            guard entry.position <= durable else { break }
            if let connection = connection(entry.token) { markDirty(connection) }
            count += 1
        }
        if count > 0 { held.removeFirst(count) }
    }
}
