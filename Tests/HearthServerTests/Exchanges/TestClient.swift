// A client that says exactly what a test wants, byte for byte, and waits for answers with a bound.
import CLinux
import Glibc
import HearthCrypto
import HearthServer
import HearthTesting
import Testing

/// An answer as it came.
struct Reply: Equatable, CustomStringConvertible {
    var status: Int
    var headers: [String: String]
    var body: String

    var description: String { "\(status) \(headers) \(body)" }
}

/// A handshake that came to nothing.
struct NoHandshake: Error {
    let ending: TLSSession.Reading?
}

/// A blocking connection to a server under test.
final class TestClient {
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// How many bytes of `received` have been used.
    private var used = 0
    /// What encrypts and decrypts; nil for plain HTTP.
    private(set) var secure: SecureEnd?

    /// Connects to the server's IPv4 loopback address, and shakes hands if it is to be believed something.
    convenience init(_ server: Server, trusting context: TLSClientContext? = nil) throws {
        try self.init(port: try #require(server.addresses.first?.port))
        guard let context else { return }
        let end = SecureEnd(context)
        secure = end
        try end.begin()
        sendEncrypted()
        while !end.isOpen {
            guard receive(), end.ending == nil else { throw NoHandshake(ending: end.ending) }
        }
    }

    /// Connects to a port of the IPv4 loopback address.
    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let result = Loopback.withAddress(port: port) { connect(descriptor, $0, $1) }
        try #require(result == 0, "connect: \(errno)")
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends text as it is.
    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends bytes as they are; a connection that is gone is found out when reading.
    func send(_ bytes: [UInt8]) {
        guard let secure else { return sendRaw(bytes) }
        secure.write(bytes)
        sendEncrypted()
    }

    private func sendEncrypted() {
        if let output = secure?.takeOutput(), !output.isEmpty { sendRaw(output) }
    }

    /// Sends bytes past the encryption.
    func sendRaw(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                Glibc.send(
                    descriptor, all.baseAddress.map { $0 + sent }, all.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Ends our direction, inside of TLS where it is spoken.
    func endSending() {
        if let secure {
            secure.end()
            return sendEncrypted()
        }
        endSendingRaw()
    }

    /// Ends our direction of the socket.
    func endSendingRaw() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends the other direction: nothing that comes is read any more.
    func endReceiving() {
        _ = shutdown(descriptor, Int32(SHUT_RD))
    }

    /// Reads exactly so many bytes.
    func readBytes(_ count: Int) throws -> [UInt8] {
        try take(count)
    }

    /// Sends a request with the headers that every one needs, and reads the answer.
    func ask(_ method: String, _ target: String, _ headers: [String] = [], body: String? = nil) throws
        -> Reply
    {
        begin(method, target, headers, body: body)
        return try read(isHead: method == "HEAD")
    }

    /// Sends a request without waiting for the answer.
    func begin(_ method: String, _ target: String, _ headers: [String] = [], body: String? = nil) {
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers + length
        send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    /// Reads one answer, by its length, its chunks or the end of the connection.
    func read(isHead: Bool = false) throws -> Reply {
        let head = try readHead()
        var reply = Reply(status: head.status, headers: head.headers, body: "")
        guard !isHead, reply.status >= 200, reply.status != 204, reply.status != 304 else { return reply }
        if let length = reply.headers["content-length"].flatMap({ Int($0) }) {
            reply.body = String(decoding: try take(length), as: UTF8.self)
        } else if reply.headers["transfer-encoding"] == "chunked" {
            var body: [UInt8] = []
            while let chunk = try readChunk() { body += chunk }
            reply.body = String(decoding: body, as: UTF8.self)
        } else {
            reply.body = readToEnd()
        }
        return reply
    }

    /// Reads the head of an answer whose body goes on.
    func readHead() throws -> (status: Int, headers: [String: String]) {
        let statusLine = try readLine()
        let status = try #require(
            Int(statusLine.split(separator: " ").dropFirst().first ?? ""), "\(statusLine)")
        var headers: [String: String] = [:]
        while case let line = try readLine(), !line.isEmpty {
            let colon = try #require(line.firstIndex(of: ":"))
            headers[line[..<colon].lowercased()] = String(
                line[line.index(after: colon)...].drop { $0 == " " })
        }
        return (status, headers)
    }

    /// Reads one chunk of a body, nil for the last one.
    func readChunk() throws -> [UInt8]? {
        let size = try #require(Int(try readLine(), radix: 16))
        let bytes = try take(size)
        #expect(try readLine() == "")
        return size == 0 ? nil : bytes
    }

    /// Reads a line without its end.
    func readLine() throws -> String {
        var searched = used
        while true {
            if let end = received[searched...].firstIndex(of: 10) {
                var line = received[used..<end]
                used = end + 1
                if line.last == 13 { line = line.dropLast() }
                return String(decoding: line, as: UTF8.self)
            }
            searched = received.count
            let beginning = String(decoding: received[used...].prefix(200), as: UTF8.self)
            let position = used
            try #require(receive(), "the connection ended within a line: \(beginning)")
            searched -= position - used
        }
    }

    /// Reads until the server ends the connection.
    func readToEnd() -> String {
        while receive() {}
        defer { used = received.count }
        return String(decoding: received[used...], as: UTF8.self)
    }

    /// Reads what there is, waiting for the first byte of it; nil at the end.
    func readSome() -> [UInt8]? {
        guard used < received.count || receive() else { return nil }
        defer { used = received.count }
        return Array(received[used...])
    }

    /// Sends bytes as they are, and returns whether the connection is still there to take them.
    func isTaken(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } > 0
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while received.count - used < count {
            let rest = received.count - used
            try #require(receive(), "the connection ended after \(rest) of \(count) bytes")
        }
        defer { used += count }
        return Array(received[used..<used + count])
    }

    private func receive() -> Bool {
        if used > 0, used * 2 > received.count {
            received.removeFirst(used)
            used = 0
        }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        if let secure {
            received += secure.read(Array(buffer[..<count]))
            sendEncrypted()
        } else {
            received += buffer[..<count]
        }
        return true
    }
}

/// Runs `body` against a server of its own on a free port, without files, and stops it.
func withServer(
    _ change: (inout Configuration) -> Void = { _ in }, _ body: (Server) throws -> Void
) throws {
    var configuration = Configuration()
    configuration.storage = .ephemeral
    configuration.addresses = [.loopback4(port: 0)]
    configuration.loopCount = 2
    configuration.log = Log(threshold: .error)
    change(&configuration)
    let server = try Server.start(configuration)
    defer { server.stop() }
    try body(server)
}
