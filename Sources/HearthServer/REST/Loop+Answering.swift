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
        if isWritten(value, format, reply) {
            return respondWithText(reply, until: position, on: connection)
        }
        send(reply.isHead ? nil : source(of: value, format, reply), reply, until: position, on: connection)
    }

    /// Answers a read of a value whose text is there already and what is wanted, by copying it.
    ///
    /// - Returns: false if it is to be answered in another way.
    func copy(_ value: Excerpt, _ request: DataRequest, _ sight: Sight, on connection: Connection) -> Bool {
        let format = request.format
        guard request.isPlain, let byteCount = NodeSerializer.copiedByteCount(of: value, format),
            byteCount <= ValueSource.threshold
        else { return false }
        let cursor = (epoch: request.namespace.epoch, revision: sight.state.revision)
        let keepsAlive = request.reply.keepsAlive
        var isCopied = false
        respond(connection, until: sight.position) { output in
            let start = output.count
            output.makeRoom(byteCount + 512)
            HTTPResponseWriter.appendPlain(
                byteCount: byteCount, cursor: cursor, version: request.reply.version, keepsAlive: keepsAlive,
                to: &output)
            let end = output.count + byteCount
            isCopied = NodeSerializer.copy(value, format, to: &output) && output.count == end
            // A reply without bytes is none.
            guard isCopied else {
                output.removeLast(output.count - start)
                return true
            }
            return keepsAlive
        }
        return isCopied
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
