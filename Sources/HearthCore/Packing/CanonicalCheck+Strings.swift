// The inside of strings and keys, sixteen bytes at a time where they are plain ASCII.
import HearthJSON

extension CanonicalCheck {
    /// Reads the string whose quote comes next.
    mutating func string() -> Bool {
        at &+= 1
        let start = at
        while true {
            at = endOfPlain(from: at)
            guard at < end else { return false }
            let byte = byte(at)
            if byte == UInt8(ascii: "\"") {
                guard at &- start <= limits.stringBytes else { return false }
                at &+= 1
                return true
            }
            guard at < stop, byte == UInt8(ascii: "\\") ? escape() : character(byte) else { return false }
        }
    }

    /// Reads a character beyond ASCII.
    @inline(__always)
    private mutating func character(_ byte: UInt8) -> Bool {
        guard byte >= 0x80, let length = characterByteCount(at: at) else { return false }
        at &+= length
        return true
    }

    /// How many bytes the character beyond ASCII has that begins at `place`; nil if it is none.
    ///
    /// Without a branch that depends on what character it is: texts mix them.
    @inline(__always)
    mutating func characterByteCount(at place: Int) -> Int? {
        guard place &+ 4 <= end else { return lastCharacterByteCount(at: place) }
        let bytes = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        // As many bytes as the first one has ones in front.
        let count = (~UInt8(truncatingIfNeeded: bytes)).leadingZeroBitCount
        guard 2...4 ~= count else { return nil }
        let size = UInt32.max >> UInt32(truncatingIfNeeded: 32 &- 8 &* count)
        let front = bytes << 8 & 0xFF00 | bytes >> 8 & 0xFF
        // What begins lower could be written in fewer bytes.
        let bounds = UInt64(0xF090_E0A0_C280) >> UInt64(truncatingIfNeeded: 16 &* (count &- 2))
        let least = UInt32(truncatingIfNeeded: bounds & 0xFFFF)
        let goesOn = bytes & size & 0xC0C0_C000 == size & 0x8080_8000
        guard goesOn, front >= least, front <= 0xF48F, front & 0xFFE0 != 0xEDA0 else { return nil }
        continuations &+= count &- 1
        return count
    }

    private mutating func lastCharacterByteCount(at place: Int) -> Int? {
        let buffer = UnsafeRawBufferPointer(start: text, count: end)
        guard let length = JSONText.characterByteCount(at: place, in: buffer) else { return nil }
        continuations &+= length &- 1
        return length
    }

    /// Reads an escape, if it is the one that we write.
    private mutating func escape() -> Bool {
        guard at &+ 1 < end else { return false }
        switch byte(at &+ 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "n"), UInt8(ascii: "t"),
            UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
            at &+= 2
            return true
        case UInt8(ascii: "u"): return control()
        default: return false
        }
    }

    /// Reads the escape of a control character that has no shorter one.
    private mutating func control() -> Bool {
        guard at &+ 6 <= end, byte(at &+ 2) == UInt8(ascii: "0"), byte(at &+ 3) == UInt8(ascii: "0") else {
            return false
        }
        let high = byte(at &+ 4) &- UInt8(ascii: "0")
        let low: UInt8
        switch byte(at &+ 5) {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): low = byte(at &+ 5) &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): low = byte(at &+ 5) &- UInt8(ascii: "a") &+ 10
        default: return false
        }
        guard high < 2 else { return false }
        switch high << 4 | low {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D: return false
        default: break
        }
        at &+= 6
        return true
    }

    /// The first place from `start` on that holds a quote, a backslash, a control character or a byte beyond
    /// ASCII; any place after `stop` if there is none before.
    @inline(__always)
    private func endOfPlain(from start: Int) -> Int {
        var place = start
        while place &+ 16 <= end, place < stop {
            let bytes = text.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
            let quotes = equal(bytes, 0x22) | equal(bytes, 0x5C)
            let plain = CanonicalCheck.firstMark(quotes | (bytes &- Self.all(0x20)) | bytes)
            place &+= plain
            if plain < 16 { return place }
        }
        while place < end, place < stop {
            let byte = byte(place)
            guard byte >= 0x20, byte < 0x80, byte != 0x22, byte != 0x5C else { return place }
            place &+= 1
        }
        return place
    }

    /// The first place from `start` on that holds what keys must not have, a quote, a backslash or a byte
    /// beyond ASCII; or the end.
    @inline(__always)
    func endOfPlainKey(from start: Int) -> Int {
        var place = start
        while place &+ 16 <= end {
            let bytes = text.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
            // " and #, $, . and /, [, \ and ], delete, control characters and all beyond ASCII.
            let even = bytes & Self.all(0xFE)
            let low = equal(even, 0x22) | equal(bytes, 0x24) | equal(even, 0x2E)
            let high = equal(bytes, 0x5B) | equal(even, 0x5C) | equal(bytes, 0x7F)
            let plain = CanonicalCheck.firstMark(low | high | (bytes &- Self.all(0x20)) | bytes)
            place &+= plain
            if plain < 16 { return place }
        }
        while place < end {
            switch byte(place) {
            case 0x22...0x24, 0x2E, 0x2F, 0x5B...0x5D, 0x7F...0xFF, 0..<0x20: return place
            default: place &+= 1
            }
        }
        return place
    }

    @inline(__always)
    private static func all(_ byte: UInt8) -> SIMD16<UInt8> { SIMD16(repeating: byte) }

    /// Sets the top bit of each byte that is `byte`; those of bytes beyond ASCII mean nothing. By arithmetic,
    /// since the compiler compares vectors one byte after the other.
    @inline(__always)
    private func equal(_ bytes: SIMD16<UInt8>, _ byte: UInt8) -> SIMD16<UInt8> {
        (bytes ^ Self.all(byte)) &- Self.all(1)
    }

    /// The first byte whose top bit is set, 16 if none has it.
    @inline(__always)
    private static func firstMark(_ marks: SIMD16<UInt8>) -> Int {
        let halves = unsafeBitCast(marks, to: SIMD2<UInt64>.self)
        let low = topBits(UInt64(littleEndian: halves[0]))
        let high = topBits(UInt64(littleEndian: halves[1]))
        // One more bit, so that there is one.
        return (low | high << 8 | 1 << 16).trailingZeroBitCount
    }

    /// The top bits of eight bytes, side by side.
    @inline(__always)
    private static func topBits(_ word: UInt64) -> UInt64 {
        ((word & 0x8080_8080_8080_8080) >> 7 &* 0x0102_0408_1020_4080) >> 56
    }
}
