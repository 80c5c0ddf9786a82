// How a server is spoken to by those who publish in a room and those who listen there.

/// The bytes that one server wants, in one form of listening.
struct Broadcast {
    /// How events reach a listener.
    enum Form: String {
        case eventStream = "SSE"
        case webSocket = "WebSocket"
        case longPoll = "long-poll"
    }

    let form: Form
    let server: RunningServer
    /// The first request of a listener in a room.
    let listen: (_ room: String) -> [UInt8]
    /// What a listener says once its WebSocket is open.
    var firstFrame: ((_ room: String) -> [UInt8])?
    /// The request after an answer that was a long poll's.
    var listenOn: ((_ room: String, _ answer: ReplyReader) throws -> [UInt8])?
    /// Where a message is posted.
    let target: (_ room: String) -> String

    /// The request that publishes a message that was sent at `stamp`.
    func publish(in room: String, stamp: UInt64) -> [UInt8] {
        let body = #"{"@":\#(stamp),"message":"Good morning, is anybody here for lunch?","username":"ann"}"#
        let head = """
            POST \(target(room)) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n
            """
        return Array((head + body).utf8)
    }
}

extension Broadcast {
    /// A request without a body.
    static func get(_ target: String, port: UInt16, _ headers: [String] = []) -> [UInt8] {
        let lines = ["GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// A request that opens a WebSocket.
    static func upgrade(_ target: String, port: UInt16) -> [UInt8] {
        get(
            target, port: port,
            [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ])
    }

    /// A client's text frame of at most 65,535 bytes; its mask is zero, which changes nothing.
    static func frame(_ text: String) -> [UInt8] {
        let payload = Array(text.utf8)
        let length =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)]
            : [0xFE, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
        return [0x81] + length + [0, 0, 0, 0] + payload
    }
}
