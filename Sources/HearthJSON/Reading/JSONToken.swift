// What a reader yields.

/// One step through a JSON text: brackets, keys and plain values in the order in which they are written.
///
/// Commas and colons are checked by the reader and yield nothing. Equal keys in one object are yielded as
/// often as they are written; whoever builds the object lets the last one win.
public enum JSONToken: Equatable, Sendable {
    /// `{` was read; keys, each followed by its value, up to `endObject` belong to the object.
    case beginObject
    /// `}` was read.
    case endObject
    /// `[` was read; the values up to `endArray` are its elements.
    case beginArray
    /// `]` was read.
    case endArray
    /// The key of a member, whose value comes next.
    case key(JSONText)
    /// A string value.
    case string(JSONText)
    /// A number without fraction and exponent that fits 64 bits, exactly; `-0` is 0.
    case integer(Int64)
    /// Any other number: with a fraction or an exponent (also a whole one such as `1.0` or `1e3`), or an
    /// integer beyond 64 bits. Always finite, never negative zero.
    case double(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// The buffer ends before the next token does. Nothing is lost: append more bytes behind the unread ones
    /// and ask again. Never yielded for a final buffer.
    case needsMore
    /// The value is complete and only white space followed it to the end of the final buffer.
    case end
}
