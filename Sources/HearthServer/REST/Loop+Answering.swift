// The answer that is a value: written at once if it is small, else piece by piece, and in time if the client
// has set a time.
import HearthCore
import HearthStorage
import HearthWire

extension Loop {
    /// Answers with a value: at once if it is small, else piece by piece from the state that it belongs to.
    func send(
        _ value: Excerpt, _ format: NodeSerializer.Format, _ reply: RESTReply, until position: Position,
        on connection: Connection
    ) {
        if let byteCount = copiedByteCount(of: value, format, reply) {
            return respond(connection, until: position) { output in
                output.makeRoom(byteCount + 512)
                let keepsAlive = reply.appendHead(status: 200, body: .length(byteCount), to: &output)
                NodeSerializer.append(value, format, to: &output)
                return keepsAlive
            }
        }
        if isWritten(value, format, reply) {
            return respondWithText(reply, until: position, on: connection)
        }
        send(reply.isHead ? nil : source(of: value, format, reply), reply, until: position, on: connection)
    }

    /// Answers a read, unless what it asks for is ready later than it allows.
    ///
    /// A large value counts as ready when its first piece is: from then on the client sets the pace.
    ///
    /// - Throws: 400 if the time is over.
    func answer(
        _ request: DataRequest, _ value: Excerpt, _ reply: RESTReply, until position: Position,
        on connection: Connection
    ) throws(RESTError) {
        guard request.deadline != nil else {
            return send(value, request.format, reply, until: position, on: connection)
        }
        if isWritten(value, request.format, reply) {
            try requireTime(request)
            return respondWithText(reply, until: position, on: connection)
        }
        guard !reply.isHead else {
            try requireTime(request)
            return send(nil, reply, until: position, on: connection)
        }
        let source = source(of: value, request.format, reply)
        connection.incoming = .blocked
        let (token, mailbox) = (connection.token, mailbox)
        services.workers.run {
            source.prepare()
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    do throws(RESTError) {
                        try loop.requireTime(request)
                        loop.send(source, reply, until: position, on: connection)
                    } catch {
                        loop.refuse(connection, request, error)
                    }
                })
        }
    }

    /// Checks that a read has not taken longer than its client allows.
    ///
    /// - Throws: 400 if it has.
    func requireTime(_ request: DataRequest) throws(RESTError) {
        guard let deadline = request.deadline, services.clock.monotonicNanoseconds > deadline else { return }
        throw .readTimedOut
    }

    /// The length of a text that is copied into the answer as it is; nil if the answer is another one.
    private func copiedByteCount(
        of value: Excerpt, _ format: NodeSerializer.Format, _ reply: RESTReply
    ) -> Int? {
        guard reply.form.print == .plain, reply.form.callback == nil, !reply.isHead,
            let byteCount = NodeSerializer.copiedByteCount(of: value, format),
            byteCount <= ValueSource.threshold
        else { return nil }
        return byteCount
    }

    /// Whether a value goes out in one go; its text stands in `text` then.
    private func isWritten(_ value: Excerpt, _ format: NodeSerializer.Format, _ reply: RESTReply) -> Bool {
        text.removeAll(keepingCapacity: true)
        // A query that nothing matches finds no children, which is not the same as no value.
        if value.isEmpty, format.arrays == .belowTop {
            text.append(contentsOf: "{}".utf8)
            return true
        }
        guard value.weight > ValueSource.threshold, reply.form.print != .silent, reply.form.callback == nil,
            !format.isShallow || value.childCount > 1000
        else {
            NodeSerializer.append(value, format, to: &text)
            return true
        }
        return false
    }

    /// Answers with what stands in `text`.
    private func respondWithText(_ reply: RESTReply, until position: Position, on connection: Connection) {
        respond(connection, until: position) { reply.append(json: text, to: &$0) }
        if text.capacity > 2 * ValueSource.threshold { text = [] }
    }

    private func source(
        of value: Excerpt, _ format: NodeSerializer.Format, _ reply: RESTReply
    ) -> ValueSource {
        let isLarge = value.weight > services.configuration.limits.inlineBytes
        return ValueSource(
            NodeSerializer(value, format), isChunked: reply.version == .http11, isLarge: isLarge,
            workers: services.workers)
    }

    /// Answers with what a source writes; without one with the head alone.
    private func send(
        _ source: ValueSource?, _ reply: RESTReply, until position: Position, on connection: Connection
    ) {
        var head: [UInt8] = []
        let keepsAlive = reply.appendHead(status: 200, body: .chunked, to: &head)
        connection.outbox.append(until: position, durable: durable) { $0 += head }
        hold(connection, until: position)
        if let source { _ = connection.outbox.reserve(.source(source)) }
        if !keepsAlive { connection.incoming = .discarded }
        markDirty(connection)
    }
}

extension [UInt8] {
    /// Makes sure that so many bytes can be appended without moving what is there several times.
    fileprivate mutating func makeRoom(_ byteCount: Int) {
        guard capacity - count < byteCount else { return }
        reserveCapacity(Swift.max(count + byteCount, 2 * capacity))
    }
}
