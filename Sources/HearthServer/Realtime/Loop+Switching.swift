// How a client goes over from long polls to a WebSocket, with its session (wire-protocol.md §3.4).
import HearthCore
import HearthWire

extension Loop {
    /// A WebSocket that is to be attached to a session: it is handed to the session's loop if there is one.
    func attach(
        _ connection: Connection, to id: String, _ agreement: WebSocketAgreement
    ) {
        guard let loop = services.sessions.loop(of: id), loop != index else {
            return attachHere(connection, to: id, agreement)
        }
        connection.incoming = .blocked
        departures.append(Departing(connection: connection, loop: loop, session: id, agreement: agreement))
    }

    /// Hands connections over, now that nothing of this turn looks at them any more.
    func departAll() {
        guard !departures.isEmpty else { return }
        var leaving: [Departing] = []
        swap(&leaving, &departures)
        for one in leaving where connection(one.connection.token) != nil {
            let departure = depart(one.connection)
            let (id, agreement) = (one.session, one.agreement)
            services.mailboxes[one.loop].post(.perform { $0.arrive(departure, at: id, agreement) })
        }
    }

    private func attachHere(_ connection: Connection, to id: String, _ agreement: WebSocketAgreement) {
        guard let session = sessions[id], case .poll(let link) = session.link, link.successor == nil else {
            // Without its session a client begins anew.
            connection.incoming = .discarded
            let refusal = Packet { RealtimeText.appendReset(host: agreement.host, to: &$0) }
            connection.outbox.append(shared: refusal.frames(nil))
            connection.outbox.appendToTail { WebSocketFrames.appendClose(.normal, to: &$0) }
            return markDirty(connection)
        }
        link.successor = connection
        let limit = services.configuration.limits.realtimeMessageBytes
        connection.incoming = .webSocket(
            WebSocketLink(session, compresses: agreement.compresses, messageLimit: limit, now: now))
        connection.outbox.append(shared: Packet(RealtimeText.switching).frames(nil))
        markDirty(connection)
    }

    /// Takes a connection out of this loop.
    private func depart(_ connection: Connection) -> Departure {
        dirty.removeAll { $0 === connection }
        poller.forget(connection.token)
        connections[Int(connection.token.descriptor)] = nil
        connectionCount -= 1
        return Departure(connection: connection)
    }

    private func arrive(_ departure: Departure, at id: String, _ agreement: WebSocketAgreement) {
        let connection = departure.connection
        guard welcome(connection) else { return }
        attachHere(connection, to: id, agreement)
    }

    /// The client has said on the WebSocket that it comes: what it says there waits until it has gone here.
    func noteSwitch(of session: Session) {
        guard case .poll(let link) = session.link, link.successor != nil else { return }
        link.isSwitched = true
        markDirty(session)
    }

    /// The client has said by a poll that nothing more comes that way.
    func noteEnd(of session: Session) {
        guard case .poll(let link) = session.link, link.successor != nil else { return }
        link.isEnded = true
        markDirty(session)
    }

    /// Goes over, once the client has said both: what is owed by now still goes to the polls.
    func finishSwitching(_ session: Session, _ link: PollLink) {
        guard case .poll = session.link, link.isSwitched, link.isEnded, !session.isBlocked,
            let connection = link.successor
        else { return }
        #if DEBUG
            if PlantedFault.isPlanted(.dropsWhatPollsAreOwed) { link.dropOutgoing() }
            if PlantedFault.isPlanted(.endsSessionsThatGoOver) { runOnDisconnect(of: session) }
        #endif
        link.append(Packet(RealtimeText.ended))
        link.isClosing = true
        link.successor = nil
        session.leaving = link
        session.link = .webSocket(connection)
        markDirty(session)
        markDirty(connection)
    }

    /// A WebSocket is gone. The session goes on if the client had not come over.
    func detach(_ connection: Connection, from session: Session) {
        guard case .poll(let link) = session.link, link.successor === connection, !link.isSwitched else {
            return end(session)
        }
        link.successor = nil
    }
}

/// What was agreed on when a WebSocket was opened.
struct WebSocketAgreement: Sendable {
    let host: String
    let compresses: Bool
}

/// A connection that is to go to another loop.
struct Departing {
    let connection: Connection
    let loop: Int
    let session: String
    let agreement: WebSocketAgreement
}

/// A connection on its way from one loop to another.
// Safe although a connection belongs to one loop: the first one has forgotten it, and the second one takes it
// up only when it hears of it.
struct Departure: @unchecked Sendable {
    let connection: Connection
}
