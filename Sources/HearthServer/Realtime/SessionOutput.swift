// What a session is owed, in the order in which clients must hear it.
import HearthCore
import HearthStorage

/// The messages that a session has not been sent yet.
///
///     replies   ok, until 7    value, until 7    ok, until 9      in the order of the requests
///     pushes         of 5   of 7                of 8              of durable commits
///     sent           of 5   of 7   ok   value   of 8   ok
///
/// A reply leaves when what it shows is durable, behind the pushes of all commits up to there: for a client,
/// its own write happens when it is told of it, and is over when it is replied to.
struct SessionOutput {
    private struct Message {
        /// Where the journal must have come to; a push is there already.
        let position: Position
        let packet: Packet
        /// Whether it is a push for one filtered listen alone.
        var isTagged = false
    }

    private var replies: [Message] = []
    private var pushes: [Message] = []
    private var arePushesSorted = true
    /// What the next reply shows, if a worker still prepares it.
    private var preparedPosition: Position?
    /// Replies that came meanwhile.
    private var laterReplies: [Message] = []
    /// Whether nothing waits here, nor a place is kept.
    var isEmpty: Bool {
        replies.isEmpty && pushes.isEmpty && laterReplies.isEmpty && preparedPosition == nil
    }
    /// How many bytes of JSON wait here.
    private(set) var byteCount = 0

    /// Appends a reply, or what else must keep its place among them.
    mutating func reply(_ packet: Packet, until position: Position) {
        let message = Message(position: position, packet: packet)
        if preparedPosition == nil { replies.append(message) } else { laterReplies.append(message) }
        byteCount += packet.text.count
    }

    /// Keeps the place of a reply that a worker prepares, of what stood at `position`: nothing newer is told
    /// before it. A value that comes late would undo for the client what it was told of other listens.
    mutating func beginPreparing(_ position: Position) { preparedPosition = position }

    /// The reply is ready: what is appended from now on takes the place that was kept.
    mutating func endPreparing() { preparedPosition = nil }

    /// The place is taken: the replies that came meanwhile follow.
    mutating func resumeReplies() {
        replies += laterReplies
        laterReplies = []
    }

    /// Adds a push of a durable commit. Those of one listen must come in the order of their commits.
    mutating func push(_ packet: Packet, of position: Position, isTagged: Bool) {
        if let last = pushes.last, last.position >= position { arePushesSorted = false }
        pushes.append(Message(position: position, packet: packet, isTagged: isTagged))
        byteCount += packet.text.count
    }

    /// Takes out everything that may leave now.
    ///
    /// - Parameter durable: how far the journal has come.
    mutating func release(durable: Position, _ send: (Packet) -> Void) {
        sortPushes()
        #if DEBUG
            let durable = PlantedFault.isPlanted(.answersUndurable) ? .max : durable
        #endif
        var (replyCount, pushCount) = (0, 0)
        while true {
            let reply = replyCount < replies.count ? replies[replyCount] : nil
            let push = pushCount < pushes.count ? pushes[pushCount] : nil
            if let push, mayLeave(push), reply.map({ mustPrecede(push, $0) }) ?? true {
                pushCount += 1
                byteCount -= push.packet.text.count
                send(push.packet)
            } else if let reply, reply.position <= durable {
                replyCount += 1
                byteCount -= reply.packet.text.count
                send(reply.packet)
            } else {
                break
            }
        }
        drop(replyCount, pushCount)
    }

    /// Whether a push may go before a reply that is prepared.
    private func mayLeave(_ push: Message) -> Bool {
        preparedPosition.map { push.position <= $0 } ?? true
    }

    /// Whether a push goes before the first reply.
    private func mustPrecede(_ push: Message, _ reply: Message) -> Bool {
        #if DEBUG
            if PlantedFault.isPlanted(.repliesBeforePushes) { return push.position < reply.position }
        #endif
        return push.position <= reply.position
    }

    /// Several listens of a session may have been told of the same commits one after the other. Of one commit
    /// the windows hear first: what a plain listen is told reaches them too, and they must know better by
    /// then.
    private mutating func sortPushes() {
        guard !arePushesSorted else { return }
        arePushesSorted = true
        let ranked = pushes.enumerated().sorted {
            ($0.element.position, rank($0.element), $0.offset)
                < ($1.element.position, rank($1.element), $1.offset)
        }
        pushes = ranked.map(\.element)
    }

    private func rank(_ push: Message) -> Int {
        #if DEBUG
            if PlantedFault.isPlanted(.tellsWindowsLast) { return push.isTagged ? 1 : 0 }
        #endif
        return push.isTagged ? 0 : 1
    }

    private mutating func drop(_ replyCount: Int, _ pushCount: Int) {
        if replyCount == replies.count { replies = [] } else { replies.removeFirst(replyCount) }
        if pushCount == pushes.count { pushes = [] } else { pushes.removeFirst(pushCount) }
    }
}
