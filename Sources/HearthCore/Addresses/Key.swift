// The name of a child, kept so that Firebase's key order is a comparison of integers.

/// The name of a child: not empty, at most 768 bytes of UTF-8, no control character, none of `. $ # [ ] /`.
///
///     integer-like keys   ┌──┬─────────────────┬──────────┬──────┬──────────┐
///                         │00│ value + 2^31 u32│length u16│sign  │ zeros    │   -5 < 3 < 03 < 20
///                         └──┴─────────────────┴──────────┴──────┴──────────┘
///     all others          ┌─────────────────────────────────────────────────┐
///                         │ the first 24 bytes of UTF-8, order-mapped       │   after every integer
///                         └─────────────────────────────────────────────────┘
///
/// The 24 bytes lie big-endian in three words, so that comparing keys is comparing three integers. Longer
/// keys carry their whole text beside it. In the words, the UTF-8 lead bytes EE and EF stand as F5 and F6
/// (which UTF-8 does not use): byte order is then the order of UTF-16 code units that Firebase sorts by.
/// Source: wire-protocol.md §10.4, §10.5.
public struct Key: Hashable, Sendable {
    /// The most bytes of UTF-8 that a key may have.
    public static let byteLimit = 768

    let word0: UInt64
    let word1: UInt64
    let word2: UInt64
    /// The order-mapped text, if it does not fit the words.
    let spill: KeySpill?

    /// Checks `text` and wraps it.
    ///
    /// - Complexity: O(length); no allocation up to 24 bytes.
    public init(_ text: String) throws(KeyError) {
        var text = text
        let made = text.withUTF8 { bytes in Key.checked(UnsafeRawBufferPointer(bytes)) }
        self = try made.get()
    }

    /// Checks bytes that should be a key in UTF-8 and wraps them.
    ///
    /// - Precondition: `bytes` is valid UTF-8 (readers have checked it before).
    public init(utf8 bytes: UnsafeRawBufferPointer) throws(KeyError) {
        self = try Key.checked(bytes).get()
    }

    /// The key of an array's element.
    ///
    /// - Precondition: `index` is not negative and fits 32 bits.
    public init(index: Int) {
        precondition(index >= 0 && index <= Int(Int32.max), "an array index fits 32 bits")
        self.init(integer: Int32(index), byteCount: Key.digitCount(of: index), isNegative: false)
    }

    /// Wraps text that was checked before, for instance when the journal is read back.
    public init(checked bytes: UnsafeRawBufferPointer) {
        self.init(ordering: bytes)
    }

    init(word0: UInt64, word1: UInt64, word2: UInt64, spill: KeySpill?) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.spill = spill
    }

    private static func checked(_ bytes: UnsafeRawBufferPointer) -> Result<Key, KeyError> {
        guard !bytes.isEmpty else { return .failure(.empty) }
        guard bytes.count <= byteLimit else { return .failure(.tooLong(byteCount: bytes.count)) }
        for byte in bytes where forbidden(byte) {
            return .failure(.forbidden(byte: byte))
        }
        return .success(Key(ordering: bytes))
    }

    private static func forbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "/"):
            true
        default:
            false
        }
    }

    private static func digitCount(of value: Int) -> Int {
        var rest = value / 10
        var count = 1
        while rest > 0 {
            rest /= 10
            count += 1
        }
        return count
    }
}

/// Why a text is not a key.
public enum KeyError: Error, Hashable, Sendable {
    /// A key has at least one character.
    case empty
    /// A key has at most `Key.byteLimit` bytes of UTF-8.
    case tooLong(byteCount: Int)
    /// One of `. $ # [ ] /`, a control character or delete.
    case forbidden(byte: UInt8)
}

extension KeyError: CustomStringConvertible {
    /// What is wrong and what is allowed, in one line.
    public var description: String {
        switch self {
        case .empty: "a key must not be empty"
        case .tooLong(let byteCount): "a key has \(byteCount) bytes, at most \(Key.byteLimit) are allowed"
        case .forbidden(let byte) where byte < 0x20 || byte == 0x7F:
            "a key must not contain control characters"
        case .forbidden(let byte):
            "a key must not contain '\(Character(UnicodeScalar(byte)))' (none of . $ # [ ] / is allowed)"
        }
    }
}

/// The text of a key that does not fit three words, order-mapped.
final class KeySpill: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func == (left: KeySpill, right: KeySpill) -> Bool {
        left === right || left.bytes == right.bytes
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}
