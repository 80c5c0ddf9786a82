// The grammar of numbers, and the way from decimal digits to the nearest double.

/// What stands where a number should.
enum NumberScan {
    /// A whole number; `end` is the place behind it.
    case number(JSONNumber, end: Int)
    /// Right so far, but the buffer ends and more digits may come, or must.
    case incomplete
    /// The byte at `at` is wrong.
    case fault(JSONError.Reason, at: Int)

    /// Reads the number that begins at `start`. In a final buffer a number may end with it.
    init(at start: Int, in bytes: UnsafeRawBufferPointer, isFinal: Bool) {
        var parts = NumberParts(start: start)
        switch parts.read(from: bytes) {
        case .fault(let reason, let at): self = .fault(reason, at: at)
        case .missing: self = bytes.count - start > JSONLimits.numberBytes ? Self.tooLong(start) : .incomplete
        case .complete:
            if parts.end - start > JSONLimits.numberBytes {
                self = Self.tooLong(start)
            } else if parts.end == bytes.count, !isFinal {
                self = .incomplete
            } else if let number = parts.number(in: bytes) {
                self = .number(number, end: parts.end)
            } else {
                self = .fault(.numberOutOfRange, at: start)
            }
        }
    }

    private static func tooLong(_ start: Int) -> NumberScan {
        .fault(.numberTooLong(limit: JSONLimits.numberBytes), at: start)
    }
}

/// A number taken apart: (-1)^isNegative × significand × 10^exponent, as far as 19 digits hold it.
private struct NumberParts {
    enum Outcome {
        case complete
        /// A digit must follow, but the buffer ends.
        case missing
        case fault(JSONError.Reason, at: Int)
    }

    let start: Int
    var end: Int
    var isNegative = false
    var significand: UInt64 = 0
    /// Digits in `significand`, and how many did not fit; zeros in front count for neither.
    var digits = 0
    var lostDigits = 0
    /// The written exponent less the digits after the point, bounded to ±1,000,000 or so.
    var exponent = 0
    var isWhole = true

    init(start: Int) {
        self.start = start
        end = start
    }

    mutating func read(from bytes: UnsafeRawBufferPointer) -> Outcome {
        if end < bytes.count, bytes[end] == .minus {
            isNegative = true
            end &+= 1
        }
        guard end < bytes.count else { return .missing }
        if bytes[end] == .zero {
            end &+= 1
            guard end < bytes.count else { return .complete }
            if bytes[end].isDigit { return .fault(.leadingZero, at: end &- 1) }
        } else {
            guard readDigits(from: bytes) else { return missingDigit(in: bytes) }
        }
        if end < bytes.count, bytes[end] == .point {
            end &+= 1
            isWhole = false
            let first = end
            guard readDigits(from: bytes) else { return missingDigit(in: bytes) }
            exponent = first &- end
        }
        guard end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") else { return .complete }
        return readExponent(from: bytes)
    }

    private mutating func readExponent(from bytes: UnsafeRawBufferPointer) -> Outcome {
        isWhole = false
        end &+= 1
        guard end < bytes.count else { return .missing }
        let isBelowOne = bytes[end] == .minus
        if isBelowOne || bytes[end] == UInt8(ascii: "+") { end &+= 1 }
        let first = end
        var written = 0
        while end < bytes.count, bytes[end].isDigit {
            written = min(written &* 10 &+ Int(bytes[end] &- .zero), 1_000_000)
            end &+= 1
        }
        guard end > first else { return missingDigit(in: bytes) }
        exponent += isBelowOne ? -written : written
        return .complete
    }

    /// Takes in digits; false if there is none.
    private mutating func readDigits(from bytes: UnsafeRawBufferPointer) -> Bool {
        let first = end
        var at = end
        var value = significand
        while at < bytes.count {
            let digit = bytes[at] &- .zero
            guard digit < 10 else { break }
            if digits < 19 {
                value = value &* 10 &+ UInt64(digit)
                if value != 0 { digits &+= 1 }
            } else {
                lostDigits &+= 1
            }
            at &+= 1
        }
        significand = value
        end = at
        return at > first
    }

    private func missingDigit(in bytes: UnsafeRawBufferPointer) -> Outcome {
        guard end < bytes.count else { return .missing }
        return .fault(.unexpected(byte: bytes[end], expected: .digit), at: end)
    }

    /// The number, or nil if it is beyond the range of a double.
    func number(in bytes: UnsafeRawBufferPointer) -> JSONNumber? {
        if isWhole, lostDigits == 0, let value = integer { return .integer(value) }
        if significand == 0 { return .double(0) }
        if lostDigits == 0, let value = exactDouble { return .double(value) }
        let value = roundedDouble(in: bytes)
        guard value.isFinite else { return nil }
        return .double(value == 0 ? 0 : value)
    }

    private var integer: Int64? {
        guard isNegative else { return Int64(exactly: significand) }
        guard significand <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- significand)
    }

    /// The nearest double where one multiplication or division of two exact doubles gives it (Clinger 1990).
    private var exactDouble: Double? {
        guard significand <= 1 << 53, exponent >= -22, exponent <= 22 else { return nil }
        let whole = Double(significand)
        let value = exponent < 0 ? whole / powersOfTen[-exponent] : whole * powersOfTen[exponent]
        return isNegative ? -value : value
    }

    /// The nearest double for any digits; infinite beyond the range.
    private func roundedDouble(in bytes: UnsafeRawBufferPointer) -> Double {
        let magnitude = exponent + digits + lostDigits
        if magnitude > 400 { return .infinity }
        if magnitude < -400 { return 0 }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard let value = Double(text) else {
            preconditionFailure("a number by JSON's grammar is one by Swift's")
        }
        return value
    }
}

/// 10^0 to 10^22, all of them exact doubles.
private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
]
