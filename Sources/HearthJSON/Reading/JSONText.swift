// Where a key or string stands in the buffer, and how to get at what it says.

/// The place of a string's text in the buffer it was read from: without its quotes, escapes not yet resolved.
///
/// It is valid UTF-8 with valid escapes. It means something only together with that buffer, and only until
/// bytes are dropped from it.
public struct JSONText: Equatable, Sendable {
    /// Byte offsets into the buffer, without the quotes.
    public let range: Range<Int>
    /// Whether a backslash occurs; if not, the bytes in `range` are the text itself.
    public let hasEscapes: Bool

    /// Takes a place whose text is known to be well formed, in any buffer.
    ///
    /// - Precondition: it is valid UTF-8 with valid escapes, and has a backslash if and only if `hasEscapes`.
    public init(wellFormed range: Range<Int>, hasEscapes: Bool) {
        self.init(range: range, hasEscapes: hasEscapes)
    }

    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }

    /// How many bytes the character beyond ASCII has that begins at `start`; nil if the bytes are no valid
    /// UTF-8, or end too early.
    public static func characterByteCount(at start: Int, in buffer: UnsafeRawBufferPointer) -> Int? {
        guard case .length(let length) = scanUTF8(at: start, in: buffer) else { return nil }
        return length
    }

    /// Returns the bytes as written, escapes and all, which are also valid between quotes in any JSON text.
    ///
    /// - Complexity: O(1).
    public func raw(in buffer: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[range])
    }

    /// Returns what the text says.
    ///
    /// - Complexity: O(n) in its bytes.
    public func string(in buffer: UnsafeRawBufferPointer) -> String {
        guard hasEscapes else { return String(decoding: raw(in: buffer), as: UTF8.self) }
        return String(unsafeUninitializedCapacity: range.count) { free in
            guard let start = free.baseAddress else { return 0 }
            return resolve(raw(in: buffer), to: UnsafeMutableRawPointer(start))
        }
    }

    /// Appends what the text says, as UTF-8.
    ///
    /// - Precondition: `buffer` is the one the text was read from.
    /// - Complexity: O(n) in its bytes.
    public func append(to bytes: inout [UInt8], in buffer: UnsafeRawBufferPointer) {
        guard hasEscapes else { return bytes.append(contentsOf: raw(in: buffer)) }
        bytes.append(atMost: range.count) { resolve(raw(in: buffer), to: $0) }
    }

    /// Returns whether the text says exactly `name`, which is how the members of a known message are told
    /// apart.
    ///
    /// - Complexity: O(n) in the bytes of `name`, without allocating unless there are escapes.
    public func says(_ name: StaticString, in buffer: UnsafeRawBufferPointer) -> Bool {
        if hasEscapes { return string(in: buffer) == name.description }
        guard range.count == name.utf8CodeUnitCount else { return false }
        return raw(in: buffer).elementsEqual(
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}

/// Writes `text` with its escapes resolved to `start`, where there is room for as many bytes as `text` has,
/// and returns how many were written.
private func resolve(_ text: UnsafeRawBufferPointer, to start: UnsafeMutableRawPointer) -> Int {
    var at = 0
    var written = 0
    while at < text.count {
        guard text[at] == .backslash else {
            start.storeBytes(of: text[at], toByteOffset: written, as: UInt8.self)
            at &+= 1
            written &+= 1
            continue
        }
        guard case .scalar(let scalar, let length) = scanEscape(at: at, in: text) else {
            preconditionFailure("the buffer is not the one this text was read from")
        }
        for byte in scalar.utf8 {
            start.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
            written &+= 1
        }
        at &+= length
    }
    return written
}
