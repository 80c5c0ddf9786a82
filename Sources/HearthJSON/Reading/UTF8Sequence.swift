// The check of characters beyond ASCII, byte by byte as table 3-7 of the Unicode standard has it.

/// What stands at a byte of 0x80 or more.
enum UTF8Sequence: Equatable {
    /// A character of so many bytes, 2 to 4.
    case length(Int)
    /// The bytes so far are right, but the buffer ends.
    case incomplete
    /// No character begins like this.
    case invalid
}

/// Checks the character that begins at `start`; overlong forms, surrogates and anything beyond U+10FFFF are
/// invalid.
@inline(__always)
func scanUTF8(at start: Int, in bytes: UnsafeRawBufferPointer) -> UTF8Sequence {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[start] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return .invalid
    }
    guard start &+ 1 < bytes.count else { return .incomplete }
    guard second.contains(bytes[start &+ 1]) else { return .invalid }
    var index = 2
    while index < length {
        guard start &+ index < bytes.count else { return .incomplete }
        guard bytes[start &+ index] & 0xC0 == 0x80 else { return .invalid }
        index &+= 1
    }
    return .length(length)
}
