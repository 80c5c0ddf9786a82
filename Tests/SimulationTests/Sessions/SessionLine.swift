// What carries the messages of a session of the realtime protocol: a WebSocket on the simulated network.

/// How a client goes away.
enum Departure: CaseIterable {
    /// It says so by the means of its protocol.
    case farewell
    /// It ends its connections.
    case hangUp
    /// Its connections break, and both ends are told.
    case reset
    /// Nothing it sends arrives any more, and nobody is told.
    case silence
}

/// The way between a client of the realtime protocol and the server.
protocol SessionLine: AnyObject {
    /// For how many looks nothing has come.
    var silence: Int { get }
    /// Says one message, which is JSON.
    func say(_ text: String)
    /// Takes the messages that have come; nil once no more will.
    func hear(_ surroundings: any Surroundings) throws(Violation) -> [Value]?
    func leave(_ departure: Departure)
}

/// A WebSocket of a client.
final class SocketLine: SessionLine {
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

    /// Sends a frame with a mask.
    private func send(frame first: UInt8, _ payload: [UInt8]) {
        precondition(payload.count <= 0xFFFF, "clients of the simulation say little")
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        let length =
            payload.count <= 125
            ? [0x80 | UInt8(payload.count)]
            : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        wire.send([first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] })
    }

    func say(_ text: String) { send(frame: 0x81, Array(text.utf8)) }

    func leave(_ departure: Departure) {
        hasLeft = true
        switch departure {
        case .farewell:
            if isOpen { send(frame: 0x88, [3, 232]) }
            wire.leave(silently: false)
        case .hangUp: wire.leave(silently: false)
        case .reset:
            wire.up.flight = []
            wire.down.flight = []
            wire.isBroken = true
        case .silence: wire.leave(silently: true)
        }
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
            case 0x8A: break
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

    private func take(_ text: [UInt8]) throws(Violation) -> Value? {
        if missing == 0, text.count <= 6, let count = Int(String(decoding: text, as: UTF8.self)) {
            missing = count
            return nil
        }
        segments += text
        missing = max(0, missing - 1)
        guard missing == 0 else { return nil }
        defer { segments = [] }
        guard let value = Value(json: segments) else {
            throw Violation("no message: \(String(decoding: segments.prefix(200), as: UTF8.self))")
        }
        return value
    }
}
