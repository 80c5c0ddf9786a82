// A client of the realtime protocol that says exactly what a test wants.
import HearthServer
import HearthWire
import Testing

/// What a client of the realtime protocol does, whichever transport carries it.
protocol RealtimeClient: AnyObject {
    /// Says one message, which is JSON.
    func say(_ text: String) throws
    /// The next message; nil when the server has ended the session.
    func hear() throws -> String?
    /// Goes away without a word.
    func vanish()
}

/// A client that has come over a WebSocket.
final class WebSocketClient: RealtimeClient {
    /// What came in a frame.
    struct Frame: Equatable {
        let first: UInt8
        let payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
    }

    let client: TestClient
    /// The head of the answer to the handshake.
    let answer: (status: Int, headers: [String: String])
    private var missing = 0
    private var segments: [UInt8] = []

    static let handshake = [
        "Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    convenience init(_ server: Server, _ target: String = "/.ws?v=5", _ headers: [String] = []) throws {
        try self.init(over: try TestClient(server), target, headers)
    }

    /// Opens it over a connection of any kind.
    init(over client: TestClient, _ target: String = "/.ws?v=5", _ headers: [String] = []) throws {
        self.client = client
        client.begin("GET", target, WebSocketClient.handshake + headers)
        answer = try client.readHead()
    }

    /// A client whose handshake is over, and the name of its session.
    static func greeted(
        _ server: Server, _ target: String = "/.ws?v=5"
    ) throws -> (WebSocketClient, session: String) {
        let client = try WebSocketClient(server, target)
        let greeting = try #require(try client.hear())
        let session = try #require(greeting.firstMatch(of: /"s":"([A-Za-z0-9]{32})"/)).output.1
        return (client, String(session))
    }

    func say(_ text: String) {
        let units = Array(text.utf16)
        guard units.count > 16_384 else { return send(0x81, Array(text.utf8)) }
        let starts = stride(from: 0, to: units.count, by: 16_384)
        send(0x81, Array("\(Array(starts).count)".utf8))
        for start in starts {
            let part = String(decoding: units[start..<min(start + 16_384, units.count)], as: UTF16.self)
            send(0x81, Array(part.utf8))
        }
    }

    /// Sends a frame with a mask.
    func send(_ first: UInt8, _ payload: [UInt8]) {
        // Long payloads get a mask that changes nothing, for the time that the other would take.
        let isLong = payload.count > 4_096
        let mask: [UInt8] = isLong ? [0, 0, 0, 0] : [0x37, 0xFA, 0x21, 0x3D]
        var frame = [first]
        switch payload.count {
        case ...125: frame.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: frame += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            frame.append(0xFF)
            frame += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
        }
        client.send(frame + mask + (isLong ? payload : payload.enumerated().map { $1 ^ mask[$0 % 4] }))
    }

    func hear() throws -> String? {
        while true {
            let frame = try readFrame()
            switch frame.first {
            case 0x89: send(0x8A, frame.payload)
            case 0x8A: break
            case 0x88: return nil
            default:
                if let text = take(frame.payload) { return text }
            }
        }
    }

    /// The next frame, whatever it is.
    func readFrame() throws -> Frame {
        let head = try client.readBytes(2)
        #expect(head[1] & 0x80 == 0, "a server's frames have no mask")
        var count = Int(head[1])
        if count >= 126 {
            count = try client.readBytes(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(first: head[0], payload: try client.readBytes(count))
    }

    private func take(_ text: [UInt8]) -> String? {
        if missing == 0, text.count <= 6, let count = Int(String(decoding: text, as: UTF8.self)) {
            missing = count
            return nil
        }
        segments += text
        missing = max(0, missing - 1)
        guard missing == 0 else { return nil }
        defer { segments = [] }
        return String(decoding: segments, as: UTF8.self)
    }

    func vanish() {
        client.hangUp()
    }
}

extension TestClient {
    /// Breaks the connection off.
    func hangUp() {
        endSending()
        endReceiving()
    }
}
