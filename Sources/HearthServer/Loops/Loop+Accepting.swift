// How connections come and go.
import Glibc
import HearthWire

extension Loop {
    /// Takes waiting connections, at most a handful a turn so that those who are here are not kept waiting.
    func accept(_ listener: ListeningSocket) {
        for _ in 0..<64 {
            let (number, peer) = poller.accept(listener.number)
            if number == -EMFILE || number == -ENFILE {
                services.metrics.turnedAway.add()
                spare.turnAway(listener.number, by: poller)
                return
            }
            guard number >= 0 else { return }
            // A proxy's clients are counted by their requests.
            let isProxied = peer.map { services.forwarding.isProxy($0.host) } ?? false
            let visitor = isProxied ? nil : peer.map { Visitor($0.host) }
            if let visitor, !services.visitors.enter(visitor) {
                services.metrics.turnedAway.add()
                // Where TLS is spoken, what is not encrypted says nothing.
                let reason = listener.isSecure ? [] : Loop.tooManyOfOne
                poller.turnAway(number, saying: reason, scratch: scratch)
                continue
            }
            guard let connection = welcome(number, on: listener, isProxied: isProxied) else {
                if let visitor { services.visitors.leave(visitor) }
                continue
            }
            connection.visitor = visitor
        }
    }

    /// What a connection is told beyond those that one address may have.
    private static let tooManyOfOne: [UInt8] = {
        let body = ErrorBody.json(HTTPParseError.tooManyOfOne.message)
        var head = HTTPResponseHead(status: 503, body: .length(body.count))
        head.keepsAlive = false
        head.fields.append((name: "Retry-After", value: HTTPFieldValue("1")))
        var bytes: [UInt8] = []
        HTTPResponseWriter.append(head, to: &bytes)
        return bytes + body
    }()

    /// - Returns: nil if it is not served.
    private func welcome(_ number: Int32, on listener: ListeningSocket, isProxied: Bool) -> Connection? {
        let count = services.metrics.connections.add()
        guard count <= services.connectionLimit else {
            services.metrics.connections.add(-1)
            services.metrics.turnedAway.add()
            poller.close(number)
            return nil
        }
        let token = freshToken(for: number)
        do throws(SystemFailure) {
            try poller.hurry(number)
            try poller.register(token)
        } catch {
            services.metrics.connections.add(-1)
            services.log.warning("connection not served", ("reason", "\(error)"))
            poller.close(number)
            return nil
        }
        let connection = Connection(
            token: token, limits: services.httpLimits, isLocal: listener.isLocal, isProxied: isProxied,
            spares: spares)
        if listener.isSecure, let certificates = services.certificates {
            connection.secure = SecureChannel(certificates.context)
        }
        enter(connection)
        return connection
    }

    /// Takes over a connection that another loop has given up.
    ///
    /// - Returns: whether it is served.
    func welcome(_ connection: Connection) -> Bool {
        connection.token = freshToken(for: connection.token.descriptor)
        connection.outbox.use(spares)
        connection.isDirty = false
        connection.timerDeadline = .max
        connection.watch = (reading: true, writing: false)
        do throws(SystemFailure) {
            try poller.register(connection.token)
        } catch {
            services.metrics.connections.add(-1)
            services.log.warning("connection not served", ("reason", "\(error)"))
            if let visitor = connection.visitor { services.visitors.leave(visitor) }
            poller.close(connection.token.descriptor)
            return false
        }
        enter(connection)
        return true
    }

    private func freshToken(for descriptor: Int32) -> PollToken {
        generation = generation == .max ? 1 : generation + 1
        return PollToken(descriptor: descriptor, generation: generation)
    }

    private func enter(_ connection: Connection) {
        let number = Int(connection.token.descriptor)
        while connections.count <= number { connections.append(nil) }
        connections[number] = connection
        connectionCount += 1
        markDirty(connection)
    }

    /// Ends a connection at once and forgets everything about it.
    func close(_ connection: Connection) {
        let descriptor = connection.token.descriptor
        guard self.connection(connection.token) != nil else { return }
        connections[Int(descriptor)] = nil
        connectionCount -= 1
        services.metrics.connections.add(-1)
        if let visitor = connection.visitor { services.visitors.leave(visitor) }
        switch connection.incoming {
        case .body(let upload): upload.abandon()
        case .webSocket(let link): detach(connection, from: link.session)
        case .head, .blocked, .discarded: break
        }
        connection.incoming = .discarded
        for subscription in connection.subscriptions { unsubscribe(subscription) }
        connection.subscriptions = []
        forgetParked(on: connection)
        bidFarewell(connection)
        connection.outbox.removeAll()
        poller.forget(connection.token)
        poller.close(descriptor)
    }

    /// Stops taking connections, ends idle ones, and lets waiting streams know.
    func beginStopping() {
        guard !isStopping else { return }
        isStopping = true
        stopDeadline = now + services.configuration.timeouts.stop.nanoseconds
        for listener in listeners {
            poller.forget(PollToken(descriptor: listener.number, generation: 0))
            poller.close(listener.number)
        }
        listeners = []
        endSubscriptions()
        endSessions()
        for connection in connections {
            guard let connection else { continue }
            markDirty(connection)
        }
    }

    /// Ends what is left when the loop ends.
    func closeAll() {
        for connection in connections {
            guard let connection else { continue }
            close(connection)
        }
        for listener in listeners { poller.close(listener.number) }
        listeners = []
    }
}
