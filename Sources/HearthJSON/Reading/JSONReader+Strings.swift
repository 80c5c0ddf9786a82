// Strings: the end is looked for eight bytes at a time, and everything but plain ASCII is checked on the way.

extension JSONReader {
    /// How far a string was read whose end has not arrived, so that no byte of a long one is looked at twice.
    struct StringProgress: Sendable {
        /// Bytes read, the opening quote included.
        var scanned = 1
        /// UTF-8 continuation bytes among them, which are no columns of their own.
        var continuations = 0
        /// Bytes that the escapes among them take more than the characters they stand for.
        var surplus = 0
        var hasEscapes = false
    }

    /// Reads the string whose quote stands at `quote`; nil if the buffer ends before it does.
    mutating func readString(
        at quote: Int, in buffer: UnsafeRawBufferPointer, isKey: Bool
    ) throws(JSONError) -> JSONText? {
        let end = endOfPlain(from: quote &+ progress.scanned, in: buffer)
        let limit = isKey ? limits.keyBytes : limits.stringBytes
        if progress.scanned == 1, end < buffer.count, buffer[end] == .quote, end &- quote &- 1 <= limit {
            consumed = end &+ 1
            return JSONText(range: quote &+ 1..<end, hasEscapes: false)
        }
        return try readOtherString(at: quote, from: end, in: buffer, isKey: isKey)
    }

    /// Goes on at `at` with a string that is not plain ASCII or has not ended yet.
    private mutating func readOtherString(
        at quote: Int, from start: Int, in buffer: UnsafeRawBufferPointer, isKey: Bool
    ) throws(JSONError) -> JSONText? {
        var progress = self.progress
        var at = start
        while true {
            at = endOfPlain(from: at, in: buffer)
            guard at < buffer.count else { break }
            let byte = buffer[at]
            if byte == .quote {
                try checkLength(upTo: at, from: quote, progress, isKey: isKey)
                self.progress = StringProgress()
                position.continuations &+= progress.continuations
                consumed = at &+ 1
                return JSONText(range: quote &+ 1..<at, hasEscapes: progress.hasEscapes)
            }
            let length = try readSpecial(byte, at: at, in: buffer, &progress)
            guard length > 0 else { break }
            at &+= length
        }
        try checkLength(upTo: at, from: quote, progress, isKey: isKey)
        progress.scanned = at - quote
        self.progress = progress
        return nil
    }

    /// Reads an escape or a character beyond ASCII and returns its bytes; 0 if the buffer ends before it
    /// does.
    private func readSpecial(
        _ byte: UInt8, at: Int, in buffer: UnsafeRawBufferPointer, _ progress: inout StringProgress
    ) throws(JSONError) -> Int {
        if byte >= 0x80 {
            switch scanUTF8(at: at, in: buffer) {
            case .length(let length):
                progress.continuations &+= length &- 1
                return length
            case .incomplete: return 0
            case .invalid: throw fault(.invalidUTF8, at: at, after: progress.continuations)
            }
        }
        guard byte == .backslash else {
            throw fault(.controlCharacter(byte: byte), at: at, after: progress.continuations)
        }
        switch scanEscape(at: at, in: buffer) {
        case .scalar(let scalar, let length):
            progress.hasEscapes = true
            progress.surplus &+= length &- UTF8.width(scalar)
            return length
        case .incomplete: return 0
        case .fault(let reason, let place): throw fault(reason, at: place, after: progress.continuations)
        }
    }

    private func checkLength(
        upTo end: Int, from quote: Int, _ progress: StringProgress, isKey: Bool
    ) throws(JSONError) {
        let limit = isKey ? limits.keyBytes : limits.stringBytes
        guard end &- quote &- 1 &- progress.surplus > limit else { return }
        throw fault(isKey ? .keyTooLong(limit: limit) : .stringTooLong(limit: limit), at: quote)
    }
}

/// Returns the first place from `start` on that holds a quote, a backslash, a control character or a byte
/// of a character beyond ASCII, or the end of the buffer.
@inline(__always)
func endOfPlain(from start: Int, in buffer: UnsafeRawBufferPointer) -> Int {
    var at = start
    while at &+ 8 <= buffer.count {
        let word = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let special = markSpecial(word) | (word & 0x8080_8080_8080_8080)
        if special != 0 { return at &+ special.trailingZeroBitCount >> 3 }
        at &+= 8
    }
    while at < buffer.count, isPlain(buffer[at]) { at &+= 1 }
    return at
}

/// Sets the top bit of each byte of `word` that is a quote, a backslash or below 0x20. Bytes above (later
/// than) a marked one may be marked wrongly, so only the lowest mark counts.
@inline(__always)
func markSpecial(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let quoteMarks = (quotes &- ones) & ~quotes
    let backslashMarks = (backslashes &- ones) & ~backslashes
    let controlMarks = (word &- 0x2020_2020_2020_2020) & ~word
    return (quoteMarks | backslashMarks | controlMarks) & 0x8080_8080_8080_8080
}

@inline(__always)
private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != .quote && byte != .backslash
}
