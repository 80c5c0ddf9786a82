// A server that says exactly what a test wrote down, so that clients can be shown every kind of answer and
// accident.

import Glibc
import Synchronization

/// Listens on a loopback port of the system's choice and plays one answer for each request, in order.
///
/// Requests come one at a time: a connection is served until an answer ends it or the client does, then the
/// next is accepted. When the answers are used up, the port is closed. Everything it owns is released by
/// `finish()`.
public final class ScriptedServer: Sendable {
    /// What is done for one request.
    public struct Answer: Sendable {
        /// What happens to the connection afterwards.
        public enum Ending: Sendable {
            /// The next request is awaited on it.
            case keepsOpen
            /// It is closed in order.
            case closes
            /// It is reset, and what was not read is lost.
            case resets
        }

        /// The bytes that are sent.
        public let bytes: [UInt8]
        /// What happens to the connection afterwards.
        public let ending: Ending
        /// Whether the answer is sent behind the head of the request already, its body not being read.
        public let isEarly: Bool

        /// An answer of these bytes.
        public init(_ bytes: [UInt8], ending: Ending = .keepsOpen, isEarly: Bool = false) {
            self.bytes = bytes
            self.ending = ending
            self.isEarly = isEarly
        }

        /// A complete answer with a JSON body and the given further headers, each with its line end.
        public static func json(
            _ body: String, status: Int = 200, headers: String = "", ending: Ending = .keepsOpen
        ) -> Answer {
            let head = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n"
            return Answer(Array((head + body).utf8), ending: ending)
        }
    }

    /// A request as it came.
    public struct Request: Sendable, Equatable {
        /// The first line, without its end.
        public let line: String
        /// The header lines, without their ends.
        public let headers: [String]
        /// The body, chunks put together; empty for an early answer.
        public let body: [UInt8]
    }

    /// The port it listens on, at 127.0.0.1.
    public let port: UInt16
    private let listener: Int32
    private let thread: Mutex<pthread_t?>
    private let requests: Mutex<[Request]>

    /// Starts to listen and to play.
    public init(_ answers: [Answer]) {
        (listener, port) = ScriptedServer.bind(listening: true)
        thread = Mutex(nil)
        requests = Mutex([])
        let play = Play(server: self, answers: answers)
        var handle = pthread_t()
        let context = Unmanaged.passRetained(play).toOpaque()
        let code = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Play>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        precondition(code == 0, "a thread is needed for the test")
        thread.withLock { $0 = handle }
    }

    /// Stops listening, waits until the play is over and returns the requests so far.
    ///
    /// A client must have closed its connection, or the last answer must end it.
    public func finish() -> [Request] {
        shutdown(listener, Int32(SHUT_RDWR))
        let handle = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let handle {
            pthread_join(handle, nil)
            close(listener)
        }
        return requests.withLock { $0 }
    }

    /// Processes started meanwhile must not keep the connection open.
    fileprivate func accept() -> Int32 {
        let connection = Glibc.accept(listener, nil, nil)
        if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
        return connection
    }

    fileprivate func stopListening() { shutdown(listener, Int32(SHUT_RDWR)) }

    fileprivate func note(_ request: Request) { requests.withLock { $0.append(request) } }

    /// Calls `body` with a port at which nobody listens, and which nobody else can take meanwhile.
    public static func withClosedPort<Result>(_ body: (UInt16) throws -> Result) rethrows -> Result {
        let (descriptor, port) = bind(listening: false)
        defer { close(descriptor) }
        return try body(port)
    }

    private static func bind(listening: Bool) -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, size) == 0
                    && (!listening || Glibc.listen(descriptor, 64) == 0)
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        precondition(isBound, "a loopback port is needed for the test")
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// The thread's side of it.
private final class Play {
    private let server: ScriptedServer
    private var answers: ArraySlice<ScriptedServer.Answer>
    private var received: [UInt8] = []

    init(server: ScriptedServer, answers: [ScriptedServer.Answer]) {
        self.server = server
        self.answers = answers[...]
    }

    func run() {
        while !answers.isEmpty {
            let connection = server.accept()
            guard connection >= 0 else { return }
            received = []
            while let answer = answers.first, let isOpen = serve(connection, answer), isOpen {}
        }
        server.stopListening()
    }

    /// Serves one request; nil when the client has gone before it was complete, false when the connection is
    /// closed.
    private func serve(_ connection: Int32, _ answer: ScriptedServer.Answer) -> Bool? {
        guard let request = readRequest(connection, withBody: !answer.isEarly) else {
            close(connection)
            return nil
        }
        server.note(request)
        answers.removeFirst()
        if answers.isEmpty { server.stopListening() }
        answer.bytes.withUnsafeBytes { bytes in
            _ = send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        switch answer.ending {
        case .keepsOpen where !answers.isEmpty: return true
        case .keepsOpen: waitForEnd(connection)
        case .closes: shutdown(connection, Int32(SHUT_WR))
        case .resets:
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        // What was not read would make of the close a reset.
        if case .closes = answer.ending, answer.isEarly { waitForEnd(connection) }
        // A copy of the descriptor in a process that was started at the wrong moment would keep it open.
        if case .closes = answer.ending { shutdown(connection, Int32(SHUT_RDWR)) }
        close(connection)
        return false
    }

    private func waitForEnd(_ connection: Int32) {
        while receive(connection) {}
    }

    private func receive(_ connection: Int32) -> Bool {
        let count = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            let count = recv(connection, buffer.baseAddress, buffer.count, 0)
            if count > 0 { received += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
            return count
        }
        return count > 0
    }

    private func readRequest(_ connection: Int32, withBody: Bool) -> ScriptedServer.Request? {
        guard let head = readThrough("\r\n\r\n", connection) else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        var body: [UInt8] = []
        for header in lines.dropFirst() where withBody {
            let parts = header.lowercased().split(separator: ":", maxSplits: 1)
            let value = parts.last.map { $0.drop { $0 == " " } } ?? ""
            if parts.first == "content-length", let count = Int(value) {
                guard let bytes = take(count, connection) else { return nil }
                body = bytes
            } else if parts.first == "transfer-encoding" {
                guard let bytes = readChunks(connection) else { return nil }
                body = bytes
            }
        }
        return ScriptedServer.Request(line: lines.first ?? "", headers: Array(lines.dropFirst()), body: body)
    }

    private func readChunks(_ connection: Int32) -> [UInt8]? {
        var body: [UInt8] = []
        while let line = readThrough("\r\n", connection) {
            guard let size = Int(line.dropLast(1), radix: 16), let bytes = take(size + 2, connection) else {
                return nil
            }
            body += bytes.dropLast(2)
            if size == 0 { return body }
        }
        return nil
    }

    private func take(_ count: Int, _ connection: Int32) -> [UInt8]? {
        while received.count < count {
            guard receive(connection) else { return nil }
        }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// Takes everything up to and with `mark`.
    private func readThrough(_ mark: String, _ connection: Int32) -> String? {
        let mark = Array(mark.utf8)
        var searched = 0
        while true {
            while searched + mark.count <= received.count {
                if received[searched..<searched + mark.count].elementsEqual(mark) {
                    return take(searched + mark.count, connection).map { String(decoding: $0, as: UTF8.self) }
                }
                searched += 1
            }
            guard receive(connection) else { return nil }
        }
    }
}
