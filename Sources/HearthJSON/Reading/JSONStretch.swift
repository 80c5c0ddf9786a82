// What a reader has to know of a value that somebody else has read.

/// A part of a buffer, and what it has to do with lines and columns.
public struct JSONStretch: Equatable, Sendable {
    /// The place behind it in the buffer.
    public var end: Int
    /// How many line feeds are in it.
    public private(set) var lineFeeds = 0
    /// The place behind the last line feed in it.
    public private(set) var lineStart = 0
    /// How many UTF-8 continuation bytes are in it after the last line feed.
    public var continuations = 0

    /// A part that is plain ASCII in one line.
    public init(end: Int) {
        self.end = end
    }

    /// Tells of a line feed at `place`.
    public mutating func endLine(at place: Int) {
        lineFeeds += 1
        lineStart = place + 1
        continuations = 0
    }
}
