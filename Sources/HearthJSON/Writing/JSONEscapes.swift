// Which characters of a string are escaped, and how.

/// How strings are put between quotes.
public enum JSONEscapes: Sendable {
    /// What JavaScript's `JSON.stringify` escapes: quote, backslash and control characters below 0x20, in the short
    /// form where there is one, else as `\u00xx`.
    case minimal
    /// U+2028 and U+2029 as well, which are line ends in scripts of older engines: for JSONP and long-poll pages.
    case scriptSafe

    /// Appends `text` with its escapes, without quotes around it.
    ///
    /// - Precondition: `text` is valid UTF-8.
    /// - Complexity: O(n).
    public func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        var start = 0
        while true {
            let end = endOfUnescaped(from: start, in: text)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<end]))
            guard end < text.count else { return }
            start = end + appendEscape(at: end, of: text, to: &bytes)
        }
    }

    /// Returns the first place from `start` on that must be escaped, or the end.
    private func endOfUnescaped(from start: Int, in text: UnsafeRawBufferPointer) -> Int {
        var at = start
        while true {
            at = self == .minimal ? endOfUntouched(from: at, in: text) : endOfPlain(from: at, in: text)
            guard at < text.count, text[at] >= 0x80, !isLineSeparator(at: at, in: text) else { return at }
            at += 1
        }
    }

    private func isLineSeparator(at: Int, in text: UnsafeRawBufferPointer) -> Bool {
        self == .scriptSafe && text[at] == 0xE2 && at + 2 < text.count && text[at + 1] == 0x80
            && text[at + 2] | 1 == 0xA9
    }

    /// Appends the escape for the character at `at` and returns how many bytes it takes in `text`.
    private func appendEscape(
        at: Int, of text: UnsafeRawBufferPointer, to bytes: inout [UInt8]
    ) -> Int {
        bytes.append(.backslash)
        switch text[at] {
        case .quote: bytes.append(.quote)
        case .backslash: bytes.append(.backslash)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0xE2:
            bytes.append(contentsOf: (text[at + 2] == 0xA8 ? "u2028" : "u2029").utf8)
            return 3
        case let byte:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(.zero + byte >> 4)
            let low = byte & 15
            bytes.append(low < 10 ? .zero + low : UInt8(ascii: "a") + low - 10)
        }
        return 1
    }
}

/// Returns the first place from `start` on with a quote, a backslash or a control character, or the end.
private func endOfUntouched(from start: Int, in text: UnsafeRawBufferPointer) -> Int {
    var at = start
    while at &+ 8 <= text.count {
        let special = markSpecial(
            UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
        if special != 0 { return at &+ special.trailingZeroBitCount >> 3 }
        at &+= 8
    }
    while at < text.count, text[at] >= 0x20, text[at] != .quote, text[at] != .backslash { at &+= 1 }
    return at
}
