// A reply that is too large to be written at once.

/// What a source has to give.
enum ReplyPiece: Sendable {
    /// The next bytes, framed as they go over the wire.
    case bytes([UInt8])
    /// Nothing more: the reply is complete.
    case end
    /// Nothing more, and the reply is not complete: the connection must break, so that the client knows.
    case failure
}

/// Writes the body of a large reply piece by piece, from a state that it keeps.
///
/// A loop asks for the next piece when the client has taken most of the last one, so that memory stays
/// bounded however slow the client is. It may be asked on different threads, never on two at once.
protocol ReplySource: AnyObject, Sendable {
    /// The next piece; after an end or a failure it is not asked again.
    func next() -> ReplyPiece
    /// Whether a piece costs so much that a worker should write it.
    var prefersWorker: Bool { get }
    /// Whether its pieces are read from files of visitors or the public directory: their workers do it then.
    var readsFiles: Bool { get }
}

extension ReplySource {
    var readsFiles: Bool { false }
}
