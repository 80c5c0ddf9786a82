// What a server answered, without the body, which has gone to its sink.

/// The head of an answer with a status below 400.
public struct ClientAnswer: Equatable, Sendable {
    /// 200 to 399.
    public let status: Int
    /// The header `Hearth-Cursor`: the state that was read or made.
    public let cursor: String?
    /// The header `ETag`.
    public let entityTag: String?
    /// Bytes of the body.
    public internal(set) var bodyByteCount = 0
}
