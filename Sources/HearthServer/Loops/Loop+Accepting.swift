// How connections come and go.
import Glibc
import HearthWire

extension Loop {
    /// Takes waiting connections, at most a handful a turn so that those who are here are not kept waiting.
    func accept(_ listener: Int32) {
        for _ in 0..<64 {
            let (number, peer) = poller.accept(listener)
            if number == -EMFILE || number == -ENFILE {
                services.metrics.turnedAway.add()
                spare.turnAway(listener, by: poller)
                return
            }
            guard number >= 0 else { return }
            let visitor = peer.map { Visitor($0) }
            if let visitor, !services.visitors.enter(visitor) {
                services.metrics.turnedAway.add()
                poller.turnAway(number, saying: Loop.tooManyOfOne, scratch: scratch)
                continue
            }
            if !welcome(number, visitor, isLocal: localListeners.contains(listener)), let visitor {
                services.visitors.leave(visitor)
            }
        }
    }

    /// What a connection is told beyond those that one address may have.
    private static let tooManyOfOne: [UInt8] = {
        let body = ErrorBody.json("Too many connections from your address; close some or try again later.")
        var head = HTTPResponseHead(status: 503, body: .length(body.count))
        head.keepsAlive = false
        head.fields.append((name: "Retry-After", value: HTTPFieldValue("1")))
        var bytes: [UInt8] = []
        HTTPResponseWriter.append(head, to: &bytes)
        return bytes + body
    }()

    /// - Returns: whether it is served.
    private func welcome(_ number: Int32, _ visitor: Visitor?, isLocal: Bool) -> Bool {
        let count = services.metrics.connections.add()
        guard count <= services.connectionLimit else {
            services.metrics.connections.add(-1)
            services.metrics.turnedAway.add()
            poller.close(number)
            return false
        }
        let token = freshToken(for: number)
        do throws(SystemFailure) {
            try poller.hurry(number)
            try poller.register(token)
        } catch {
            services.metrics.connections.add(-1)
            services.log.warning("connection not served", ("reason", "\(error)"))
            poller.close(number)
            return false
        }
        let connection = Connection(
            token: token, limits: services.httpLimits, isLocal: isLocal, spares: spares)
        connection.visitor = visitor
        enter(connection)
        return true
    }

    /// Takes over a connection that another loop has given up.
    ///
    /// - Returns: whether it is served.
    func welcome(_ connection: Connection) -> Bool {
        connection.token = freshToken(for: connection.token.descriptor)
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
            poller.forget(PollToken(descriptor: listener, generation: 0))
            poller.close(listener)
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
        for listener in listeners { poller.close(listener) }
        listeners = []
    }
}
