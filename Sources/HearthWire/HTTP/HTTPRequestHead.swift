// A request's first line and headers, kept as bytes with offsets into them.

/// The head of a request that was found to be well formed.
///
///     GET /rooms/lobby.json?print=pretty HTTP/1.1\r\nHost: localhost\r\n…\r\n\r\n
///         └──── path ────┘ └── query ──┘                └─ host ─┘
///
/// Owns a copy of its bytes, so that it outlives the input. All ranges are offsets into `fields.bytes`. No
/// text is made until somebody asks for it.
public struct HTTPRequestHead: Sendable {
    /// The bytes from the request line to the empty line, and the header lines in them.
    public internal(set) var fields = HTTPFields()
    /// The method of the request line; `RESTCall` takes overrides into account.
    public internal(set) var method = HTTPMethod.other
    /// The version of the request line.
    public internal(set) var version = HTTPVersion.http11
    /// The path as sent, still percent-encoded, beginning with `/`; empty (the root) only in absolute
    /// targets; `*` only for OPTIONS.
    public internal(set) var path = 0..<0
    /// What follows the first `?` of the target, still percent-encoded; nil without a `?`.
    public internal(set) var query: Range<Int>?
    /// Host and optional port, from an absolute target if there is one, else from the Host header. Nil only
    /// in HTTP/1.0; empty if the client sent an empty header.
    public internal(set) var host: Range<Int>?
    /// How the body's end is found: `none`, `length` or `chunked`.
    public internal(set) var body = HTTPBodyFraming.none
    /// Whether the client would like to send another request on this connection.
    public internal(set) var keepsAlive = true
    /// Whether the client waits for `100 Continue` before it sends the body.
    public internal(set) var expectsContinue = false
    /// Whether the client offers to change the protocol; which one says the header `upgrade`.
    public internal(set) var wantsUpgrade = false
    /// How it compares with the one before it on the same connection: what was found out about that may be
    /// true of this one.
    public internal(set) var repetition = Repetition.none
    /// How many bytes of input the head took, with an empty line before it if there was one.
    public internal(set) var byteCount = 0

    /// What a head has of the one before it.
    public enum Repetition: Sendable {
        /// Nothing that was looked at.
        case none
        /// All bytes.
        case whole
        /// All bytes but those at the place that `HTTPRequestParser.variation` names.
        case varied
    }

    /// Whether a body of at least one byte, or of chunks, follows.
    public var hasBody: Bool {
        switch body {
        case .none, .length(0): false
        case .length, .chunked, .untilClose: true
        }
    }

    init() {}
}
