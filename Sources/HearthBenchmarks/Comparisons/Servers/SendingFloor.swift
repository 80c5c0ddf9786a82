// The least that it can cost to tell many: a program that does nothing but send.
import CLinux
import Glibc
import HearthTesting

/// `HearthBenchmarks send PORT`: whatever is posted goes to all who have asked for a WebSocket before, in a
/// frame as long as Hearth's, with one call each. It parses, keeps and orders nothing.
enum SendingFloor {
    /// Starts it as a program of its own.
    static func start() throws -> RunningServer {
        try RunningServer.start(path, in: try Leftovers.makeFolder()) { ["send", "\($0)"] }
    }

    /// How it is spoken to.
    static func broadcast(from server: RunningServer) -> Broadcast {
        Broadcast(
            form: .webSocket, server: server, listen: { Broadcast.upgrade("/\($0)", port: server.port) },
            target: { "/\($0)" })
    }

    /// This very program.
    private static var path: String {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = max(0, readlink("/proc/self/exe", &bytes, bytes.count))
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Serves until it is ended from outside.
    static func run(port: UInt16) throws -> Never {
        let door = try listen(port)
        let poll = try Poll()
        try poll.add(door, as: Int(door))
        var listeners: [Int32] = []
        var ready: [Int] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            ready.removeAll(keepingCapacity: true)
            poll.wait(microseconds: 1_000_000, into: &ready)
            for number in ready.map({ Int32($0) }) {
                if number == door {
                    try welcome(door, poll)
                    continue
                }
                let count = recv(number, &buffer, buffer.count, 0)
                if count <= 0 {
                    listeners.removeAll { $0 == number }
                    close(number)
                } else if buffer[0] == UInt8(ascii: "G") {
                    send(Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8), to: number)
                    listeners.append(number)
                } else {
                    send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8), to: number)
                    let frame = frame(around: buffer[..<count])
                    for listener in listeners { send(frame, to: listener) }
                }
            }
        }
    }

    private static func listen(_ port: UInt16) throws(ComparisonFailure) -> Int32 {
        let door = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard door >= 0, Loopback.withAddress(port: port, { bind(door, $0, $1) }) == 0,
            Glibc.listen(door, 4_096) == 0
        else { throw .system("listen") }
        return door
    }

    private static func welcome(_ door: Int32, _ poll: Poll) throws(ComparisonFailure) {
        let number = accept(door, nil, nil)
        guard number >= 0 else { throw .system("accept") }
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw .system("fcntl") }
        var one: Int32 = 1
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        try poll.add(number, as: Int(number))
    }

    /// What does not fit now is lost: whoever waits for it says so.
    private static func send(_ bytes: [UInt8], to number: Int32) {
        _ = Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The body of a request, which is short, with as much around it as there is in a push of Hearth's.
    private static func frame(around request: ArraySlice<UInt8>) -> [UInt8] {
        let body = request.split(separator: 10).last ?? []
        let start = #"{"t":"d","d":{"b":{"p":"rooms/r0/messages/-OfX0aBcDeFgHiJkLmNo","d":"#
        let payload = Array(start.utf8) + body + Array(#"},"a":"d"}}"#.utf8)
        return [0x81, 126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)] + payload
    }
}
