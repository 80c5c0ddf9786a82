// Bytes as text of 64 letters, in both alphabets of RFC 4648.

/// An alphabet of RFC 4648 with its rule about padding.
///
///     bytes   │ 0 1 0 0 1 1 0 1│0 1 1 0 0 0 0 1│0 1 1 0 1 1 1 0 │     "Man"
///     letters │ 0 1 0 0 1 1│0 1 0 1 1 0│0 0 0 1 0 1│1 0 1 1 1 0 │     "TWFu"
///
/// One byte left over gives two letters, two give three; the unused bits of the last letter are zero.
public enum Base64: Sendable {
    /// `+` and `/`, filled up with `=` to a multiple of four letters (section 4).
    case standard
    /// `-` and `_`, never padded (section 5), as in tokens and addresses.
    case url

    /// Returns the one text that stands for `bytes`.
    public func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        bytes.withUnsafeBytes { encode($0, appendingTo: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the letters that stand for `bytes` to `text`.
    public func encode(_ bytes: UnsafeRawBufferPointer, appendingTo text: inout [UInt8]) {
        let padded = (bytes.count + 2) / 3 * 4
        let end = text.count + padded
        text.reserveCapacity(end)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = Base64.group(of: bytes, at: start)
            let letterCount = min(3, bytes.count - start) + 1
            for position in 0..<letterCount { text.append(letter(group >> (18 - 6 * UInt32(position)))) }
        }
        while self == .standard && text.count < end { text.append(UInt8(ascii: "=")) }
    }

    private func letter(_ bits: UInt32) -> UInt8 {
        let index = Int(bits & 63)
        return self == .standard ? Base64.standardLetters[index] : Base64.urlLetters[index]
    }

    /// Returns the bytes that `text` stands for.
    ///
    /// - Throws: `Base64Error` for a letter of no or of the other alphabet (white space too), for a length
    ///   that no bytes have, for padding that is missing or not allowed, and for unused bits that are not
    ///   zero: two texts never stand for the same bytes.
    public func decode(_ text: String) throws(Base64Error) -> [UInt8] {
        let letters = try unpadded(Array(text.utf8))
        guard letters.count % 4 != 1 else { throw .impossibleLength(letterCount: letters.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for (offset, letter) in letters.enumerated() {
            guard let value = value(of: letter) else { throw .foreignCharacter(byteOffset: offset) }
            pending = pending << 6 | value
            pendingBits += 6
            guard pendingBits >= 8 else { continue }
            pendingBits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
            pending &= (1 << pendingBits) - 1
        }
        guard pending == 0 else { throw .strayBits }
        return bytes
    }

    /// Checks and drops the padding, where this alphabet has any.
    private func unpadded(_ text: [UInt8]) throws(Base64Error) -> ArraySlice<UInt8> {
        guard self == .standard else { return text[...] }
        guard text.count % 4 == 0 else { throw .impossibleLength(letterCount: text.count) }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return text.dropLast(padding)
    }

    private func value(of letter: UInt8) -> UInt32? {
        switch (letter, self) {
        case (UInt8(ascii: "A")...UInt8(ascii: "Z"), _): UInt32(letter - UInt8(ascii: "A"))
        case (UInt8(ascii: "a")...UInt8(ascii: "z"), _): UInt32(letter - UInt8(ascii: "a")) + 26
        case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): UInt32(letter - UInt8(ascii: "0")) + 52
        case (UInt8(ascii: "+"), .standard), (UInt8(ascii: "-"), .url): 62
        case (UInt8(ascii: "/"), .standard), (UInt8(ascii: "_"), .url): 63
        default: nil
        }
    }

    /// Up to three bytes from `start` on, as the upper bits of 24.
    private static func group(of bytes: UnsafeRawBufferPointer, at start: Int) -> UInt32 {
        var group = UInt32(bytes[start]) << 16
        if start + 1 < bytes.count { group |= UInt32(bytes[start + 1]) << 8 }
        if start + 2 < bytes.count { group |= UInt32(bytes[start + 2]) }
        return group
    }

    private static let shared = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standardLetters = Array((shared + "+/").utf8)
    private static let urlLetters = Array((shared + "-_").utf8)
}

/// Why a text is not base64 in the alphabet asked for; it leaves out the text itself, perhaps a secret.
public enum Base64Error: Error, Equatable, CustomStringConvertible {
    /// The byte at this offset is no letter of the alphabet.
    case foreignCharacter(byteOffset: Int)
    /// No bytes have a text of this many letters; the padding may be missing.
    case impossibleLength(letterCount: Int)
    /// The last letter carries bits that belong to no byte.
    case strayBits

    /// One sentence for the person who made the text.
    public var description: String {
        switch self {
        case .foreignCharacter(let offset):
            "the character at byte \(offset) does not belong to this base64 alphabet"
        case .impossibleLength(let count):
            "\(count) characters cannot be base64; the text may be cut off or its padding missing"
        case .strayBits:
            "the last character carries bits beyond the last byte; the text may be cut off"
        }
    }
}
