// The head of a frame, read byte by byte.

/// What a frame is.
enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether the frame is about the connection, and may come between the frames of a message.
    var isControl: Bool { rawValue >= 8 }
}

/// The head of a frame from a client (RFC 6455 §5.2), of which any part may have come.
///
///     ┌─┬─┬───┬──────┐┌────┬───────┐┌───────────────┐┌──────────┐
///     │F│C│0 0│opcode││mask│len u7 ││ len u16 / u64 ││ mask u32 │  payload …
///     └─┴─┴───┴──────┘└────┴───────┘└───────────────┘└──────────┘
///      F final, C compressed          if len is 126 / 127; big-endian
struct WebSocketFrameHead: Sendable {
    private enum Stage: Sendable {
        case flags
        case shortLength
        /// So many bytes of a longer form are missing, of this many.
        case longLength(missing: UInt8, of: UInt8)
        case mask(missing: UInt8)
        case complete
    }

    private var stage = Stage.flags
    private(set) var opcode = WebSocketOpcode.continuation
    private(set) var isFinal = false
    private(set) var isCompressed = false
    private(set) var length: UInt64 = 0
    /// The key, first byte highest.
    private(set) var mask: UInt32 = 0

    var isComplete: Bool {
        if case .complete = stage { return true }
        return false
    }

    /// Takes the next byte of the head.
    mutating func take(_ byte: UInt8, takesCompressed: Bool) throws(WebSocketError) {
        switch stage {
        case .flags: try takeFlags(byte, takesCompressed: takesCompressed)
        case .shortLength: try takeShortLength(byte)
        case .longLength(let missing, let count): try takeLength(byte, missing: missing, of: count)
        case .mask(let missing):
            mask = mask << 8 | UInt32(byte)
            stage = missing == 1 ? .complete : .mask(missing: missing - 1)
        case .complete: preconditionFailure("a frame's head is complete")
        }
    }

    private mutating func takeFlags(_ byte: UInt8, takesCompressed: Bool) throws(WebSocketError) {
        guard byte & 0x30 == 0 else { throw .reservedBits }
        isFinal = byte & 0x80 != 0
        isCompressed = byte & 0x40 != 0
        guard !isCompressed || takesCompressed else { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: byte & 15) else { throw .reservedOpcode }
        self.opcode = opcode
        if opcode.isControl, !isFinal { throw .fragmentedControl }
        if isCompressed, opcode != .text, opcode != .binary { throw .compressedControl }
        stage = .shortLength
    }

    private mutating func takeShortLength(_ byte: UInt8) throws(WebSocketError) {
        guard byte & 0x80 != 0 else { throw .unmasked }
        let short = byte & 0x7F
        guard short <= 125 || !opcode.isControl else { throw .longControl }
        switch short {
        case 126: stage = .longLength(missing: 2, of: 2)
        case 127: stage = .longLength(missing: 8, of: 8)
        default:
            length = UInt64(short)
            stage = .mask(missing: 4)
        }
    }

    private mutating func takeLength(
        _ byte: UInt8, missing: UInt8, of count: UInt8
    ) throws(WebSocketError) {
        if missing == 8, byte & 0x80 != 0 { throw .longLength }
        length = length << 8 | UInt64(byte)
        guard missing == 1 else {
            stage = .longLength(missing: missing - 1, of: count)
            return
        }
        guard length > (count == 2 ? 125 : 0xFFFF) else { throw .longLength }
        stage = .mask(missing: 4)
    }
}
