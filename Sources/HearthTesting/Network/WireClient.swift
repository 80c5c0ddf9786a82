// A client that says exactly what a test wants, byte for byte, and waits for answers with a bound.

import Glibc

/// Why a `WireClient` could not go on: the connection, not the server's opinion.
public struct WireFault: Error, Equatable, CustomStringConvertible {
    /// What happened, and after what.
    public let description: String

    /// Says what happened.
    public init(_ description: String) {
        self.description = description
    }
}

/// A blocking HTTP/1.1 connection to 127.0.0.1 that neither checks nor repairs what it sends.
///
/// Reading follows the length, the chunks or the end of the connection. It belongs to one thread at a time.
/// Programs that are started meanwhile do not inherit it.
public final class WireClient {
    /// An answer as it came; header names in lower case, the last one of a name.
    public struct Answer: Equatable, Sendable, CustomStringConvertible {
        /// The three digits of the first line.
        public var status: Int
        /// The header lines.
        public var headers: [String: String]
        /// The body, chunks put together.
        public var body: [UInt8]

        /// The body as text, what is no UTF-8 replaced.
        public var text: String { String(decoding: body, as: UTF8.self) }
        /// Status, headers and the beginning of the body.
        public var description: String { "\(status) \(headers) \(text.prefix(300))" }
    }

    /// How the end of the body that is being read is known.
    private enum Framing {
        case none
        case length(Int)
        case chunks
        case connection
    }

    private let descriptor: Int32
    private let patience: Duration
    private var unread: [UInt8] = []
    private var position = 0
    private var framing = Framing.none

    /// Connects.
    ///
    /// - Parameter patience: the longest wait for the next byte.
    /// - Throws: `WireFault` when nobody listens.
    public init(port: UInt16, patience: Duration = .seconds(30)) throws(WireFault) {
        self.patience = patience
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let result = Loopback.withAddress(port: port) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw WireFault("cannot connect to port \(port): error \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes as they are; false when the server has ended the connection.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                Glibc.send(
                    descriptor, all.baseAddress.map { $0 + sent }, all.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends text as it is; false when the server has ended the connection.
    @discardableResult
    public func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Ends our direction.
    public func endSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends a request with `Host: localhost` and, for a body, its length.
    public func begin(_ method: String, _ target: String, _ headers: [String] = [], body: [UInt8]? = nil) {
        let length = body.map { ["Content-Length: \($0.count)"] } ?? []
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers + length
        send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? []))
    }

    /// Sends a request and reads the answer.
    public func ask(
        _ method: String, _ target: String, _ headers: [String] = [], body: [UInt8]? = nil
    ) throws(WireFault) -> Answer {
        begin(method, target, headers, body: body)
        return try read(isHead: method == "HEAD")
    }

    /// Reads one answer.
    public func read(isHead: Bool = false) throws(WireFault) -> Answer {
        var answer = try readHead(isHead: isHead)
        while let piece = try readPiece() { answer.body += piece }
        return answer
    }

    /// Reads the head of an answer; `readPiece` then reads its body.
    public func readHead(isHead: Bool = false) throws(WireFault) -> Answer {
        let first = try readLine()
        let words = first.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw WireFault("no status line: \(first.prefix(100))")
        }
        var answer = Answer(status: status, headers: [:], body: [])
        while case let line = try readLine(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { throw WireFault("no header line: \(line)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            answer.headers[line[..<colon].lowercased()] = String(value)
        }
        framing = bodyFraming(of: answer, isHead: isHead)
        return answer
    }

    /// The next bytes of the body, nil behind its end.
    ///
    /// - Parameter patience: the longest wait for them; `WireFault.late` when it is over.
    public func readPiece(within patience: Duration? = nil) throws(WireFault) -> [UInt8]? {
        switch framing {
        case .none: return nil
        case .length(0):
            framing = .none
            return nil
        case .length(let left):
            if position == unread.count, try !receive(patience) { throw WireFault("the body was cut off") }
            let piece = take(min(left, unread.count - position))
            framing = .length(left - piece.count)
            return piece
        case .chunks: return try readChunk(within: patience)
        case .connection:
            if position == unread.count, try !receive(patience) { return nil }
            return take(unread.count - position)
        }
    }

    /// Reads until the server ends the connection, and returns what came.
    public func readToEnd() throws(WireFault) -> [UInt8] {
        while try receive(nil) {}
        return take(unread.count - position)
    }

    /// What a wait that was given a bound ends with.
    public static let late = WireFault("nothing came in time")

    private func bodyFraming(of answer: Answer, isHead: Bool) -> Framing {
        if isHead || answer.status < 200 || answer.status == 204 || answer.status == 304 { return .none }
        if let length = answer.headers["content-length"].flatMap({ Int($0) }) { return .length(length) }
        return answer.headers["transfer-encoding"] == "chunked" ? .chunks : .connection
    }

    private func readChunk(within patience: Duration?) throws(WireFault) -> [UInt8]? {
        let line = try readLine(within: patience)
        guard let size = Int(line, radix: 16) else { throw WireFault("no chunk size: \(line)") }
        while unread.count - position < size {
            guard try receive(nil) else { throw WireFault("a chunk was cut off") }
        }
        let piece = take(size)
        guard try readLine().isEmpty else { throw WireFault("a chunk does not end where it should") }
        if size == 0 { framing = .none }
        return size == 0 ? nil : piece
    }

    private func readLine(within patience: Duration? = nil) throws(WireFault) -> String {
        var searched = position
        while true {
            if let end = unread[searched...].firstIndex(of: 10) {
                var line = take(end + 1 - position).dropLast()
                if line.last == 13 { line = line.dropLast() }
                return String(decoding: line, as: UTF8.self)
            }
            searched = unread.count
            guard try receive(patience) else { throw WireFault("the connection ended within a line") }
        }
    }

    private func take(_ count: Int) -> [UInt8] {
        let bytes = Array(unread[position..<position + count])
        position += count
        if position == unread.count {
            unread.removeAll(keepingCapacity: true)
            position = 0
        }
        return bytes
    }

    /// Adds what comes next to `unread`; false at the end of the connection.
    private func receive(_ patience: Duration?) throws(WireFault) -> Bool {
        let wait = (patience ?? self.patience).components
        let milliseconds = wait.seconds * 1_000 + wait.attoseconds / 1_000_000_000_000_000
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&interest, 1, Int32(clamping: milliseconds)) > 0 else { throw WireClient.late }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        unread += buffer[..<count]
        return true
    }
}
