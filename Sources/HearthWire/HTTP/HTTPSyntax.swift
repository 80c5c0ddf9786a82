// Character classes and byte searches that the parsers of requests, responses and bodies share.

extension UInt8 {
    /// `tchar` of RFC 9110: what methods and header names are made of. Two words of bits, one per character.
    var isTokenCharacter: Bool {
        let bits: UInt64 = self < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
        return self < 128 && (bits >> UInt64(self & 63)) & 1 == 1
    }

    var isDigit: Bool { self &- 0x30 < 10 }

    /// The value of a hexadecimal digit in either case, or nil.
    var hexDigitValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// ASCII upper-case letters in lower case, everything else unchanged.
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// White space that may stand around header values.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension UnsafeRawBufferPointer {
    /// Returns the index of the first line feed at or after `start`, looking at eight bytes at a time.
    func lineFeed(from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ 0x0a0a_0a0a_0a0a_0a0a
            let hit = (word &- ones) & ~word & 0x8080_8080_8080_8080
            if hit != 0 { return index &+ (hit.trailingZeroBitCount >> 3) }
            index &+= 8
        }
        while index < count {
            if self[index] == 0x0a { return index }
            index &+= 1
        }
        return nil
    }

    /// Whether a byte of `range` is a control character other than the horizontal tab.
    func hasControl(in range: Range<Int>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = range.lowerBound
        while index &+ 8 <= range.upperBound {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let deletes = word ^ (ones &* 0x7f)
            let low = (word &- ones &* 0x20) & ~word
            if (low | ((deletes &- ones) & ~deletes)) & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 8
        }
        while index < range.upperBound {
            let byte = self[index]
            if byte < 0x20 && byte != 0x09 || byte == 0x7f { return true }
            index &+= 1
        }
        return false
    }

    /// `range` without the blanks at its ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper && self[lower].isBlank { lower &+= 1 }
        while lower < upper && self[upper &- 1].isBlank { upper &-= 1 }
        return lower..<upper
    }

    /// Whether the bytes of `range` are those of `name`, which is in lower case, in any case.
    func equals(_ name: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        let expected = name.utf8Start
        for index in 0..<range.count where self[range.lowerBound &+ index].lowercased != expected[index] {
            return false
        }
        return true
    }

    /// The value of 1…18 decimal digits, or nil.
    func decimal(in range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count <= 18 else { return nil }
        var value = 0
        for index in range {
            guard self[index].isDigit else { return nil }
            value = value &* 10 &+ Int(self[index] &- 0x30)
        }
        return value
    }
}
