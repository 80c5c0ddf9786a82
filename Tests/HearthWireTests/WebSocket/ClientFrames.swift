// Frames as a client sends them, right and wrong ones.

/// Makes the frames of a client.
enum ClientFrames {
    /// A frame with a mask.
    ///
    /// - Parameters:
    ///   - first: the first byte: 0x80 final, 0x40 compressed, the opcode.
    ///   - mask: the key, its first byte highest.
    static func frame(_ first: UInt8, _ payload: [UInt8], mask: UInt32 = 0x37FA_213D) -> [UInt8] {
        var bytes = [first]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: bytes += [0xFE] + bigEndian(UInt64(payload.count), byteCount: 2)
        default: bytes += [0xFF] + bigEndian(UInt64(payload.count), byteCount: 8)
        }
        let key = bigEndian(UInt64(mask), byteCount: 4)
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    static func text(_ text: String) -> [UInt8] {
        frame(0x81, Array(text.utf8))
    }

    /// A close frame with a code and a reason.
    static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        frame(0x88, bigEndian(UInt64(code), byteCount: 2) + reason)
    }

    private static func bigEndian(_ value: UInt64, byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}
