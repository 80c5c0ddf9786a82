// Text that arrives in pieces, checked as it comes.

/// Checks that bytes are UTF-8, piece after piece; a character may be cut anywhere.
///
/// Table 3-7 of the Unicode standard: overlong forms, surrogates and anything beyond U+10FFFF are refused at
/// the first byte that cannot be right.
struct UTF8Check: Sendable {
    /// Bytes that the character at the end of the last piece still lacks.
    private var lacking: UInt8 = 0
    /// Within what the next one of them must be.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the bytes so far end with a whole character.
    var isComplete: Bool { lacking == 0 }

    /// Takes the next bytes; false once a byte is wrong.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at < bytes.count {
            if lacking == 0 {
                at = UTF8Check.endOfASCII(in: bytes, from: at)
                guard at < bytes.count else { return true }
            }
            guard take(bytes[at]) else { return false }
            at &+= 1
        }
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        if lacking == 0 { return begin(byte) }
        guard byte >= lowest, byte <= highest else { return false }
        lacking &-= 1
        lowest = 0x80
        highest = 0xBF
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: lacking = 1
        case 0xE0: (lacking, lowest) = (2, 0xA0)
        case 0xED: (lacking, highest) = (2, 0x9F)
        case 0xE1...0xEF: lacking = 2
        case 0xF0: (lacking, lowest) = (3, 0x90)
        case 0xF1...0xF3: lacking = 3
        case 0xF4: (lacking, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// The first byte beyond ASCII at or after `start`, looking at eight at a time.
    private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = start
        while at &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            at &+= 8
        }
        while at < bytes.count, bytes[at] < 0x80 { at &+= 1 }
        return at
    }
}
