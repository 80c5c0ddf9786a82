// Which characters of a string are escaped, and how.

/// How strings are put between quotes.
public enum JSONEscapes: Sendable {
    /// What JavaScript's `JSON.stringify` escapes: quote, backslash and control characters below 0x20, in
    /// the short form where there is one, else as `\u00xx`.
    case minimal
    /// U+2028 and U+2029 as well, which are line ends in scripts of older engines: for JSONP and long-poll
    /// pages.
    case scriptSafe

    /// Appends `text` with its escapes, without quotes around it.
    ///
    /// - Precondition: `text` is valid UTF-8.
    /// - Complexity: O(n).
    public func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        var at = 0
        while at < text.count {
            let end = min(at + Self.stretch, text.count)
            bytes.append(atMost: Self.longest * (end - at) + 8) { write(text, from: &at, upTo: end, to: $0) }
        }
    }

    /// Bytes that are escaped in one go: room is made for all of them becoming escapes.
    static let stretch = 1_024
    /// Bytes of the longest escape.
    static let longest = 6

    /// Writes the text from `at` to `end` to `start`, where there is room for `longest` bytes for each of
    /// them and 8 more, and returns how many were written. A character across `end` may be taken as well.
    @inline(__always)
    func write(
        _ text: UnsafeRawBufferPointer, from at: inout Int, upTo end: Int, to start: UnsafeMutableRawPointer
    ) -> Int {
        let beyondASCII: UInt64 = self == .minimal ? 0 : 0x8080_8080_8080_8080
        var written = 0
        while at < end {
            if at &+ 8 <= end {
                let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                start.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
                let special = markSpecial(word) | (word & beyondASCII)
                let plain = special == 0 ? 8 : special.trailingZeroBitCount >> 3
                at &+= plain
                written &+= plain
                if special == 0 { continue }
            }
            written &+= writeOne(text, at: &at, to: start + written)
        }
        return written
    }

    /// Writes the byte at `at`, or the escape for the character there, and returns how many bytes were
    /// written.
    private func writeOne(
        _ text: UnsafeRawBufferPointer, at: inout Int, to start: UnsafeMutableRawPointer
    ) -> Int {
        let byte = text[at]
        defer { at &+= 1 }
        let short: UInt8
        switch byte {
        case .quote, .backslash: short = byte
        case 0x08: short = UInt8(ascii: "b")
        case 0x09: short = UInt8(ascii: "t")
        case 0x0A: short = UInt8(ascii: "n")
        case 0x0C: short = UInt8(ascii: "f")
        case 0x0D: short = UInt8(ascii: "r")
        case 0..<0x20: return writeCodeUnit(UInt32(byte), to: start)
        case 0xE2 where isLineSeparator(at: at, in: text):
            at &+= 2
            return writeCodeUnit(0x2000 | UInt32(text[at] & 0x3F), to: start)
        default:
            start.storeBytes(of: byte, as: UInt8.self)
            return 1
        }
        start.storeBytes(of: .backslash, as: UInt8.self)
        start.storeBytes(of: short, toByteOffset: 1, as: UInt8.self)
        return 2
    }

    private func isLineSeparator(at: Int, in text: UnsafeRawBufferPointer) -> Bool {
        self == .scriptSafe && at + 2 < text.count && text[at + 1] == 0x80 && text[at + 2] | 1 == 0xA9
    }

    private func writeCodeUnit(_ unit: UInt32, to start: UnsafeMutableRawPointer) -> Int {
        start.storeBytes(of: .backslash, as: UInt8.self)
        start.storeBytes(of: UInt8(ascii: "u"), toByteOffset: 1, as: UInt8.self)
        for index in 0..<4 {
            let digit = UInt8(truncatingIfNeeded: unit >> UInt32(12 - 4 * index)) & 15
            let letter = UInt8(ascii: "a") &+ digit &- 10
            start.storeBytes(
                of: digit < 10 ? .zero &+ digit : letter, toByteOffset: 2 + index, as: UInt8.self)
        }
        return 6
    }
}
