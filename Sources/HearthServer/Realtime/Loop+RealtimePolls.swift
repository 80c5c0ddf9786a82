// Long polls of the realtime protocol (`/.lp`), which may come to another loop than the session's.
import HearthCrypto
import HearthWire

extension Loop {
    /// How long a request waits for messages: clients ask anew by themselves after 25 seconds, and must have
    /// had the time to do so before they are taken to be gone.
    private var hold: Duration { min(.seconds(20), services.configuration.timeouts.realtime / 3) }

    /// How often clients that poll are looked after.
    private var sweepInterval: Duration { min(.seconds(1), hold / 4) }

    /// Decides a request to `/.lp`.
    ///
    /// - Throws: 400 for what no client asks, 403 where a page of somebody else's asks.
    func answerPoll(_ head: HTTPRequestHead, on connection: Connection) throws(RESTError) {
        let parameters = RealtimeParameters(head)
        guard head.method == .get || head.method == .post, let poll = RealtimePoll(parameters) else {
            throw RESTError(status: 400, text: "This is no request of a long-polling client.")
        }
        switch poll {
        case .start(let callback): try start(callback, parameters, head, on: connection)
        case .frame(let identity):
            respond(connection, until: 0) {
                RealtimeAnswer.append(RealtimeScript.page(identity), .html, to: head, &$0)
            }
        case .gone(let identity):
            withSession(of: identity) {
                $0.end($1)
            } otherwise: {
            }
            respond(connection, until: 0) { RealtimeAnswer.append([], .javaScript, to: head, &$0) }
        case .poll(let identity, let segments):
            let place = AnswerPlace(
                loop: index, token: connection.token, slot: connection.outbox.reserve(),
                version: head.version,
                keepsAlive: head.keepsAlive && !isStopping)
            let mailbox = mailbox
            withSession(of: identity) { loop, session in
                loop.take(segments, of: session, place)
            } otherwise: {
                mailbox.post(.perform { $0.answerStranger(place) })
            }
        }
    }

    private func start(
        _ callback: String?, _ parameters: RealtimeParameters, _ head: HTTPRequestHead,
        on connection: Connection
    ) throws(RESTError) {
        let host = hostMeaning(of: head)
        let name = namespaceName(head, host, parameter: parameters.namespace)
        let visit = SessionVisit(
            namespaceName: name, host: hostForClient(head, connection),
            isLocal: try isLocal(head, host, name, connection))
        let id = services.sessions.freshID()
        let identity = RealtimePoll.Identity(id: id, password: services.sessions.freshID())
        let limit = services.configuration.limits.realtimeMessageBytes
        let link = PollLink(identity, messageLimit: limit, now: now)
        let session = beginSession(visit, .poll(link), id: id)
        nextSweep = min(nextSweep, deadline(after: sweepInterval))
        if let last = parameters.lastSession { endSession(named: last, before: session) }
        var greeting: [UInt8] = []
        RealtimeText.appendHandshake(
            time: services.clock.milliseconds, host: session.host, session: id, to: &greeting)
        var script: [UInt8] = []
        if let callback { RealtimeScript.appendFunctions(callback: callback, to: &script) }
        RealtimeScript.appendStart(identity, to: &script)
        RealtimeScript.append([greeting], number: 0, to: &script)
        respond(connection, until: 0) { RealtimeAnswer.append(script, .javaScript, to: head, &$0) }
    }

    /// Does something with the session of a client, on its loop.
    ///
    /// - Parameter otherwise: called on any loop if there is none, or the client does not know its password.
    private func withSession(
        of identity: RealtimePoll.Identity, _ body: @escaping @Sendable (Loop, Session) -> Void,
        otherwise: @escaping @Sendable () -> Void
    ) {
        guard let loop = services.sessions.loop(of: identity.id) else { return otherwise() }
        let act: @Sendable (Loop) -> Void = { loop in
            guard let session = loop.sessions[identity.id], session.isReached(by: identity) else {
                return otherwise()
            }
            body(loop, session)
        }
        if loop == index { act(self) } else { services.mailboxes[loop].post(.perform(act)) }
    }

    private func take(_ segments: [RealtimePoll.Segment], of session: Session, _ place: AnswerPlace) {
        guard let link = session.pollLink else { return answerStranger(place) }
        link.lastHeard = now
        // When a newer one comes, those before are answered at once, with what there is.
        for waiting in link.waiting { answer(waiting.place, link.takeResponse()) }
        link.waiting = [PollLink.Waiting(place: place, deadline: deadline(after: hold))]
        do throws(WebSocketError) {
            for segment in segments { link.inbox += try link.upload.take(segment) }
            try act(onInboxOf: session, link)
        } catch {
            fail(session, error)
        }
        markDirty(session)
        nextSweep = min(nextSweep, deadline(after: sweepInterval))
    }

    /// Acts on the messages of a client in their order, up to one that must wait.
    private func act(onInboxOf session: Session, _ link: PollLink) throws(WebSocketError) {
        var count = 0
        defer { link.inbox.removeFirst(count) }
        while count < link.inbox.count, !session.isBlocked, !session.hasEnded {
            count += 1
            try take(link.inbox[count - 1], of: session)
        }
        let held = link.inbox.dropFirst(count).reduce(0) { $0 + $1.count }
        guard held <= services.configuration.limits.realtimeMessageBytes else {
            throw WebSocketError(.tooBig, "too many messages wait")
        }
    }

    /// Goes on with the messages of a client, one of which is decided now.
    func goOn(_ session: Session, _ link: PollLink) {
        do throws(WebSocketError) {
            try act(onInboxOf: session, link)
        } catch {
            fail(session, error)
        }
    }

    /// Moves what may leave to the client, and answers if there is something.
    func settle(_ session: Session, _ link: PollLink) {
        session.output.release(durable: durable) { link.append($0) }
        if link.outgoing.isEmpty { session.allowance = 0 }
        let backlog = link.outgoingByteCount + session.output.byteCount
        guard backlog <= services.configuration.limits.streamBacklogBytes + session.allowance else {
            return cut(session, backlog)
        }
        finishSwitching(session, link)
        answerWaiting(link)
    }

    /// Answers the request that waits, if there is something to say.
    func answerWaiting(_ link: PollLink) {
        guard !link.outgoing.isEmpty || link.isClosing, let waiting = link.waiting.popLast() else { return }
        answer(waiting.place, link.takeResponse())
    }

    /// Answers who is not known, or not any more: he is to begin anew.
    private func answerStranger(_ place: AnswerPlace) {
        var script: [UInt8] = []
        RealtimeScript.appendClose(after: nil, to: &script)
        answer(place, script)
    }

    /// Ends what a client that polls is told.
    func farewell(_ link: PollLink) {
        for waiting in link.waiting { answerStranger(waiting.place) }
        link.waiting = []
    }

    private func answer(_ place: AnswerPlace, _ script: [UInt8]) {
        var bytes: [UInt8] = []
        RealtimeAnswer.append(script, .javaScript, place.version, keepsAlive: place.keepsAlive, &bytes)
        guard place.loop != index else { return fill(place, bytes) }
        services.mailboxes[place.loop].post(.perform { [bytes] in $0.fill(place, bytes) })
    }

    /// Fills in an answer on the loop of its connection, if that is still there.
    private func fill(_ place: AnswerPlace, _ bytes: [UInt8]) {
        guard let connection = connection(place.token) else { return }
        connection.outbox.fill(place.slot, .held(bytes, until: 0))
        if !place.keepsAlive { connection.incoming = .discarded }
        markDirty(connection)
    }

    /// Looks after clients that poll: answers those that waited long enough, ends those that are gone.
    func sweepPolls() {
        guard nextSweep <= now else { return }
        nextSweep = .max
        let patience = services.configuration.timeouts.realtime.nanoseconds
        for session in Array(sessions.values) {
            guard let link = session.pollLink else { continue }
            nextSweep = deadline(after: sweepInterval)
            if session.tokenDeadline <= now { expireToken(of: session) }
            if let waiting = link.waiting.first, waiting.deadline <= now {
                // It waits for us, and not we for it, however late this is looked at.
                link.waiting = []
                answer(waiting.place, link.takeResponse())
            } else if now - link.lastHeard >= patience {
                services.metrics.timedOut.add()
                end(session)
            }
        }
    }
}

/// Answers to `/.lp` as HTTP: always 200, for browsers tell pages nothing else about scripts.
enum RealtimeAnswer {
    /// - Returns: whether the connection stays open.
    static func append(
        _ body: [UInt8], _ type: HTTPContentType, to request: HTTPRequestHead, _ output: inout [UInt8]
    ) -> Bool {
        append(body, type, request.version, keepsAlive: request.keepsAlive, &output)
    }

    @discardableResult
    static func append(
        _ body: [UInt8], _ type: HTTPContentType, _ version: HTTPVersion, keepsAlive: Bool,
        _ output: inout [UInt8]
    ) -> Bool {
        var head = HTTPResponseHead(status: 200, body: .length(body.count))
        head.contentType = type
        head.caching = .noStore
        head.isOpenToAnyOrigin = false
        head.version = version
        head.keepsAlive = keepsAlive
        let staysOpen = HTTPResponseWriter.append(head, to: &output)
        output.append(contentsOf: body)
        return staysOpen
    }
}

extension Session {
    /// The polls by which the client is reached, also when it has just gone over to a WebSocket.
    var pollLink: PollLink? {
        if case .poll(let link) = link { return link }
        return leaving
    }

    fileprivate func isReached(by identity: RealtimePoll.Identity) -> Bool {
        guard let known = pollLink?.identity else { return false }
        return constantTimeEqual(SHA256.digest(of: known.password), SHA256.digest(of: identity.password))
    }
}
