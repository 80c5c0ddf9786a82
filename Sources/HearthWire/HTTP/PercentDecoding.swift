// Percent-decoding of paths and query strings into checked UTF-8.

/// How percent-encoded text is read.
public enum PercentDecoding: Sendable {
    /// `+` is a plus.
    case path
    /// `+` is a space, as in forms: Python's and Java's clients and `URLSearchParams` write spaces so.
    /// Clients that mean a plus write `%2B` in either convention.
    case query

    /// Returns the decoded text, or nil when a `%` is not followed by two hexadecimal digits or the result is
    /// not UTF-8.
    /// - Complexity: O(bytes); text without `%` and `+` is taken as it is.
    public func text(of bytes: ArraySlice<UInt8>) -> String? {
        guard let mark = bytes.firstIndex(where: { $0 == 0x25 || $0 == 0x2b }) else {
            return Self.validated(bytes)
        }
        var decoded = [UInt8](bytes[..<mark])
        decoded.reserveCapacity(bytes.count)
        var index = mark
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == 0x25 {
                guard bytes.endIndex - index >= 2, let high = bytes[index].hexDigitValue,
                    let low = bytes[index + 1].hexDigitValue
                else { return nil }
                decoded.append(high << 4 | low)
                index += 2
            } else {
                decoded.append(byte == 0x2b && self == .query ? 0x20 : byte)
            }
        }
        return Self.validated(decoded[...])
    }

    /// The bytes as text, nil if they are no UTF-8.
    private static func validated(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = bytes.withUnsafeBytes { raw in
            raw.allSatisfy { $0 < 0x80 } ? String(decoding: raw, as: UTF8.self) : nil
        }
        return text ?? String(validating: bytes, as: UTF8.self)
    }
}
