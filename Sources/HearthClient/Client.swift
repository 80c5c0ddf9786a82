// Asks one server, one request after the other, over a connection that is kept.

internal import HearthWire

/// A blocking HTTP/1.1 client for one server.
///
/// It keeps its connection between requests. A GET that finds it closed is sent once more over a new one; a
/// write is not, because nobody knows whether it was done. Not for several threads at once.
public final class Client {
    /// How long to wait.
    public struct Timeouts: Equatable, Sendable {
        /// For a connection to one address of the host; 10 seconds by default.
        public var connect: Duration
        /// For the next byte to go out or to come in; 60 seconds by default.
        public var idle: Duration
        /// For `100 Continue` before a file is sent without it; 1 second by default.
        public var `continue`: Duration

        /// Takes the defaults for whatever is not given.
        public init(
            connect: Duration = .seconds(10), idle: Duration = .seconds(60), continue: Duration = .seconds(1)
        ) {
            self.connect = connect
            self.idle = idle
            self.continue = `continue`
        }
    }

    /// The server that is asked.
    public let address: ServerAddress
    /// The namespace that every request names; nil leaves it to the server.
    public let namespace: String?
    private let credentials: Credentials
    private let timeouts: Timeouts
    /// Becomes readable when the program is asked to stop.
    let wakeDescriptor: Int32?
    private let trust: Trust
    private var idleConnection: Connection?

    /// Prepares to ask; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - namespace: wins over the one in `address`.
    ///   - trust: whose certificates count where TLS is spoken.
    ///   - wakeDescriptor: when it becomes readable, whatever waits ends with `ClientError.interrupted`.
    public init(
        _ address: ServerAddress, credentials: Credentials = .none, namespace: String? = nil,
        trust: Trust = .system, timeouts: Timeouts = Timeouts(), wakeDescriptor: Int32? = nil
    ) {
        self.trust = trust
        self.address = address
        self.credentials = credentials
        self.namespace = namespace ?? address.namespace
        self.timeouts = timeouts
        self.wakeDescriptor = wakeDescriptor
    }

    /// Performs a request and gives the body of the answer to `sink` while it arrives.
    ///
    /// - Throws: `refused` for a status of 400 or more, whose body does not go to the sink; what the sink
    ///   throws; everything else in `ClientError`.
    public func perform(_ request: ClientRequest, into sink: ByteSink) throws(ClientError) -> ClientAnswer {
        if let answer = try performOverIdleConnection(request, into: sink) { return answer }
        return try performAnew(request, into: sink)
    }

    /// Performs a request and returns the body of the answer, up to `limit` bytes.
    ///
    /// - Throws: as `perform(_:into:)`, and `badAnswer` for a longer body.
    public func collect(
        _ request: ClientRequest, limit: Int = 1 << 30
    ) throws(ClientError) -> (answer: ClientAnswer, body: [UInt8]) {
        var body: [UInt8] = []
        let server = address.description
        let answer = try perform(request) { (bytes: UnsafeRawBufferPointer) throws(ClientError) in
            guard body.count + bytes.count <= limit else {
                throw .badAnswer(server: server, reason: "the answer is longer than \(limit) bytes")
            }
            body += bytes
        }
        return (answer, body)
    }

    /// Lets time pass; returns false when it ended early because the program is asked to stop.
    public func pause(_ duration: Duration) -> Bool {
        Waiting.pause(duration, wakeDescriptor: wakeDescriptor)
    }

    /// Returns nil when there is no such connection, or when it ended before it brought an answer and the
    /// request may be repeated.
    private func performOverIdleConnection(
        _ request: ClientRequest, into sink: ByteSink
    ) throws(ClientError) -> ClientAnswer? {
        guard let connection = takeIdleConnection() else { return nil }
        let exchange = begin(request, over: connection)
        do throws(ClientError) {
            try send(request, in: exchange)
            _ = try exchange.waitForHead(atMost: request.patience)
        } catch {
            guard case .cutOff(_, during: .waiting) = error, request.isRepeatable else { throw error }
            return nil
        }
        return try receive(request, in: exchange, into: sink)
    }

    private func takeIdleConnection() -> Connection? {
        defer { idleConnection = nil }
        guard let idleConnection, !idleConnection.isStale else { return nil }
        return idleConnection
    }

    private func performAnew(_ request: ClientRequest, into sink: ByteSink) throws(ClientError)
        -> ClientAnswer
    {
        let opening = Connection.Opening(
            address: address, trust: trust, connectTimeout: timeouts.connect,
            wakeDescriptor: wakeDescriptor)
        let exchange = begin(request, over: try Connection(opening))
        try send(request, in: exchange)
        return try receive(request, in: exchange, into: sink)
    }

    private func begin(_ request: ClientRequest, over connection: Connection) -> Exchange {
        Exchange(
            over: connection, server: address.description, method: request.method, sendPatience: timeouts.idle
        )
    }

    private func send(_ request: ClientRequest, in exchange: Exchange) throws(ClientError) {
        let message = RequestMessage(request, to: address, namespace: namespace, credentials: credentials)
        guard try message.sendHead(in: exchange), case .file(let file) = request.body else { return }
        guard try exchange.waitForContinue(atMost: timeouts.continue) else { return }
        var sending = FileSending(file, over: exchange)
        _ = try sending.run()
    }

    private func receive(
        _ request: ClientRequest, in exchange: Exchange, into sink: ByteSink
    ) throws(ClientError) -> ClientAnswer {
        let head = try exchange.waitForHead(atMost: request.patience)
        var body = try AnswerBody(
            head.body, on: exchange.connection, server: address.description, patience: timeouts.idle)
        guard head.status < 400 else { throw try refusal(head, &body, exchange.connection) }
        var answer = ClientAnswer(head)
        answer.bodyByteCount = try body.read(into: sink)
        keep(exchange.connection, after: head, request)
        guard head.status < 300 || head.status == 304 else {
            throw .badAnswer(server: address.description, reason: "it answered \(head.status), a redirection")
        }
        return answer
    }

    private func refusal(
        _ head: HTTPReceivedResponse, _ body: inout AnswerBody, _ connection: Connection
    ) throws(ClientError) -> ClientError {
        var bytes: [UInt8] = []
        do throws(ClientError) {
            _ = try body.read { (piece: UnsafeRawBufferPointer) throws(ClientError) in
                bytes += piece.prefix(max(0, ServerRefusal.bodyLimitBytes - bytes.count))
            }
        } catch {
            // The status says enough when the connection ends early, as it may while a body is still being
            // sent.
            guard case .cutOff = error else { throw error }
        }
        return .refused(ServerRefusal(head, body: bytes))
    }

    /// Keeps a connection for the next request if both ends are in step: a file may have been sent only in
    /// part.
    private func keep(_ connection: Connection, after head: HTTPReceivedResponse, _ request: ClientRequest) {
        if case .file = request.body { return }
        if head.keepsAlive, !connection.hasUnread { idleConnection = connection }
    }
}
