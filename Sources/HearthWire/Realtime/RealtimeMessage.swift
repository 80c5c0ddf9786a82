// What a client says over the realtime protocol, checked: from here on there is no text to misread.
public import HearthCore

/// A message of a client. Sources: wire-protocol.md §3, §5.
public enum RealtimeMessage: Sendable {
    /// Asks for something, and gets a reply with the same number.
    case request(RealtimeRequest)
    /// Wants a pong on the same transport.
    case ping
    /// On a second transport: the client goes over to it.
    case switched
    /// On the first transport: nothing more comes over it.
    case ended
    /// A control message that means nothing.
    case unknown
}

/// A request with its number.
public struct RealtimeRequest: Sendable {
    /// What the reply is matched by; nil if the client gave none, so that no reply can reach it.
    public let number: Int64?
    /// What is asked for.
    public let action: RealtimeAction

    /// Puts a request together.
    public init(number: Int64?, action: RealtimeAction) {
        self.number = number
        self.action = action
    }
}

/// What a request asks for.
public enum RealtimeAction: Sendable {
    /// Asks to be told of a place from now on. The hash is that of what the client holds; empty for nothing.
    case listen(RealtimeQuestion, hash: String)
    /// Ends a listen.
    case unlisten(RealtimeQuestion)
    /// Asks for a value once.
    case get(RealtimeQuestion)
    /// Writes. With a hash, only where what stands there has that one.
    case write(Write, expected: String?)
    /// Shows who asks, from now on.
    case authenticate(RealtimeCredential)
    /// From now on nobody asks.
    case unauthenticate
    /// Shows, or takes back, that a genuine app asks.
    case appCheck
    /// To be written when the session ends.
    case writeOnDisconnect(Write)
    /// Forgets what was to be written at and below a place.
    case cancelOnDisconnect(Path)
    /// Counts of the client's own.
    case stats
    /// Something that cannot be done, whatever the state.
    case refused(RealtimeRefusal)
}

/// Which values a listen or a get is about. Two listens of a session with the same question are one.
public struct RealtimeQuestion: Hashable, Sendable {
    /// The place.
    public let place: RealtimePlace
    /// The query object as the client wrote it, for it wants to see it again (§6, `c`); nil for the whole
    /// value.
    public let query: [UInt8]?
    /// What pushes of a filtered listen carry.
    public let tag: Int64?

    /// Puts a question together.
    public init(place: RealtimePlace, query: [UInt8]? = nil, tag: Int64? = nil) {
        self.place = place
        self.query = query
        self.tag = tag
    }
}

/// What a client shows to be somebody. Source: wire-protocol.md §12.1.
public struct RealtimeCredential: Sendable {
    /// As whom an administrator wants to be judged.
    public enum Override: Hashable, Sendable {
        /// As himself.
        case none
        /// As nobody.
        case unauthenticated
        /// As who this JSON describes, which is not checked yet.
        case variable([UInt8])
    }

    /// The token.
    public let token: String
    /// Whether it is meant as a user's (`auth`), not as an administrator's (`gauth`).
    public let isUserToken: Bool
    /// As whom an administrator wants to be judged.
    public let override: Override
}
