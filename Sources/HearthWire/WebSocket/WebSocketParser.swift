// From the bytes of a connection to the messages of its client.

/// Reads what a client sends over a WebSocket (RFC 6455 §5), from whatever pieces it comes in.
///
/// Every byte is taken at once and looked at once: payloads are unmasked on their way into the message that
/// they belong to, and text is checked there, so that a fault is told at the byte that makes it one. The
/// caller keeps no input.
///
/// After an error nothing more may be asked: the connection is closed with the error's code.
public struct WebSocketParser: Sendable {
    /// Something that a client has said.
    public enum Event: Equatable, Sendable {
        /// A text, in UTF-8 that was checked.
        case text([UInt8])
        /// Bytes.
        case binary([UInt8])
        /// A compressed message, for `WebSocketInflater`; text is not checked yet.
        case compressed([UInt8], isText: Bool)
        /// Wants the same bytes back in a pong.
        case ping([UInt8])
        /// Answers a ping, or is a sign of life unasked.
        case pong
        /// The client says no more. The code is to be echoed; nil if there was none.
        case close(WebSocketCloseCode?)
    }

    /// The message whose frames are coming.
    private struct Message: Sendable {
        let isText: Bool
        let isCompressed: Bool
        var bytes: [UInt8] = []
        var check = UTF8Check()

        /// Takes the next bytes; false if they make the text invalid.
        mutating func take(_ masked: UnsafeRawBufferPointer, _ mask: WebSocketMask) -> Bool {
            let before = bytes.count
            mask.append(masked, to: &bytes)
            guard isText, !isCompressed else { return true }
            var check = check
            defer { self.check = check }
            return bytes[before...].withUnsafeBytes { check.take($0) }
        }
    }

    private let messageLimit: Int
    private let takesCompressed: Bool
    private var head = WebSocketFrameHead()
    /// Bytes of the frame's payload that have not come.
    private var missing = 0
    /// Bytes of the frame's payload that have.
    private var taken = 0
    private var message: Message?
    /// The payload of a control frame.
    private var control: [UInt8] = []

    /// Begins at the first byte after the handshake.
    ///
    /// - Parameters:
    ///   - messageLimit: the most bytes of a message, before it is inflated.
    ///   - takesCompressed: whether the handshake agreed on permessage-deflate.
    public init(messageLimit: Int, takesCompressed: Bool = false) {
        self.messageLimit = messageLimit
        self.takesCompressed = takesCompressed
    }

    /// How many bytes of an unfinished message are held.
    public var heldByteCount: Int { message?.bytes.count ?? 0 }

    /// Takes bytes of `input` from `start` on, moves `start` behind them, and returns the first event that
    /// they complete; nil when all of `input` is taken.
    ///
    /// - Complexity: O(bytes taken).
    public mutating func next(
        in input: UnsafeRawBufferPointer, from start: inout Int
    ) throws(WebSocketError) -> Event? {
        while true {
            while !head.isComplete {
                guard start < input.count else { return nil }
                try head.take(input[start], takesCompressed: takesCompressed)
                start &+= 1
                if head.isComplete { try beginPayload() }
            }
            let count = min(missing, input.count - start)
            if count > 0 {
                try takePayload(UnsafeRawBufferPointer(rebasing: input[start..<start + count]))
                start &+= count
                missing &-= count
            }
            guard missing == 0 else { return nil }
            if let event = try endFrame() { return event }
        }
    }

    private mutating func beginPayload() throws(WebSocketError) {
        switch head.opcode {
        case .text, .binary:
            guard message == nil else { throw .unfinishedMessage }
            message = Message(isText: head.opcode == .text, isCompressed: head.isCompressed)
        case .continuation:
            guard message != nil else { throw .nothingToContinue }
        case .close, .ping, .pong: break
        }
        let room = head.opcode.isControl ? 125 : messageLimit - heldByteCount
        guard head.length <= UInt64(room) else { throw .tooBig(limit: messageLimit) }
        missing = Int(head.length)
        taken = 0
        if !head.opcode.isControl, missing <= 1 << 16 {
            let held = heldByteCount
            message?.bytes.reserveCapacity(held + missing)
        }
    }

    private mutating func takePayload(_ bytes: UnsafeRawBufferPointer) throws(WebSocketError) {
        let mask = WebSocketMask(head.mask, offset: taken)
        taken &+= bytes.count
        guard !head.opcode.isControl else {
            mask.append(bytes, to: &control)
            return
        }
        guard message?.take(bytes, mask) ?? true else { throw .invalidText }
    }

    private mutating func endFrame() throws(WebSocketError) -> Event? {
        defer { head = WebSocketFrameHead() }
        guard !head.opcode.isControl else {
            defer { control = [] }
            return try controlEvent()
        }
        guard head.isFinal, let message else { return nil }
        self.message = nil
        if message.isCompressed { return .compressed(message.bytes, isText: message.isText) }
        guard message.isText else { return .binary(message.bytes) }
        guard message.check.isComplete else { throw .invalidText }
        return .text(message.bytes)
    }

    private func controlEvent() throws(WebSocketError) -> Event {
        switch head.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong
        default: break
        }
        guard !control.isEmpty else { return .close(nil) }
        guard control.count >= 2 else { throw .badClose }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.mayBeSent else { throw .badClose }
        var check = UTF8Check()
        let isText = control[2...].withUnsafeBytes { check.take($0) }
        guard isText, check.isComplete else { throw .invalidText }
        return .close(code)
    }
}
