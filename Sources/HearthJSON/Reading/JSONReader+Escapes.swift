// Escapes inside strings: checked while reading, resolved when a text is asked for.

/// What stands at a backslash.
enum EscapeScan {
    /// A whole escape of `length` bytes, for a pair of surrogates both of its halves.
    case scalar(Unicode.Scalar, length: Int)
    /// The bytes so far are right, but the buffer ends.
    case incomplete
    /// The byte at `at` is wrong.
    case fault(JSONError.Reason, at: Int)
}

/// Reads the escape whose backslash stands at `start`.
func scanEscape(at start: Int, in bytes: UnsafeRawBufferPointer) -> EscapeScan {
    guard start + 1 < bytes.count else { return .incomplete }
    let plain: Unicode.Scalar
    switch bytes[start + 1] {
    case .quote: plain = "\""
    case .backslash: plain = "\\"
    case UInt8(ascii: "/"): plain = "/"
    case UInt8(ascii: "b"): plain = "\u{8}"
    case UInt8(ascii: "f"): plain = "\u{C}"
    case UInt8(ascii: "n"): plain = "\n"
    case UInt8(ascii: "r"): plain = "\r"
    case UInt8(ascii: "t"): plain = "\t"
    case UInt8(ascii: "u"): return scanUnicodeEscape(at: start, in: bytes)
    case let byte: return .fault(.unknownEscape(byte: byte), at: start + 1)
    }
    return .scalar(plain, length: 2)
}

private func scanUnicodeEscape(at start: Int, in bytes: UnsafeRawBufferPointer) -> EscapeScan {
    let first: UInt32
    switch scanCodeUnit(at: start + 2, in: bytes) {
    case .unit(let unit): first = unit
    case .incomplete: return .incomplete
    case .fault(let reason, let at): return .fault(reason, at: at)
    }
    if let scalar = Unicode.Scalar(first) { return .scalar(scalar, length: 6) }
    guard first < 0xDC00 else { return .fault(.loneSurrogate, at: start) }
    for (index, byte) in [UInt8.backslash, UInt8(ascii: "u")].enumerated() {
        guard start + 6 + index < bytes.count else { return .incomplete }
        guard bytes[start + 6 + index] == byte else { return .fault(.loneSurrogate, at: start) }
    }
    switch scanCodeUnit(at: start + 8, in: bytes) {
    case .incomplete: return .incomplete
    case .fault(let reason, let at): return .fault(reason, at: at)
    case .unit(let second):
        let value = 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF)
        guard second & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(value) else {
            return .fault(.loneSurrogate, at: start)
        }
        return .scalar(scalar, length: 12)
    }
}

private enum CodeUnitScan {
    case unit(UInt32)
    case incomplete
    case fault(JSONError.Reason, at: Int)
}

private func scanCodeUnit(at start: Int, in bytes: UnsafeRawBufferPointer) -> CodeUnitScan {
    var unit: UInt32 = 0
    for at in start..<start + 4 {
        guard at < bytes.count else { return .incomplete }
        guard let digit = bytes[at].hexValue else {
            return .fault(.unexpected(byte: bytes[at], expected: .hexDigit), at: at)
        }
        unit = unit << 4 | digit
    }
    return .unit(unit)
}
