// A client's end of a WebSocket: messages go out in masked frames, and come back in frames without a mask.
import HearthWire

/// One WebSocket of a client.
final class Channel {
    /// What comes over it.
    enum Arrival {
        case message(Value)
        /// It is none: the request was answered otherwise.
        case refused(status: Int)
        /// Nothing more will come.
        case ended
    }

    /// A frame that has come whole.
    private struct Frame {
        let first: UInt8
        let payload: [UInt8]
    }

    /// The longest text of a frame.
    private static let segmentLimit = 16_384

    let wire: Wire
    private var buffer: [UInt8] = []
    private var isOpen = false
    private var hasEnded = false
    /// The segments of a message that has begun, and how many are missing.
    private var text: [UInt8] = []
    private var missing = 0
    /// For how many looks nothing has come.
    private(set) var silence = 0

    /// Asks for a WebSocket.
    ///
    /// - Parameter session: the one that the client had before.
    init(_ wire: Wire, namespace: String, after session: String?) {
        self.wire = wire
        let last = session.map { "&ls=\($0)" } ?? ""
        wire.send(
            Array(
                ("GET /.ws?v=5&ns=\(namespace)\(last) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8))
    }

    /// Says one message.
    ///
    /// - Parameter pieces: in how many segments.
    func say(_ json: String, in pieces: Int) {
        let text = Array(json.utf8)
        let length = min(Channel.segmentLimit, max(1, text.count / pieces))
        let starts = Array(stride(from: 0, to: text.count, by: length))
        if starts.count > 1 { wire.send(frame(0x81, Array("\(starts.count)".utf8))) }
        for start in starts { wire.send(frame(0x81, Array(text[start..<min(start + length, text.count)]))) }
    }

    private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        var head = [first]
        if payload.count < 126 {
            head.append(0x80 | UInt8(payload.count))
        } else {
            head += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        }
        return head + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    /// Leaves: with a word, or without one that would reach the server.
    func leave(silently: Bool) {
        wire.leave(silently: silently)
        hasEnded = true
    }

    /// Takes what has arrived.
    func receive() throws(Violation) -> [Arrival] {
        guard !hasEnded else { return [] }
        let arrived = wire.takeArrived()
        silence = arrived.isEmpty ? silence + 1 : 0
        buffer += arrived
        var arrivals: [Arrival] = []
        if !isOpen, let status = try takeHead() {
            isOpen = status == 101
            if !isOpen { arrivals.append(.refused(status: status)) }
        }
        while isOpen, let frame = takeFrame() {
            switch frame.first {
            case 0x81: if let message = try take(frame.payload) { arrivals.append(.message(message)) }
            case 0x88: isOpen = false
            case 0x89: wire.send(self.frame(0x8A, frame.payload))
            default: throw Violation("a frame that begins with \(frame.first)")
            }
        }
        if wire.isOver {
            hasEnded = true
            arrivals.append(.ended)
        }
        return arrivals
    }

    /// Takes the head of the answer out, nil until it is whole.
    private func takeHead() throws(Violation) -> Int? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let index = buffer.indices.dropLast(3).first(where: { buffer[$0..<$0 + 4].elementsEqual(end) })
        else { return nil }
        let line = String(decoding: buffer.prefix(12), as: UTF8.self)
        guard line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9)) else {
            throw Violation("no answer to a handshake: \(line)")
        }
        buffer.removeFirst(index + 4)
        return status
    }

    private func takeFrame() -> Frame? {
        guard buffer.count >= 2 else { return nil }
        var (start, length) = (2, Int(buffer[1]))
        if length >= 126 {
            start += length == 126 ? 2 : 8
            guard buffer.count >= start else { return nil }
            length = buffer[2..<start].reduce(0) { $0 << 8 | Int($1) }
        }
        guard buffer.count >= start + length else { return nil }
        defer { buffer.removeFirst(start + length) }
        return Frame(first: buffer[0], payload: Array(buffer[start..<start + length]))
    }

    /// Puts segments together.
    private func take(_ segment: [UInt8]) throws(Violation) -> Value? {
        if missing == 0, segment.count <= 6, let count = Int(String(decoding: segment, as: UTF8.self)) {
            missing = count
            return nil
        }
        guard segment.count <= Channel.segmentLimit else { throw Violation("a segment is too long") }
        text += segment
        missing = max(0, missing - 1)
        guard missing == 0 else { return nil }
        defer { text = [] }
        guard let message = Value(json: text) else {
            throw Violation("no message: \(String(decoding: text.prefix(300), as: UTF8.self))")
        }
        return message
    }
}
