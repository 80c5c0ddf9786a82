// A connection that has become a WebSocket.
import HearthCore
import HearthWire

/// What a connection knows once it is a WebSocket. It belongs to the connection's loop.
final class WebSocketLink {
    /// The client; it may be reached over another transport still.
    let session: Session
    let compresses: Bool
    var parser: WebSocketParser
    var assembly: RealtimeAssembly
    /// When the client was last heard, in monotonic nanoseconds.
    var lastHeard: Int64
    /// When it was asked for a sign of life, if it has given none since.
    var pinged: Int64?

    init(_ session: Session, compresses: Bool, messageLimit: Int, now: Int64) {
        self.session = session
        self.compresses = compresses
        parser = WebSocketParser(messageLimit: messageLimit, takesCompressed: compresses)
        assembly = RealtimeAssembly(limit: messageLimit)
        lastHeard = now
    }

    /// Whether what the client says must wait: for a request before it, or for what it said by polls.
    var isHeld: Bool {
        #if DEBUG
            if PlantedFault.isPlanted(.heedsSocketBeforePolls) { return session.isBlocked }
        #endif
        if case .poll(let link) = session.link { return link.isSwitched }
        return session.isBlocked
    }
}

@available(*, unavailable)
extension WebSocketLink: Sendable {}
