// Where something stands in a text, for people who want to look at it.

/// A place in a JSON text, counted over all its chunks.
public struct JSONPlace: Equatable, Sendable {
    /// Counted from 1; a line feed ends a line (so CR LF does too, a lone CR does not).
    public let line: Int
    /// Counted from 1 in characters, that is Unicode scalars, not bytes.
    public let column: Int
    /// Bytes of the text that stand before the place.
    public let offset: Int
}

extension JSONPlace: CustomStringConvertible {
    /// For instance `line 3, column 14`.
    public var description: String { "line \(line), column \(column)" }
}
