// From requests to WebSockets, and from their bytes to messages.
import HearthCore
import HearthWire

extension Loop {
    /// Changes a connection to a WebSocket (`/.ws`) and begins a session on it.
    ///
    /// - Throws: 403 where a page of somebody else's asks.
    func openWebSocket(_ head: HTTPRequestHead, on connection: Connection) throws(RESTError) {
        let handshake: WebSocketHandshake
        do throws(WebSocketHandshake.Refusal) {
            handshake = try WebSocketHandshake(head)
        } catch {
            return refuse(connection, head, error)
        }
        // Whoever asks for more before the answer has come does not speak this protocol.
        guard connection.outbox.slotCount == 0 else { return refuse(connection, head, .malformed) }
        let parameters = RealtimeParameters(head)
        let host = hostMeaning(of: head)
        let name = namespaceName(head, host, parameter: parameters.namespace)
        let visit = SessionVisit(
            namespaceName: name, host: hostForClient(head, connection),
            isLocal: try isLocal(head, host, name, connection))
        connection.outbox.append(until: 0, durable: durable) { handshake.appendAnswer(to: &$0) }
        markDirty(connection)
        connection.parser.releaseStorage()
        if let id = parameters.session {
            let agreement = WebSocketAgreement(host: visit.host, compresses: handshake.compresses)
            return attach(connection, to: id, agreement)
        }
        let session = beginSession(visit, .webSocket(connection), id: services.sessions.freshID())
        if let last = parameters.lastSession { endSession(named: last, before: session) }
        let limit = services.configuration.limits.realtimeMessageBytes
        connection.incoming = .webSocket(
            WebSocketLink(session, compresses: handshake.compresses, messageLimit: limit, now: now))
        greet(session)
    }

    private func refuse(
        _ connection: Connection, _ request: HTTPRequestHead, _ refusal: WebSocketHandshake.Refusal
    ) {
        var head = HTTPResponseHead(status: refusal == .malformed ? 400 : 426, body: .none)
        head.keepsAlive = request.keepsAlive && refusal != .malformed
        head.version = request.version
        if refusal != .malformed {
            head.fields = [
                (name: "Upgrade", value: HTTPFieldValue("websocket")),
                (name: "Sec-WebSocket-Version", value: HTTPFieldValue("13")),
            ]
        }
        reply(connection, head, ErrorBody.json(refusal.text), until: 0)
    }

    /// Takes bytes of a WebSocket, up to the first message after which the client must wait.
    ///
    /// - Returns: how many bytes were taken.
    func take(_ bytes: UnsafeRawBufferPointer, of link: WebSocketLink, on connection: Connection) -> Int {
        link.lastHeard = now
        link.pinged = nil
        var start = 0
        do throws(WebSocketError) {
            while mayAct(connection), let event = try link.parser.next(in: bytes, from: &start) {
                try take(event, of: link, on: connection)
                guard case .webSocket = connection.incoming else { return bytes.count }
            }
            try bound(link)
            return start
        } catch {
            fail(connection, error)
            return bytes.count
        }
    }

    private func take(
        _ event: WebSocketParser.Event, of link: WebSocketLink, on connection: Connection
    ) throws(WebSocketError) {
        switch event {
        case .text(let text): try takeText(text, of: link)
        case .compressed(let bytes, isText: true):
            let limit = services.configuration.limits.realtimeMessageBytes
            try takeText(try compression.inflater.inflate(bytes, isText: true, limit: limit), of: link)
        case .binary, .compressed: throw WebSocketError(.unsupportedData, "messages are text")
        case .ping(let payload):
            connection.outbox.appendToTail { WebSocketFrames.appendPong(payload, to: &$0) }
        case .pong: break
        case .close(let code):
            end(connection) { WebSocketFrames.appendClose(code, to: &$0) }
        }
    }

    private func takeText(_ text: [UInt8], of link: WebSocketLink) throws(WebSocketError) {
        guard let message = try link.assembly.take(text) else { return }
        guard case .webSocket = link.session.link else {
            return try takeSecondary(message, of: link)
        }
        try take(message, of: link.session)
    }

    /// Takes a message of a WebSocket to which its client has not come over.
    private func takeSecondary(_ text: [UInt8], of link: WebSocketLink) throws(WebSocketError) {
        let message = try RealtimeMessage(reading: text)
        #if DEBUG
            if PlantedFault.isPlanted(.heedsSocketBeforePolls), case .request = message {
                return try take(text, of: link.session)
            }
        #endif
        switch message {
        case .ping:
            guard case .poll(let poll) = link.session.link, let connection = poll.successor else { return }
            connection.outbox.append(shared: Packet(RealtimeText.pong).frames(nil))
        case .switched: noteSwitch(of: link.session)
        case .request, .ended, .unknown:
            throw WebSocketError(.policyViolation, "the client has not come over")
        }
    }

    /// Checks what is held of an unfinished message.
    private func bound(_ link: WebSocketLink) throws(WebSocketError) {
        let held = link.parser.heldByteCount + link.assembly.heldByteCount
        guard held <= services.configuration.limits.realtimeMessageBytes else {
            throw WebSocketError(.tooBig, "a message is too long")
        }
    }

    /// Ends a WebSocket whose client broke the rules.
    func fail(_ connection: Connection, _ error: WebSocketError) {
        services.log.debug("WebSocket closed", ("code", "\(error.code.rawValue)"), ("reason", error.reason))
        end(connection) { WebSocketFrames.appendClose(error.code, error.reason, to: &$0) }
    }

    /// Says the last word on a WebSocket: its session ends now, the connection when the word is out.
    func end(_ connection: Connection, _ appendClose: (inout [UInt8]) -> Void) {
        guard case .webSocket(let link) = connection.incoming else { return }
        connection.incoming = .discarded
        detach(connection, from: link.session)
        connection.outbox.appendToTail(appendClose)
        markDirty(connection)
    }

    /// When to look after a WebSocket again of which nothing is heard.
    func deadline(of link: WebSocketLink) -> Int64 {
        let life = (link.pinged ?? link.lastHeard) + patience.realtime / 2
        guard case .webSocket = link.session.link else { return life }
        return min(life, link.session.tokenDeadline)
    }

    /// Nothing was heard of a client for some time: it is asked for a sign of life, and taken to be gone if
    /// it does not give one.
    func expire(_ link: WebSocketLink, on connection: Connection) {
        if link.session.tokenDeadline <= now, case .webSocket = link.session.link {
            expireToken(of: link.session)
        }
        guard now - (link.pinged ?? link.lastHeard) >= patience.realtime / 2 else { return }
        guard link.pinged == nil else {
            #if DEBUG
                if PlantedFault.isPlanted(.waitsForSilentClients) { return link.pinged = now }
            #endif
            services.metrics.timedOut.add()
            return close(connection)
        }
        link.pinged = now
        connection.outbox.appendToTail { WebSocketFrames.appendPing(to: &$0) }
    }
}

extension WebSocketHandshake.Refusal {
    /// What is wrong with the request.
    fileprivate var text: String {
        switch self {
        case .notAsked: "This address speaks WebSocket alone."
        case .unknownVersion: "This server speaks version 13 of the WebSocket protocol."
        case .malformed: "This is no WebSocket handshake."
        }
    }
}
