// How sessions come and go, and what they are sent.
import HearthStorage
import HearthWire

/// What is known of a client when it comes.
struct SessionVisit: Sendable {
    let namespaceName: String
    let host: String
    let isLocal: Bool
}

extension Loop {
    func beginSession(_ visit: SessionVisit, _ link: Session.Link, id: String) -> Session {
        let session = Session(
            id: id, namespaceName: visit.namespaceName, host: visit.host,
            isLocal: visit.isLocal, link: link)
        sessions[session.id] = session
        services.sessions.enter(session.id, on: index)
        services.metrics.sessions.add()
        return session
    }

    /// Says the first word: who speaks, and what the session is called.
    func greet(_ session: Session) {
        let time = services.clock.milliseconds
        reply(session, until: 0) {
            RealtimeText.appendHandshake(time: time, host: session.host, session: session.id, to: &$0)
        }
    }

    /// Ends a session: it listens to nothing any more and is sent nothing more; what it has left is written.
    func end(_ session: Session) {
        guard !session.hasEnded else { return }
        if let link = session.pollLink {
            farewell(link)
            if let connection = link.successor { markDirty(connection) }
            link.successor = nil
        }
        session.leaving = nil
        session.link = .none
        for listen in session.listens.values { stopFollowing(listen) }
        session.listens = [:]
        session.output = SessionOutput()
        runOnDisconnect(of: session)
        sessions[session.id] = nil
        services.sessions.leave(session.id)
        services.metrics.sessions.add(-1)
    }

    /// Ends the session that a client had before, if there still is one, and has written what that left,
    /// before anything that the client asks for in its new session is looked at.
    func endSession(named id: String, before next: Session) {
        guard let loop = services.sessions.loop(of: id), loop != index else { return endSession(named: id) }
        next.isBlocked = true
        let (mailbox, nextID) = (mailbox, next.id)
        services.mailboxes[loop].post(
            .perform { loop in
                loop.endSession(named: id)
                mailbox.post(.perform { $0.resume(nextID) { _, _ in } })
            })
    }

    private func endSession(named id: String) {
        guard let session = sessions[id] else { return }
        guard case .webSocket(let connection) = session.link else { return end(session) }
        end(connection) { WebSocketFrames.appendClose(.goingAway, "the client came back", to: &$0) }
    }

    /// Owes a session a reply, until the journal has come to `position`.
    func reply(_ session: Session, until position: Position, _ write: (inout [UInt8]) -> Void) {
        reply(session, Packet(write), until: position)
    }

    func reply(_ session: Session, _ packet: Packet, until position: Position) {
        guard !session.hasEnded else { return }
        session.output.reply(packet, until: position)
        if packet.text.count > services.configuration.limits.streamBacklogBytes / 4 {
            session.allowance += 2 * packet.text.count
        }
        if position > durable { heldSessions.append((position, session)) }
        markDirty(session)
    }

    /// Has a session looked after before the turn ends.
    func markDirty(_ session: Session) {
        guard !session.isDirty else { return }
        session.isDirty = true
        dirtySessions.append(session)
    }

    /// Sends what may leave, session by session, behind everything that has become durable by now.
    func settleSessions() {
        while !dirtySessions.isEmpty {
            var batch: [Session] = []
            swap(&batch, &dirtySessions)
            for session in batch {
                session.isDirty = false
                settle(session)
            }
        }
    }

    private func settle(_ session: Session) {
        if case .poll(let link) = session.link { return settle(session, link) }
        if let leaving = session.leaving {
            answerWaiting(leaving)
            if leaving.outgoing.isEmpty { session.leaving = nil }
        }
        guard case .webSocket(let connection) = session.link,
            case .webSocket(let link) = connection.incoming
        else { return }
        let compression = link.compresses ? compression : nil
        session.output.release(durable: durable) { packet in
            connection.outbox.append(shared: packet.frames(compression))
        }
        if keepsUp(session, connection) { markDirty(connection) }
    }

    /// Whether a client takes what it is told; if not, its session ends here.
    func keepsUp(_ session: Session, _ connection: Connection) -> Bool {
        if connection.outbox.byteCount == 0 { session.allowance = 0 }
        let backlog = connection.outbox.byteCount + session.output.byteCount
        guard backlog <= services.configuration.limits.streamBacklogBytes + session.allowance else {
            cut(session, backlog)
            return false
        }
        return true
    }

    /// Ends a session whose client does not take what it is sent; when it comes back it is told what it
    /// missed.
    func cut(_ session: Session, _ backlog: Int) {
        services.metrics.streamsCut.add()
        services.log.warning("session ended: its client is too slow", ("backlog", "\(backlog)"))
        if case .webSocket(let connection) = session.link { close(connection) } else { end(session) }
    }

    /// Ends a session whose client broke the rules.
    func fail(_ session: Session, _ error: WebSocketError) {
        if case .webSocket(let connection) = session.link { fail(connection, error) } else { end(session) }
    }

    /// Looks at the sessions whose held replies may have become durable, oldest first.
    func releaseHeldSessions() {
        var count = 0
        for entry in heldSessions {
            guard entry.position <= durable else { break }
            markDirty(entry.session)
            count += 1
        }
        if count > 0 { heldSessions.removeFirst(count) }
    }

    /// Has a worker do something for a request, and the client wait for it with all that it asks afterwards.
    ///
    /// - Parameter finish: called here with the result, unless the session has ended meanwhile; it may block
    ///   the session again.
    func work<Result: Sendable>(
        for session: Session, _ job: @escaping @Sendable () -> Result,
        _ finish: @escaping @Sendable (Loop, Session, Result) -> Void
    ) {
        session.isBlocked = true
        let (id, mailbox) = (session.id, mailbox)
        services.workers.run {
            let result = job()
            mailbox.post(.perform { loop in loop.resume(id) { finish($0, $1, result) } })
        }
    }

    /// Goes on with a session that was blocked.
    func resume(_ id: String, _ finish: (Loop, Session) -> Void) {
        guard let session = sessions[id] else { return }
        session.isBlocked = false
        finish(self, session)
        guard !session.isBlocked else { return }
        switch session.link {
        case .webSocket(let connection): markDirty(connection)
        case .poll(let link): goOn(session, link)
        case .none: break
        }
        markDirty(session)
    }

    /// Takes leave of all sessions: the server stops.
    func endSessions() {
        for session in Array(sessions.values) {
            guard case .webSocket(let connection) = session.link else {
                end(session)
                continue
            }
            end(connection) { WebSocketFrames.appendClose(.goingAway, "the server stops", to: &$0) }
        }
    }
}
