// What the head of an answer says, before it is bytes.

/// A header value that cannot break out of its line: visible ASCII characters and spaces.
public struct HTTPFieldValue: Equatable, Sendable {
    /// The checked characters.
    public let text: String

    /// Returns nil when `text` has a control character or one beyond ASCII.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return nil }
        self.text = text
    }

    /// Wraps a literal of ours, which must be visible ASCII.
    public init(_ text: StaticString) {
        self.text = "\(text)"
    }
}

/// What a body is, from a closed list: the client never chooses it.
public enum HTTPContentType: Equatable, Sendable {
    case json, javaScript, eventStream, text, html
    /// A type found by the file that is sent.
    case other(HTTPFieldValue)
}

/// What caches may do with an answer.
public enum HTTPCaching: Equatable, Sendable {
    /// Keep it, but ask each time.
    case noCache
    /// Keep nothing: tokens and accounts.
    case noStore
    /// Use it for this long; static files and published keys.
    case seconds(Int)
}

/// Everything that the head of an answer says.
///
/// The defaults are those of a REST answer: JSON, not to be cached, readable by any page.
public struct HTTPResponseHead: Sendable {
    /// A status code with a known reason; others are a programming error.
    public var status: Int
    /// How the body ends. Chunks become "until close" for a client of version 1.0.
    public var body: HTTPBodyFraming
    /// The type of the body; nil for answers without one.
    public var contentType: HTTPContentType? = .json
    /// What caches may do with the answer.
    public var caching = HTTPCaching.noCache
    /// Whether pages of any origin may read the answer.
    public var isOpenToAnyOrigin = true
    /// Whether the connection goes on; an `untilClose` body overrules it.
    public var keepsAlive = true
    /// The version of the request that is answered.
    public var version = HTTPVersion.http11
    /// Further headers, in order. The names are ours.
    public var fields: [(name: StaticString, value: HTTPFieldValue)] = []

    /// Makes the head of an answer whose body has `body`'s form.
    public init(status: Int, body: HTTPBodyFraming) {
        self.status = status
        self.body = body
    }
}
