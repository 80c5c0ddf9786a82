// What each connection waits for, how long it may, and what happens then.
import HearthWire

extension Loop {
    /// Says anew what a connection waits for; a deadline that is running for the same thing runs on.
    func updateDeadline(_ connection: Connection) {
        let (waiting, patience) = expectation(of: connection)
        if waiting != connection.waiting || waiting == .event {
            connection.waiting = waiting
            connection.deadline = patience
        }
        guard connection.deadline < connection.timerDeadline else { return }
        connection.timerDeadline = connection.deadline
        timers.add(connection.token, at: connection.deadline)
    }

    private func expectation(of connection: Connection) -> (Connection.Waiting, Int64) {
        if let channel = connection.secure, !channel.isOpen { return (.handshake, after(patience.handshake)) }
        if connection.outbox.byteCount > 0 { return (.send, after(patience.send)) }
        switch connection.incoming {
        case .discarded where connection.outbox.slotCount == 0: return (.end, after(2_000_000_000))
        case .body(let upload) where upload.wantsMore: return (.body, after(patience.body))
        case .webSocket(let link): return (.event, deadline(of: link))
        case .head where connection.parser.isInsideHead || !connection.input.isEmpty:
            return (.head, after(patience.head))
        default: break
        }
        if !connection.subscriptions.isEmpty {
            let subscriber = connection.subscriptions[0]
            return (.event, min(subscriber.deadline, subscriber.revocationDeadline))
        }
        guard connection.outbox.slotCount == 0, case .head = connection.incoming else {
            return (.ourselves, .max)
        }
        return (.request, after(patience.idle))
    }

    private func after(_ nanoseconds: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(nanoseconds)
        return overflow ? .max : sum
    }

    /// Deals with all deadlines that have passed.
    func expireTimers() {
        while let token = timers.expire(now: now) {
            guard let connection = connection(token) else { continue }
            connection.timerDeadline = .max
            // What it waited for may have come in this very turn: that is found out when the turn ends.
            guard !connection.isDirty else { continue }
            if connection.deadline <= now {
                giveUp(connection)
            } else if connection.deadline < .max {
                connection.timerDeadline = connection.deadline
                timers.add(token, at: connection.deadline)
            }
        }
    }

    private func giveUp(_ connection: Connection) {
        switch connection.waiting {
        case .request, .send, .end: return close(connection)
        case .handshake:
            services.metrics.handshakesFailed.add()
            return close(connection)
        case .head, .body:
            services.metrics.timedOut.add()
            refuse(connection, HTTPParseError(status: 408, message: "The request did not arrive in time."))
        case .event:
            if case .webSocket(let link) = connection.incoming {
                expire(link, on: connection)
            } else {
                expireSubscription(of: connection)
            }
        case .ourselves: connection.deadline = .max
        }
        markDirty(connection)
    }
}
