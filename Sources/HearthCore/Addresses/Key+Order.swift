// How a key's text becomes words whose integer order is Firebase's key order, and how it is read back.

extension Key: Comparable {
    /// Firebase's key order: integer-like keys by value (the shorter first if equal), then all others by
    /// UTF-16 code units.
    ///
    /// - Complexity: O(1) up to 24 bytes, else O(length).
    @inline(__always)
    public static func < (left: Key, right: Key) -> Bool {
        if left.word0 != right.word0 { return left.word0 < right.word0 }
        if left.word1 != right.word1 { return left.word1 < right.word1 }
        if left.word2 != right.word2 { return left.word2 < right.word2 }
        return right.spill == nil ? false : left.spillPrecedes(that: right)
    }

    /// The same order, not strictly.
    @inline(__always)
    public static func <= (left: Key, right: Key) -> Bool {
        !(right < left)
    }

    /// The same text.
    @inline(__always)
    public static func == (left: Key, right: Key) -> Bool {
        guard left.word0 == right.word0, left.word1 == right.word1, left.word2 == right.word2 else {
            return false
        }
        return left.spill === right.spill || left.hasEqualSpill(as: right)
    }

    /// As many are faster looked through than searched.
    static let fewKeys = 12

    /// Where this key stands among others, which are in order; nil if it does not.
    ///
    /// - Complexity: O(log n); for a few, faster than hashing.
    public func place(in keys: [Key]) -> Int? {
        keys.withUnsafeBufferPointer { keys in
            guard keys.count > Key.fewKeys else {
                for place in 0..<keys.count where keys[place].word0 == word0 && keys[place] == self {
                    return place
                }
                return nil
            }
            let place = keys.partitionPoint { $0 < self }
            return place < keys.count && keys[place] == self ? place : nil
        }
    }

    @inline(never)
    private func spillPrecedes(that other: Key) -> Bool {
        guard let left = spill?.bytes, let right = other.spill?.bytes else { return other.spill != nil }
        return left.lexicographicallyPrecedes(right)
    }

    @inline(never)
    private func hasEqualSpill(as other: Key) -> Bool {
        spill == other.spill
    }
}

extension Key {
    static let inlineByteCount = 24

    /// Whether the key counts as a 32-bit integer in the order (`wire-protocol.md` §10.4; `03` and `-0`
    /// do).
    public var isIntegerLike: Bool {
        word0 >> 56 == 0
    }

    /// The value of an integer-like key, else nil.
    public var integerValue: Int32? {
        guard isIntegerLike else { return nil }
        return Int32(bitPattern: UInt32(truncatingIfNeeded: word0 >> 24) ^ 0x8000_0000)
    }

    /// The array index that this key stands for: `0` or digits without a leading zero, else nil.
    public var arrayIndex: Int? {
        guard let value = integerValue, value >= 0, !isNegative else { return nil }
        let index = Int(value)
        return self == Key(index: index) ? index : nil
    }

    private var isNegative: Bool {
        (word0 & 0xFF) == 0
    }

    private var integerByteCount: Int {
        Int((word0 >> 8) & 0xFFFF)
    }

    init(integer value: Int32, byteCount: Int, isNegative: Bool) {
        let biased = UInt64(UInt32(bitPattern: value) ^ 0x8000_0000)
        word0 = biased << 24 | UInt64(byteCount) << 8 | (isNegative ? 0 : 1)
        word1 = 0
        word2 = 0
        spill = nil
    }

    /// Wraps any text for the sake of its place in the order; a query bound may be one that is no valid
    /// key.
    init(ordering bytes: UnsafeRawBufferPointer) {
        if let integer = Key.parseInteger(bytes) {
            self = integer
            return
        }
        guard let first = bytes.first, first >= 0x20 else {
            // Before every text key and after every integer: no valid key lies between.
            word0 = 1 << 56
            word1 = 0
            word2 = 0
            spill = nil
            return
        }
        word0 = Key.word(bytes, at: 0)
        word1 = Key.word(bytes, at: 8)
        word2 = Key.word(bytes, at: 16)
        let fits = bytes.count <= Key.inlineByteCount && !bytes.contains(0)
        spill = fits ? nil : KeySpill(bytes.map(Key.mapped))
    }

    /// Wraps text of a key that stood in canonical text between quotes; nil if it must be looked at more
    /// closely: if it is long, may be an integer or has escapes.
    @inline(__always)
    init?(plain raw: UnsafeRawBufferPointer) {
        guard (2...Key.inlineByteCount).contains(raw.count), !Key.isDigit(raw[0]), !Key.isDigit(raw[1]) else {
            return nil
        }
        let words = (Key.word(raw, at: 0), Key.word(raw, at: 8), Key.word(raw, at: 16))
        let marks = Key.backslashes(words.0) | Key.backslashes(words.1) | Key.backslashes(words.2)
        guard marks == 0 else { return nil }
        self.init(word0: words.0, word1: words.1, word2: words.2, spill: nil)
    }

    /// Not zero if there is a backslash in the word.
    private static func backslashes(_ word: UInt64) -> UInt64 {
        let others = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080
    }

    /// Eight bytes from `start` on, order-mapped, big-endian; zeros stand after the end.
    static func word(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt64 {
        let count = bytes.count - start
        guard count > 0 else { return 0 }
        var word: UInt64 = 0
        if count >= 8 {
            word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        } else if bytes.count >= 8 {
            // The last eight bytes, of which the first ones lie before the start.
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            word = UInt64(bigEndian: last) << UInt64(64 - 8 * count)
        } else {
            for offset in 0..<count { word = word << 8 | UInt64(bytes[offset]) }
            word <<= UInt64(64 - 8 * count)
        }
        return word & 0x8080_8080_8080_8080 == 0 ? word : mapped(word)
    }

    private static func mapped(_ word: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for shift in [56, 48, 40, 32, 24, 16, 8, 0] as [UInt64] {
            result = result << 8 | UInt64(mapped(UInt8(truncatingIfNeeded: word >> shift)))
        }
        return result
    }

    static func mapped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0xEE: 0xF5
        case 0xEF: 0xF6
        default: byte
        }
    }

    static func unmapped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0xF5: 0xEE
        case 0xF6: 0xEF
        default: byte
        }
    }

    /// `-?0*[0-9]{1,10}` within 32 bits.
    private static func parseInteger(_ bytes: UnsafeRawBufferPointer) -> Key? {
        guard let first = bytes.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        guard isNegative || isDigit(first) else { return nil }
        let start = isNegative ? 1 : 0
        guard start < bytes.count, bytes.count <= 0xFFFF else { return nil }
        var value: Int64 = 0
        for offset in start..<bytes.count {
            let byte = bytes[offset]
            guard isDigit(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            guard value <= 2_147_483_648 else { return nil }
        }
        let signed = isNegative ? -value : value
        guard let exact = Int32(exactly: signed) else { return nil }
        return Key(integer: exact, byteCount: bytes.count, isNegative: isNegative)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}

extension Key {
    /// The key as it is written.
    public var text: String {
        withUTF8 { String(decoding: $0, as: UTF8.self) }
    }

    /// The number of bytes of the key's UTF-8. O(1).
    public var byteCount: Int {
        if isIntegerLike { return integerByteCount }
        if let spill { return spill.bytes.count }
        if word2 != 0 { return 24 - word2.trailingZeroBitCount / 8 }
        if word1 != 0 { return 16 - word1.trailingZeroBitCount / 8 }
        return 8 - word0.trailingZeroBitCount / 8
    }

    /// The key's UTF-8.
    public var utf8Bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Key.inlineByteCount)
        appendUTF8(to: &bytes)
        return bytes
    }

    /// Calls `body` with the key's UTF-8, which must not be kept. No allocation for plain keys.
    @inline(__always)
    func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let isPlain = spill == nil && !isIntegerLike && (word0 | word1 | word2) & 0x8080_8080_8080_8080 == 0
        guard isPlain else {
            return isIntegerLike ? withInteger(body) : utf8Bytes.withUnsafeBytes(body)
        }
        return withUnsafeBytes(of: (word0.bigEndian, word1.bigEndian, word2.bigEndian)) { all in
            body(UnsafeRawBufferPointer(rebasing: all.prefix(byteCount)))
        }
    }

    /// The key's UTF-8 as it would lie in memory, zeros behind it; nil for keys that are not kept so: long
    /// ones, numbers, and those beyond ASCII.
    public var plainBytes: (UInt64, UInt64, UInt64)? {
        guard spill == nil, !isIntegerLike, (word0 | word1 | word2) & 0x8080_8080_8080_8080 == 0 else {
            return nil
        }
        return (word0.bigEndian, word1.bigEndian, word2.bigEndian)
    }

    /// Appends the key's UTF-8 to `bytes`, unescaped.
    public func appendUTF8(to bytes: inout [UInt8]) {
        if isIntegerLike {
            appendInteger(to: &bytes)
        } else if let spill {
            bytes.append(contentsOf: spill.bytes.lazy.map(Key.unmapped))
        } else {
            let words = (word0.bigEndian, word1.bigEndian, word2.bigEndian)
            let isASCII = (word0 | word1 | word2) & 0x8080_8080_8080_8080 == 0
            withUnsafeBytes(of: words) { all in
                let text = UnsafeRawBufferPointer(rebasing: all.prefix(byteCount))
                if isASCII {
                    bytes.append(contentsOf: text)
                } else {
                    bytes.append(contentsOf: text.lazy.map(Key.unmapped))
                }
            }
        }
    }

    private func appendInteger(to bytes: inout [UInt8]) {
        withInteger { bytes.append(contentsOf: $0) }
    }

    /// Calls `body` with the text of an integer-like key, which must not be kept.
    private func withInteger<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: integerByteCount, alignment: 1) { room in
            var rest = integerValue?.magnitude ?? 0
            for index in room.indices.reversed() {
                room[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            if isNegative { room[0] = UInt8(ascii: "-") }
            return body(UnsafeRawBufferPointer(room))
        }
    }
}

extension Key: CustomStringConvertible {
    /// The key as it is written.
    public var description: String { text }
}
