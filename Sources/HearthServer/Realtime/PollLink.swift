// A client that is reached by long polls.
import HearthWire

/// Where an answer to a request goes: its place among the replies of a connection, of any loop.
struct AnswerPlace: Sendable {
    let loop: Int
    let token: PollToken
    let slot: UInt64
    let version: HTTPVersion
    let keepsAlive: Bool
}

/// What a session knows while its client polls. It belongs to the session's loop.
final class PollLink {
    /// A request that waits for messages.
    struct Waiting {
        let place: AnswerPlace
        /// When to answer it without any, in monotonic nanoseconds.
        let deadline: Int64
    }

    let identity: RealtimePoll.Identity
    var upload: RealtimeUpload
    /// Messages of the client that wait for one before them to be decided.
    var inbox: [[UInt8]] = []
    /// Messages to the client.
    var outgoing: [Packet] = []
    var outgoingByteCount = 0
    var waiting: [Waiting] = []
    /// The number of the next response.
    var nextResponse = 1
    /// When the client was last heard, in monotonic nanoseconds.
    var lastHeard: Int64
    /// The WebSocket to which the client is about to go over.
    var successor: Connection?
    /// Whether the client has said on the WebSocket that it comes.
    var isSwitched = false
    /// Whether the client has said here that it goes.
    var isEnded = false
    /// Whether the next response is the last one.
    var isClosing = false

    init(_ identity: RealtimePoll.Identity, messageLimit: Int, now: Int64) {
        self.identity = identity
        upload = RealtimeUpload(limit: messageLimit)
        lastHeard = now
    }

    func append(_ packet: Packet) {
        outgoing.append(packet)
        outgoingByteCount += packet.text.count
    }

    /// The next response, with everything that waits.
    func takeResponse() -> [UInt8] {
        var script: [UInt8] = []
        script.reserveCapacity(outgoingByteCount + 64)
        RealtimeScript.append(outgoing.map(\.text), number: nextResponse, to: &script)
        if isClosing { RealtimeScript.appendClose(after: nextResponse, to: &script) }
        nextResponse += 1
        dropOutgoing()
        return script
    }

    /// Forgets the messages to the client.
    func dropOutgoing() {
        outgoing = []
        outgoingByteCount = 0
    }
}

@available(*, unavailable)
extension PollLink: Sendable {}
