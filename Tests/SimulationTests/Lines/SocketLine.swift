// A WebSocket of a client: messages go out in masked frames, and come back in frames without a mask.

/// A WebSocket of a client.
final class SocketLine: SessionLine {
    /// The longest text of a frame.
    private static let segmentLimit = 16_384

    private let wire: Wire
    private var buffer: [UInt8] = []
    private var isOpen = false
    private var hasLeft = false
    /// How many segments of a message are to come, and those that have.
    private var missing = 0
    private var segments: [UInt8] = []
    private(set) var silence = 0

    /// - Parameter parameters: what stands behind `/.ws?`.
    init(_ wire: Wire, parameters: String) {
        self.wire = wire
        let head = [
            "GET /.ws?\(parameters) HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        wire.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    func mayBeOver(_ surroundings: any Surroundings) -> Bool { !wire.isOpen || wire.isCut }

    func say(_ text: String, in pieces: Int) {
        let text = Array(text.utf8)
        let length = min(SocketLine.segmentLimit, max(1, text.count / pieces))
        let starts = Array(stride(from: 0, to: text.count, by: length))
        if starts.count > 1 { send(frame: 0x81, Array("\(starts.count)".utf8)) }
        for start in starts { send(frame: 0x81, Array(text[start..<min(start + length, text.count)])) }
    }

    /// Sends a frame with a mask.
    private func send(frame first: UInt8, _ payload: [UInt8]) {
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        let length =
            payload.count <= 125
            ? [0x80 | UInt8(payload.count)]
            : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        wire.send([first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] })
    }

    func leave(_ departure: Departure) {
        hasLeft = true
        if departure == .farewell, isOpen { send(frame: 0x88, [3, 232]) }
        wire.leave(departure)
    }

    func hear(_ surroundings: any Surroundings) throws(Violation) -> [Value]? {
        guard !hasLeft else { return nil }
        let arrived = wire.takeArrived()
        silence = arrived.isEmpty ? silence + 1 : 0
        buffer += arrived
        guard try open() else { return wire.isOver ? nil : [] }
        var messages: [Value] = []
        while let (first, payload) = nextFrame() {
            switch first {
            case 0x81: if let message = try take(payload) { messages.append(message) }
            case 0x89: send(frame: 0x8A, payload)
            case 0x88:
                leave(.farewell)
                return messages
            default: throw Violation("a frame that begins with \(first)")
            }
        }
        return messages.isEmpty && wire.isOver ? nil : messages
    }

    /// Whether the handshake is over.
    private func open() throws(Violation) -> Bool {
        guard !isOpen, let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return isOpen }
        let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        // The server stops, or has waited too long for the rest of the handshake.
        if head.hasPrefix("HTTP/1.1 503") || head.hasPrefix("HTTP/1.1 408") {
            leave(.hangUp)
            return false
        }
        guard head.hasPrefix("HTTP/1.1 101") else { throw Violation("no WebSocket: \(head)") }
        buffer.removeFirst(end.upperBound)
        isOpen = true
        return true
    }

    private func nextFrame() -> (first: UInt8, payload: [UInt8])? {
        guard buffer.count >= 2 else { return nil }
        var (start, count) = (2, Int(buffer[1]))
        if count >= 126 {
            start += count == 126 ? 2 : 8
            guard buffer.count >= start else { return nil }
            count = buffer[2..<start].reduce(0) { $0 << 8 | Int($1) }
        }
        guard buffer.count >= start + count else { return nil }
        defer { buffer.removeFirst(start + count) }
        return (buffer[0], Array(buffer[start..<start + count]))
    }

    /// Puts segments together.
    private func take(_ segment: [UInt8]) throws(Violation) -> Value? {
        if missing == 0, segment.count <= 6, let count = Int(String(decoding: segment, as: UTF8.self)) {
            missing = count
            return nil
        }
        guard segment.count <= SocketLine.segmentLimit else { throw Violation("a segment is too long") }
        segments += segment
        missing = max(0, missing - 1)
        guard missing == 0 else { return nil }
        defer { segments = [] }
        guard let message = Value(json: segments) else {
            throw Violation("no message: \(String(decoding: segments.prefix(300), as: UTF8.self))")
        }
        return message
    }
}
