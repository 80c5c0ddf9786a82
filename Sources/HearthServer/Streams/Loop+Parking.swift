// Polls between two requests: who has been told everything asks for what follows, most often at once.
import HearthCore
import HearthEngine
import HearthRules
import HearthWire

extension Loop {
    /// Keeps an answered poll in its feed, if the same request from where the answer ends may take it up
    /// again. It is not told anything there.
    ///
    ///     waiting ──▶ answered ──▶ parked ──▶ waiting     the same poll again, from the answer's cursor on
    ///                                │
    ///                                └──────▶ forgotten   another request, or something to be told
    ///
    /// When it is taken up it knows all that happened, as if it had waited all the time: nothing did.
    ///
    /// - Precondition: the answer tells everything up to the subscriber's revision.
    /// - Returns: whether it is kept.
    func park(_ subscriber: Subscriber, on connection: Connection) -> Bool {
        guard case .live = subscriber.phase, connection.parked == nil, !isStopping,
            let last = connection.lastRequest, last.request === subscriber.request,
            connection.parser.variation != nil,
            // Whether it may read must be asked each time.
            !subscriber.judgement.reads.usesNow
        else { return false }
        subscriber.isParked = true
        connection.parked = subscriber
        services.metrics.subscriptions.add(-1)
        return true
    }

    /// Has the parked poll of a connection wait again, if the request that has come is the same one from the
    /// cursor on that was told last.
    ///
    /// - Returns: whether it waits.
    func takeUpParked(on connection: Connection) -> Bool {
        guard let subscriber = connection.parked, case .poll(let poll) = subscriber.kind,
            let place = connection.parser.variation
        else { return false }
        let epoch = subscriber.request.namespace.epoch
        let revision = connection.parser.withLast(place) { Cursor.revision($0, in: epoch) }
        guard revision == subscriber.revision else { return false }
        connection.parked = nil
        connection.lastRequest?.isBehind = true
        subscriber.isParked = false
        subscriber.slot = connection.outbox.reserve(.pending)
        subscriber.deadline = deadline(after: poll.timeout)
        connection.subscriptions.append(subscriber)
        services.metrics.subscriptions.add()
        markDirty(connection)
        return true
    }

    /// Takes the parked poll of a connection out of its feed: the next one is entered anew.
    func forgetParked(on connection: Connection) {
        guard let subscriber = connection.parked else { return }
        connection.parked = nil
        subscriber.isParked = false
        services.metrics.subscriptions.add()
        unsubscribe(subscriber)
    }

    /// The same, wherever it is parked.
    func forgetParked(_ subscriber: Subscriber) {
        guard let connection = connection(subscriber.token) else { return }
        forgetParked(on: connection)
    }
}
