// Keys and strings of a small object.
import HearthJSON

extension RecordScan {
    /// Printable ASCII without `"`, `\` and what keys must not have: the bytes up to 63, and up to 127.
    private static let keyBytes: (UInt64, UInt64) = {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in UInt8(0x20)..<0x7F where !"\"\\.$#[]/".utf8.contains(byte) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        return (low, high)
    }()

    /// Reads a key, whose quote comes next, if the last record had the same one at this place; returns the
    /// word of its member.
    @inline(__always)
    mutating func readKnownKey() -> UInt64? {
        let place = memberCount
        guard place < RecordScan.shapeCount, at &+ 9 <= buffer.count, !isFull else { return nil }
        let word = buffer.loadUnaligned(fromByteOffset: at &+ 1, as: UInt64.self)
        let text = room.shape[place]
        let byteCount = 8 &- text.leadingZeroBitCount >> 3
        guard text != 0, RecordScan.beginning(UInt64(littleEndian: word), byteCount) == text else {
            return nil
        }
        put(UInt8(ascii: "\""))
        room.output.storeBytes(of: word, toByteOffset: count, as: UInt64.self)
        count &+= byteCount
        at &+= byteCount &+ 1
        return room.shape[RecordScan.shapeCount &+ place]
    }

    /// The first bytes of a word, at least one.
    @inline(__always)
    private static func beginning(_ word: UInt64, _ byteCount: Int) -> UInt64 {
        word & (UInt64.max >> UInt64(64 &- 8 &* byteCount))
    }

    /// Keeps a key of the output for `readKnownKey`, if it is short.
    private mutating func learn(_ key: UnsafeRawBufferPointer, _ word: UInt64) {
        let place = memberCount
        let isASCII = word & 0x8080_8080_8080_8080 == 0
        guard place < RecordScan.shapeCount, key.count < 8, isASCII, limits.keyBytes >= 8 else {
            return
        }
        var text = UInt64(UInt8(ascii: "\""))
        for byte in key.reversed() { text = text << 8 | UInt64(byte) }
        room.shape[place] = text
        room.shape[RecordScan.shapeCount &+ place] = word
    }

    /// Reads a key, whose quote comes next; returns the word of its member.
    mutating func readKey() -> UInt64? {
        let (low, high) = RecordScan.keyBytes
        let first = count &+ 1
        put(UInt8(ascii: "\""))
        at &+= 1
        let start = at
        var escapes = 0
        while at < buffer.count, !isFull {
            let byte = buffer[at]
            if byte < 128, (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1 {
                put(byte)
                at &+= 1
                continue
            }
            guard byte != UInt8(ascii: "\"") else { break }
            if byte == UInt8(ascii: "\\") {
                guard at &+ 1 < buffer.count, isOneOfBoth(buffer[at &+ 1]) else { return nil }
                escapes &+= 1
            } else if byte < 128 {
                return nil
            }
            guard readSpecial(byte) else { return nil }
        }
        guard at < buffer.count, buffer[at] == UInt8(ascii: "\""), at > start,
            at &- start &- escapes <= min(Key.byteLimit, limits.keyBytes)
        else { return nil }
        let key = UnsafeRawBufferPointer(start: room.output + first, count: count &- first)
        put(UInt8(ascii: "\""))
        at &+= 1
        guard escapes == 0, key[0] > UInt8(ascii: "9") else { return 0 }
        let word = Key.word(key, at: 0)
        learn(key, word)
        return word
    }

    /// A quote or a backslash, the only characters of keys that are escaped.
    private func isOneOfBoth(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Reads a string, whose quote comes next.
    mutating func readString() -> Bool {
        put(UInt8(ascii: "\""))
        at &+= 1
        let start = at
        while at < buffer.count, !isFull {
            if at &+ 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                room.output.storeBytes(of: word, toByteOffset: count, as: UInt64.self)
                let marks = RecordScan.specialMarks(UInt64(littleEndian: word))
                let plain = marks == 0 ? 8 : marks.trailingZeroBitCount >> 3
                at &+= plain
                count &+= plain
                if marks == 0 { continue }
            }
            let byte = buffer[at]
            if byte == UInt8(ascii: "\"") {
                guard at &- start <= limits.stringBytes else { return false }
                put(byte)
                at &+= 1
                return true
            }
            guard readSpecial(byte) else { return false }
        }
        return false
    }

    /// Sets the top bit of the first byte that is a quote, a backslash, a control character or no ASCII;
    /// later ones may be marked wrongly.
    @inline(__always)
    private static func specialMarks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let quoteMarks = (quotes &- ones) & ~quotes
        let backslashMarks = (backslashes &- ones) & ~backslashes
        let controlMarks = (word &- 0x2020_2020_2020_2020) & ~word
        return (quoteMarks | backslashMarks | controlMarks | word) & 0x8080_8080_8080_8080
    }

    /// Reads one character of a string: an escape that is short or stands for itself, or one beyond ASCII.
    private mutating func readSpecial(_ byte: UInt8) -> Bool {
        if byte >= 0x80 {
            guard let length = JSONText.characterByteCount(at: at, in: buffer) else { return false }
            for index in 0..<length { put(buffer[at &+ index]) }
            at &+= length
            stretch.continuations &+= length &- 1
            return true
        }
        guard byte >= 0x20 else { return false }
        guard byte == UInt8(ascii: "\\") else {
            put(byte)
            at &+= 1
            return true
        }
        guard at &+ 1 < buffer.count else { return false }
        let escaped = buffer[at &+ 1]
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "n"), UInt8(ascii: "t"),
            UInt8(ascii: "r"),
            UInt8(ascii: "b"), UInt8(ascii: "f"):
            put(byte)
            put(escaped)
        case UInt8(ascii: "/"): put(escaped)
        case UInt8(ascii: "u"): return readControl()
        default: return false
        }
        at &+= 2
        return true
    }

    /// Reads the escape of a control character that has no shorter one, if it is written as we write it.
    private mutating func readControl() -> Bool {
        guard at &+ 6 <= buffer.count, buffer[at &+ 2] == UInt8(ascii: "0"),
            buffer[at &+ 3] == UInt8(ascii: "0"), buffer[at &+ 4] &- UInt8(ascii: "0") < 2
        else { return false }
        let low: UInt8
        switch buffer[at &+ 5] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): low = buffer[at &+ 5] &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): low = buffer[at &+ 5] &- UInt8(ascii: "a") &+ 10
        default: return false
        }
        switch (buffer[at &+ 4] &- UInt8(ascii: "0")) << 4 | low {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D: return false
        default: break
        }
        for index in 0..<6 { put(buffer[at &+ index]) }
        at &+= 6
        return true
    }
}
