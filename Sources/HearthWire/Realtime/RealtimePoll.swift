// What a client asks for by a long-polling request.

/// A request to `/.lp`. Source: wire-protocol.md §4.
public enum RealtimePoll: Equatable, Sendable {
    /// Whom a request is from.
    public struct Identity: Equatable, Sendable {
        /// What the answer to the start said.
        public let id: String
        /// What shows that the client was told so.
        public let password: String

        /// Puts an identity together.
        public init(id: String, password: String) {
            self.id = id
            self.password = password
        }
    }

    /// A piece of a message.
    public struct Segment: Equatable, Sendable {
        /// Its place among all pieces of the connection.
        public let number: Int
        /// How many pieces its message has.
        public let messageCount: Int
        /// Base64 with the alphabet of addresses and `.` as padding.
        public let data: String

        /// Puts a piece together.
        public init(number: Int, messageCount: Int, data: String) {
            self.number = number
            self.messageCount = messageCount
            self.data = data
        }
    }

    /// Begins a connection. The number is that of the page's callbacks; clients that are no pages have none.
    case start(callback: String?)
    /// Waits for messages, and may bring some.
    case poll(Identity, [Segment])
    /// Asks for a page that tells when it goes away.
    case frame(Identity)
    /// Says that the client has gone away.
    case gone(Identity)

    /// Reads the parameters; nil if they ask for nothing, or for something in a way that clients do not.
    public init?(_ parameters: RealtimeParameters) {
        if parameters["start"] == "t" {
            let callback = parameters["cb"]
            guard callback.map(Self.isNumber) ?? true else { return nil }
            self = .start(callback: callback)
            return
        }
        guard let id = parameters["id"], let password = parameters["pw"], Self.isName(id),
            Self.isName(password)
        else { return nil }
        let identity = Identity(id: id, password: password)
        if parameters["dframe"] == "t" {
            self = .frame(identity)
        } else if parameters["disconn"] == "t" {
            self = .gone(identity)
        } else {
            guard let segments = Self.segments(parameters) else { return nil }
            self = .poll(identity, segments)
        }
    }

    private static func segments(_ parameters: RealtimeParameters) -> [Segment]? {
        var segments: [Segment] = []
        while let text = parameters["seg\(segments.count)"] {
            guard let number = Int(text), number >= 0,
                let count = parameters["ts\(segments.count)"].flatMap({ Int($0) }), count > 0,
                let data = parameters["d\(segments.count)"]
            else { return nil }
            segments.append(Segment(number: number, messageCount: count, data: data))
        }
        return segments
    }

    /// Digits alone: it becomes part of a script.
    private static func isNumber(_ text: String) -> Bool {
        (1...16).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
    }

    /// Letters and digits alone: it becomes part of a script and of a page.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isDigit || ($0 | 0x20) &- 0x61 < 26 }
    }
}
