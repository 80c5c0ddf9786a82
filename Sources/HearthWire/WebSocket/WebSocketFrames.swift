// Frames to a client: never masked, never fragmented.

/// Appends frames to output bytes (RFC 6455 §5.2). Whoever sends the same message to many appends it once
/// and shares the bytes.
public enum WebSocketFrames {
    /// The most bytes that a frame's head has.
    static let headByteLimit = 10
    /// The first byte of an uncompressed text frame.
    private static let text: UInt8 = 0x81
    private static let compressedText: UInt8 = 0xC1

    /// Appends a text message in one frame.
    ///
    /// - Precondition: `payload` is UTF-8.
    public static func appendText(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        appendHead(text, length: payload.count, to: &output)
        output.append(contentsOf: payload)
    }

    /// Appends a text message whose payload `WebSocketDeflater` has made smaller.
    public static func appendCompressedText(_ payload: [UInt8], to output: inout [UInt8]) {
        appendHead(compressedText, length: payload.count, to: &output)
        output.append(contentsOf: payload)
    }

    /// Appends a ping without a payload.
    public static func appendPing(to output: inout [UInt8]) {
        appendHead(0x89, length: 0, to: &output)
    }

    /// Appends the answer to a ping.
    ///
    /// - Precondition: `payload` has at most 125 bytes, as that of a ping.
    public static func appendPong(_ payload: [UInt8], to output: inout [UInt8]) {
        precondition(payload.count <= 125, "a control frame has at most 125 bytes")
        appendHead(0x8A, length: payload.count, to: &output)
        output.append(contentsOf: payload)
    }

    /// Appends a close frame; without a code when a close frame without one is answered.
    ///
    /// - Precondition: `reason` has at most 123 bytes.
    public static func appendClose(
        _ code: WebSocketCloseCode?, _ reason: String = "", to output: inout [UInt8]
    ) {
        guard let code else { return appendHead(0x88, length: 0, to: &output) }
        precondition(reason.utf8.count <= 123, "a control frame has at most 125 bytes")
        appendHead(0x88, length: 2 + reason.utf8.count, to: &output)
        output.append(UInt8(truncatingIfNeeded: code.rawValue >> 8))
        output.append(UInt8(truncatingIfNeeded: code.rawValue))
        output.append(contentsOf: reason.utf8)
    }

    private static func appendHead(_ first: UInt8, length: Int, to output: inout [UInt8]) {
        output.append(first)
        switch length {
        case ...125: output.append(UInt8(length))
        case ...0xFFFF:
            output.append(126)
            append(UInt16(length).bigEndian, to: &output)
        default:
            output.append(127)
            append(UInt64(length).bigEndian, to: &output)
        }
    }

    private static func append(_ number: some FixedWidthInteger, to output: inout [UInt8]) {
        withUnsafeBytes(of: number) { output.append(contentsOf: $0) }
    }
}
