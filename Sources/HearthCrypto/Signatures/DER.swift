// The little of ASN.1's distinguished encoding that keys and signatures need.

/// Writes ASN.1 elements.
///
///     ┌──────┬──────────────────────────────┬─────────┐
///     │ tag  │ length: 1 byte below 128,    │ content │
///     │      │ else 0x80 + n and n bytes    │         │
///     └──────┴──────────────────────────────┴─────────┘
enum DER {
    /// One element around `content`.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length = [UInt8(truncatingIfNeeded: content.count)]
        if content.count >= 128 {
            var left = content.count >> 8
            while left > 0 {
                length.insert(UInt8(truncatingIfNeeded: left), at: 0)
                left >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    /// A sequence of elements that are encoded already.
    static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        element(0x30, Array(elements.joined()))
    }

    /// An integer that is not negative, from its big-endian bytes with or without leading zeros.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (needsZero ? [0] : []) + digits)
    }

    /// A string of whole bytes among bits.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] {
        element(0x03, [0] + bytes)
    }

    /// The identifier of RSA keys with its empty parameters.
    static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// The identifier of keys on elliptic curves with the curve P-256.
    static let p256: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]
}
