// A reply that is too large to be written at once.

/// Writes the body of a large reply piece by piece, from a state that it keeps.
///
/// A loop asks for the next piece when the client has taken most of the last one, so that memory stays
/// bounded however slow the client is. It may be asked on different threads, never on two at once.
protocol ReplySource: AnyObject, Sendable {
    /// The next bytes, framed as they go over the wire; nil when the reply is complete.
    func next() -> [UInt8]?
    /// Whether a piece costs so much that a worker should write it.
    var prefersWorker: Bool { get }
}
