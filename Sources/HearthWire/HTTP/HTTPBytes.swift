// Appending text and numbers to output bytes without making strings.

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number that is not negative in decimal digits.
    mutating func append(decimal value: Int) {
        precondition(value >= 0, "a length or status is not negative")
        if value >= 10 { append(decimal: value / 10) }
        append(UInt8(truncatingIfNeeded: 0x30 &+ value % 10))
    }

    /// Appends a number that is not negative in hexadecimal digits.
    mutating func append(hexadecimal value: Int) {
        precondition(value >= 0, "a length is not negative")
        if value >= 16 { append(hexadecimal: value >> 4) }
        let digit = UInt8(truncatingIfNeeded: value & 15)
        append(digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
    }

    /// Appends a number below 100 with two digits.
    mutating func append(twoDigits value: Int) {
        append(UInt8(truncatingIfNeeded: 0x30 &+ value / 10 % 10))
        append(UInt8(truncatingIfNeeded: 0x30 &+ value % 10))
    }
}
