// From bytes to requests: what arrives is cut into heads and bodies, and each request is acted on in its
// turn.
import HearthWire

extension Loop {
    /// Reads what the socket has, once, and acts on every request that is complete.
    func receive(_ connection: Connection) {
        if let channel = connection.secure { return receive(connection, through: channel) }
        switch poller.receive(connection.token.descriptor, into: scratch) {
        case .bytes(let count):
            take(UnsafeRawBufferPointer(rebasing: scratch[..<count]), from: connection)
        case .wouldBlock: break
        case .ended: clientEnded(connection)
        case .failed: close(connection)
        }
    }

    /// Acts on input that was left because the connection was owed too much, or a request was not decided
    /// yet.
    func resumeReading(_ connection: Connection) {
        guard !connection.input.isEmpty, mayAct(connection) else { return }
        switch connection.incoming {
        case .head, .webSocket: process(connection)
        case .body, .blocked, .discarded: break
        }
    }

    /// The client will send no more: what it asked for is still answered, but nobody waits for an event
    /// with it.
    func clientEnded(_ connection: Connection) {
        connection.hasEnded = true
        if !connection.subscriptions.isEmpty { return close(connection) }
        switch connection.incoming {
        case .body, .webSocket: close(connection)
        case .head, .blocked, .discarded: break
        }
    }

    /// Acts on bytes of a client, and keeps those that are too early.
    func take(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        if case .discarded = connection.incoming { return }
        connection.isStarved = false
        guard connection.input.isEmpty, mayAct(connection) else {
            connection.input.append(bytes)
            return process(connection)
        }
        // The common case: whole requests, used where they were received.
        let used = process(bytes, of: connection)
        if used < bytes.count, self.connection(connection.token) != nil {
            connection.input.append(UnsafeRawBufferPointer(rebasing: bytes[used...]))
        }
    }

    private func process(_ connection: Connection) {
        let used = process(connection.input.bytes, of: connection)
        connection.input.consume(min(used, connection.input.count))
        connection.input.releaseIfEmpty()
    }

    /// Whether the next request of a connection may be acted on.
    func mayAct(_ connection: Connection) -> Bool {
        switch connection.incoming {
        case .blocked: false
        case .discarded, .body: true
        case .webSocket(let link):
            !link.isHeld && connection.outbox.byteCount + link.session.output.byteCount < 1 << 20
        case .head:
            connection.outbox.slotCount < services.configuration.limits.pipelinedRequests
                && connection.outbox.byteCount < 1 << 20
        }
    }

    /// Acts on the requests at the front of `bytes` and returns how many bytes are done with.
    private func process(_ bytes: UnsafeRawBufferPointer, of connection: Connection) -> Int {
        var used = 0
        while used < bytes.count, mayAct(connection) {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            do throws(HTTPParseError) {
                let count = try step(rest, of: connection)
                used += count.used
                guard count.isComplete else { break }
            } catch {
                refuse(connection, error)
                return bytes.count
            }
        }
        return used
    }

    /// Takes the next head or the next piece of a body.
    private func step(
        _ rest: UnsafeRawBufferPointer, of connection: Connection
    ) throws(HTTPParseError) -> (used: Int, isComplete: Bool) {
        switch connection.incoming {
        case .head:
            if connection.parser.takeRepetition(of: rest) != .none {
                connection.isStarved = false
                if let count = repeatLast(on: connection) { return (count, true) }
                return (try begin(connection.parser.last, in: rest, on: connection), true)
            }
            guard let head = try connection.parser.nextUnknown(in: rest) else {
                connection.isStarved = true
                return (0, false)
            }
            connection.isStarved = false
            return (try begin(head, in: rest, on: connection), true)
        case .body(let upload):
            let piece = try upload.decoder.next(in: rest)
            take(
                UnsafeRawBufferPointer(rebasing: rest[piece.bytes]), isLast: piece.isLast, of: upload,
                connection)
            return (piece.consumed, piece.consumed > 0 || piece.isLast)
        case .webSocket(let link):
            let used = take(rest, of: link, on: connection)
            return (used, used > 0)
        case .blocked: return (0, false)
        case .discarded: return (rest.count, true)
        }
    }

    /// Begins a request whose head has come: without a body, or with a small one that has come with it as a
    /// whole, it is acted on at once.
    ///
    /// - Returns: how many bytes are done with.
    private func begin(
        _ head: HTTPRequestHead, in rest: UnsafeRawBufferPointer, on connection: Connection
    ) throws(HTTPParseError) -> Int {
        services.metrics.requests.add()
        if connection.parked != nil { forgetParked(on: connection) }
        if head.repetition == .none { connection.lastRequest = nil }
        if connection.isProxied { try note(head, on: connection) }
        let route = Route(head)
        guard head.hasBody else {
            act(head, route, .none, on: connection)
            return head.byteCount
        }
        if route == .data, let end = head.end(in: rest, services.configuration.limits) {
            let body = UnsafeRawBufferPointer(rebasing: rest[head.byteCount..<end])
            act(head, route, .here(body), on: connection)
            return end
        }
        let upload = try Upload(head, route, services: services)
        connection.incoming = .body(upload)
        prepare(upload, on: connection)
        return head.byteCount
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, of upload: Upload, _ connection: Connection
    ) {
        guard upload.take(bytes) else {
            return refuse(connection, .overloaded)
        }
        guard isLast else { return }
        connection.incoming = .head
        act(upload.head, upload.route, .gathered(upload), on: connection)
    }

    /// Answers what cannot be understood, and ends the connection: where the next request begins is unknown.
    func refuse(_ connection: Connection, _ error: HTTPParseError) {
        if case .body(let upload) = connection.incoming { upload.abandon() }
        connection.incoming = .discarded
        var head = HTTPResponseHead(status: error.status, body: .none)
        head.keepsAlive = false
        reply(connection, head, ErrorBody.json(error.message), until: 0)
    }

    /// Writes a reply in its place and keeps it there until the journal has come to `position`.
    func reply(_ connection: Connection, _ head: HTTPResponseHead, _ body: [UInt8], until position: Int64) {
        connection.outbox.append(until: position, durable: durable) { output in
            var head = head
            head.body = .length(body.count)
            HTTPResponseWriter.append(head, to: &output)
            output.append(contentsOf: body)
        }
        hold(connection, until: position)
        if !head.keepsAlive { connection.incoming = .discarded }
        markDirty(connection)
    }
}

/// The body of a request, complete.
enum ArrivedBody {
    case none
    /// It was received with its head, and is good until the loop receives again.
    case here(UnsafeRawBufferPointer)
    /// It came piece by piece.
    case gathered(Upload)
}

extension HTTPRequestHead {
    /// Where the body ends, if it is small and has come with the head as a whole; nil for others.
    fileprivate func end(in rest: UnsafeRawBufferPointer, _ limits: Configuration.Limits) -> Int? {
        guard case .length(let count) = body, !expectsContinue,
            count <= min(16 << 10, limits.bodyBytes, limits.inlineBytes, rest.count - byteCount)
        else { return nil }
        return byteCount + count
    }
}

extension HTTPParseError {
    /// What a client gets when the bodies of all clients together take too much memory.
    static var overloaded: HTTPParseError {
        HTTPParseError(status: 503, message: "Too many large requests are being received; try again later.")
    }
}
