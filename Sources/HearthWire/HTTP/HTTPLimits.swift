// How much of a message may be spent on anything but its body.

/// Bounds that keep the memory and work for one message head small, whatever the peer sends.
public struct HTTPLimits: Equatable, Sendable {
    /// Bytes of the first line and all header lines together, line ends included; beyond: 431.
    public var headBytes = 64 * 1024
    /// Header lines; beyond: 431.
    public var fieldCount = 128
    /// Bytes of the request target; beyond: 414. Tokens and queries travel there, so it is generous.
    public var targetBytes = 32 * 1024
    /// Bytes of one chunk-size line with its extensions; beyond: 400.
    public var chunkLineBytes = 1024
    /// Bytes of all chunk extensions of a body together; beyond: 400.
    public var extensionBytes = 64 * 1024
    /// Bytes of the trailer lines after the last chunk; beyond: 431.
    public var trailerBytes = 8 * 1024

    /// The bounds above.
    public init() {}
}
