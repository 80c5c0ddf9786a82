// What a reader accepts at most, so that no text can cost more than its limits say.

/// The bounds within which a `JSONReader` reads; text beyond one of them is refused with the bound in the
/// error.
public struct JSONLimits: Equatable, Sendable {
    /// Objects and arrays that may be open at once. 1,000 by default: far beyond the tree's own limit, so
    /// that whoever builds values can answer with its own error, and small enough that nested brackets fail
    /// at once.
    public var depth: Int
    /// UTF-8 bytes of one key with its escapes resolved. 32,768 by default, since the keys of a multi-path
    /// update are paths; the 768 bytes of a single key are checked where keys are made.
    public var keyBytes: Int
    /// UTF-8 bytes of one string value with its escapes resolved. 10 MiB by default.
    public var stringBytes: Int
    /// Bytes of the whole text, white space included. 256 MiB by default.
    public var totalBytes: Int

    /// Takes the defaults for whatever is not given.
    public init(
        depth: Int = 1_000, keyBytes: Int = 32_768, stringBytes: Int = 10 << 20, totalBytes: Int = 256 << 20
    ) {
        self.depth = depth
        self.keyBytes = keyBytes
        self.stringBytes = stringBytes
        self.totalBytes = totalBytes
    }

    /// The bytes of one number as written. Enough for the exact decimal form of every double.
    static let numberBytes = 4_096
}
