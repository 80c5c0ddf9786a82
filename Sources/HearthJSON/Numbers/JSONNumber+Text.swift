// Numbers as text: integers in decimal, doubles in JavaScript's shortest form.

extension JSONNumber {
    /// Appends `value` in decimal.
    ///
    /// - Complexity: O(1); at most 20 bytes.
    public static func append(_ value: Int64, to bytes: inout [UInt8]) {
        bytes.append(atMost: 20) { start in
            guard value < 0 else { return write(digitsOf: value.magnitude, to: start) }
            start.storeBytes(of: .minus, as: UInt8.self)
            return 1 + write(digitsOf: value.magnitude, to: start + 1)
        }
    }

    /// Appends the shortest text that reads back as `value`, in the form of JavaScript's
    /// `Number.prototype.toString` (ECMA-262, Number::toString): `1` for 1.0, `0` for -0.0, exponents from
    /// 1e21 on and below 1e-6, written `1e+21` and `1e-7`.
    ///
    /// - Precondition: `value` is finite, as JSON has no text for anything else.
    /// - Complexity: O(1); at most 25 bytes.
    public static func append(_ value: Double, to bytes: inout [UInt8]) {
        precondition(value.isFinite, "JSON has no text for \(value)")
        if value.magnitude < 0x1p53 {
            let whole = Int64(value)
            if value == Double(whole) { return append(whole, to: &bytes) }
        }
        if value < 0 { bytes.append(.minus) }
        ShortestDecimal(value.magnitude).append(to: &bytes)
    }

    /// Appends the number as the two functions above do.
    public func append(to bytes: inout [UInt8]) {
        switch self {
        case .integer(let value): Self.append(value, to: &bytes)
        case .double(let value): Self.append(value, to: &bytes)
        }
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as JSON text.
    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// 0.d₁d₂…dₖ × 10^point: the fewest digits that tell a double from its neighbours.
private struct ShortestDecimal {
    /// d₁…dₖ as a number, without zeros at its end.
    private var digits: UInt64 = 0
    private var count = 0
    private var point = 0

    /// Takes the digits from the standard library's description, which are the shortest and, among those, the
    /// closest; only their layout differs from JavaScript's.
    ///
    /// - Precondition: `value` is finite and above zero.
    init(_ value: Double) {
        var exponent = 0
        var isExponent = false, isExponentNegative = false
        var afterPoint = 0
        var isFraction = false
        for byte in value.description.utf8 {
            if isExponent {
                if byte == .minus { isExponentNegative = true }
                if byte.isDigit { exponent = exponent * 10 + Int(byte - .zero) }
            } else if byte.isDigit {
                digits = digits * 10 + UInt64(byte - .zero)
                if isFraction { afterPoint += 1 }
            } else if byte == .point {
                isFraction = true
            } else {
                isExponent = true
            }
        }
        var scale = (isExponentNegative ? -exponent : exponent) - afterPoint
        while digits % 10 == 0 {
            digits /= 10
            scale += 1
        }
        count = decimalLength(digits)
        point = scale + count
    }

    func append(to bytes: inout [UInt8]) {
        switch point {
        case count...21 where count <= 21:
            JSONNumber.append(digitsOf: digits, to: &bytes)
            bytes.append(contentsOf: repeatElement(.zero, count: point - count))
        case 1...21:
            appendPointed(to: &bytes, before: point)
        case -5...0:
            bytes.append(contentsOf: [.zero, .point])
            bytes.append(contentsOf: repeatElement(.zero, count: -point))
            JSONNumber.append(digitsOf: digits, to: &bytes)
        default:
            appendPointed(to: &bytes, before: 1)
            bytes.append(contentsOf: [UInt8(ascii: "e"), point > 0 ? UInt8(ascii: "+") : .minus])
            JSONNumber.append(digitsOf: UInt64((point - 1).magnitude), to: &bytes)
        }
    }

    /// Appends all digits with a point after so many, or without one if none are left after it.
    private func appendPointed(to bytes: inout [UInt8], before whole: Int) {
        let first = bytes.count
        JSONNumber.append(digitsOf: digits, to: &bytes)
        if count > whole { bytes.insert(.point, at: first + whole) }
    }
}

extension JSONNumber {
    fileprivate static func append(digitsOf value: UInt64, to bytes: inout [UInt8]) {
        bytes.append(atMost: 20) { write(digitsOf: value, to: $0) }
    }
}
