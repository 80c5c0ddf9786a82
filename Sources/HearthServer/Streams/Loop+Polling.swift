// Long polls: answered at once when there is something to tell, else kept until there is.
import HearthCore
import HearthEngine
import HearthStorage
import HearthSync
import HearthWire

extension Loop {
    /// Decides a long poll (event-streams.md §2).
    func beginPoll(
        _ poll: RESTFeed.LongPoll, _ request: DataRequest, on connection: Connection
    ) throws(RESTError) {
        if case .cursor(let cursor) = poll.since, cursor.isWhole, poll.limit > 0, request.call.query == nil {
            // Nothing need be known of the present state before it is entered, where it is judged, too.
            return try subscribe(poll, request, since: cursor, on: connection)
        }
        guard let sight = request.namespace.look(services, newestOwn: connection.newestWrite) else {
            throw .unknownNamespace
        }
        guard mayRead(request, sight, on: connection) else { return }
        if let query = request.call.query { try requireIndex(query, request, in: sight.state) }
        switch poll.since {
        case .beginning: try answerPresent(poll, request, sight, isResync: false, on: connection)
        case .now where poll.limit == 0 || poll.timeout == .zero:
            answerEvents(
                request, .init(revision: sight.state.revision), until: sight.position, on: connection)
        case .now: try subscribe(poll, request, since: nil, on: connection)
        case .cursor(let cursor) where !cursor.isWhole:
            // A stream was told a part of something. Polls tell no parts.
            try answerPresent(poll, request, sight, isResync: true, on: connection)
        case .cursor(let cursor):
            if poll.limit == 0, cursor.epoch == request.namespace.epoch {
                // So many events are reached at once: the client stays where it is.
                let revision = min(cursor.revision, sight.state.revision)
                return answerEvents(request, .init(revision: revision), until: sight.position, on: connection)
            }
            try subscribe(poll, request, since: cursor, on: connection)
        }
    }

    private func answerPresent(
        _ poll: RESTFeed.LongPoll, _ request: DataRequest, _ sight: Sight, isResync: Bool,
        on connection: Connection
    ) throws(RESTError) {
        if poll.limit == 0 && !isResync {
            let events = Telling.Events(revision: sight.state.revision)
            return answerEvents(request, events, until: sight.position, on: connection)
        }
        let telling = request.telling
        let place = sight.state.root.descendant(at: request.call.location.path)
        let isPlain = request.reply.form.print == .plain && request.reply.form.callback == nil
        do throws(Refusal) {
            if place.weight > ValueSource.threshold, isPlain {
                let text = try PresentText(.poll(isResync: isResync), poll.events, telling, sight.state)
                return stream(text, request, sight, on: connection)
            }
            let events = try telling.present(sight.state, poll.events)
            answerEvents(request, events, isResync: isResync, until: sight.position, on: connection)
        } catch {
            throw RESTError(error)
        }
    }

    /// Sends a large present state piece by piece, as chunks of one answer.
    private func stream(
        _ text: PresentText, _ request: DataRequest, _ sight: Sight, on connection: Connection
    ) {
        let reply = request.reply(sight.state, tagged: nil)
        var head: [UInt8] = []
        let keepsAlive = reply.appendHead(status: 200, body: .chunked, to: &head)
        connection.outbox.append(until: sight.position, durable: durable) { $0 += head }
        hold(connection, until: sight.position)
        let isChunked = reply.version == .http11
        let source = PieceSource(text, isChunked: isChunked, prefersWorker: true, workers: services.workers)
        _ = connection.outbox.reserve(.source(source))
        if !keepsAlive { connection.incoming = .discarded }
        markDirty(connection)
    }

    private func subscribe(
        _ poll: RESTFeed.LongPoll, _ request: DataRequest, since cursor: Cursor?, on connection: Connection
    ) throws(RESTError) {
        let view = request.view
        var judgement = request.reading
        guard let entry = try enter(view, request, since: cursor, by: &judgement, on: connection) else {
            return
        }
        let sight = Sight(state: entry.state, position: entry.position, rules: nil)
        if case .resync = entry.resumption {
            request.namespace.unsubscribe(from: entry.id, on: index, judged: judgement)
            return try answerPresent(poll, request, sight, isResync: true, on: connection)
        }
        let subscriber = enter(.poll(poll), request, entry, judged: judgement, on: connection)
        subscriber.deadline = deadline(after: poll.timeout)
        if case .replay(let replay) = entry.resumption {
            subscriber.revision = cursor?.revision ?? entry.state.revision
            catchUp(subscriber, replay, until: entry.position)
        } else if poll.timeout == .zero {
            let events = Telling.Events(revision: entry.state.revision)
            answer(subscriber, events, until: entry.position)
        }
    }

    /// Enters a subscriber at its namespace; nil if it may not read and is answered here.
    func enter(
        _ view: View, _ request: DataRequest, since cursor: Cursor?, by judgement: inout ReadJudgement,
        on connection: Connection
    ) throws(RESTError) -> HearthEngine.Subscription? {
        do throws(EntryRefusal) {
            return try request.namespace.subscribe(
                to: view, on: index, since: cursor, by: &judgement, now: services.clock.milliseconds)
        } catch {
            switch error {
            case .gone: throw .unknownNamespace
            case .denied(let explanation, let position):
                deny(request, explanation, until: position, on: connection)
                return nil
            }
        }
    }

    func deadline(after duration: Duration) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(duration.nanoseconds)
        return overflow ? .max : sum
    }

    /// Tells a poll what it has missed: here if that is little, else on a worker.
    private func catchUp(_ subscriber: Subscriber, _ replay: Replay, until position: Position) {
        guard case .poll(let poll) = subscriber.kind else { return }
        let telling = subscriber.request.telling
        let revision = subscriber.revision
        let tell = { @Sendable () -> Result<Telling.Events, Refusal> in
            do throws(Refusal) {
                let steps = replay.steps().lazy.map { Step($0) }
                return .success(
                    try telling.events(of: steps, poll.events, limit: poll.limit, from: revision))
            } catch {
                return .failure(error)
            }
        }
        guard replay.weight > ValueSource.threshold else {
            return finishCatchUp(subscriber, tell(), present: replay.present.revision, until: position)
        }
        subscriber.phase = .catchingUp([])
        let (token, slot, mailbox) = (subscriber.token, subscriber.slot, mailbox)
        services.workers.run {
            let result = tell()
            mailbox.post(
                .resume(token) { loop, connection in
                    guard let subscriber = connection.subscriber(slot) else { return }
                    loop.finishCatchUp(subscriber, result, present: replay.present.revision, until: position)
                })
        }
    }

    private func finishCatchUp(
        _ subscriber: Subscriber, _ result: Result<Telling.Events, Refusal>, present: Revision,
        until position: Position
    ) {
        guard case .poll(let poll) = subscriber.kind else { return }
        do throws(Refusal) {
            var events = try result.get()
            guard events.count == 0 else { return answer(subscriber, events, until: position) }
            // Nothing of the asked kinds was missed: what was published meanwhile is next.
            subscriber.revision = present
            if case .catchingUp(let backlog) = subscriber.phase {
                subscriber.phase = .live
                deliver(backlog, to: [subscriber])
            }
            guard poll.timeout == .zero, isSubscribed(subscriber) else { return }
            events.revision = present
            answer(subscriber, events, until: position)
        } catch {
            end(subscriber, RESTError(error))
        }
    }

    /// Whether a subscriber has not been answered or ended yet.
    func isSubscribed(_ subscriber: Subscriber) -> Bool {
        connection(subscriber.token)?.subscriber(subscriber.slot) === subscriber
    }

    /// Answers a poll and forgets it, or parks it if it has been told everything up to its revision.
    func answer(
        _ subscriber: Subscriber, _ events: Telling.Events, until position: Position, parks: Bool = false
    ) {
        guard let connection = connection(subscriber.token) else { return }
        let text = PollAnswer.text(subscriber.request, events, isResync: false, keepsAlive: !isStopping)
        let isParked = parks && text.keepsAlive && park(subscriber, on: connection)
        if !isParked { unsubscribe(subscriber) }
        finish(subscriber, text.bytes, keepsAlive: text.keepsAlive, until: position, on: connection)
        markDirty(connection)
    }

    /// Answers a poll, which is no longer told anything, with bytes that may be shared with others; the
    /// connection is to be looked after then.
    func finish(
        _ subscriber: Subscriber, _ bytes: [UInt8], keepsAlive: Bool, until position: Position,
        on connection: Connection
    ) {
        connection.forget(subscriber)
        connection.outbox.finish(subscriber.slot, bytes, until: position, durable: durable)
        hold(connection, until: position)
        if !keepsAlive { connection.incoming = .discarded }
    }

    /// Ends a poll with an error.
    func end(_ subscriber: Subscriber, _ error: RESTError, until position: Position = 0) {
        guard let connection = connection(subscriber.token) else { return }
        unsubscribe(subscriber)
        var reply = subscriber.request.reply
        if isStopping { reply.keepsAlive = false }
        var bytes: [UInt8] = []
        let retry = error.status == 503 ? 1 : nil
        let keepsAlive = reply.append(error, retryAfterSeconds: retry, to: &bytes)
        finish(subscriber, bytes, keepsAlive: keepsAlive, until: position, on: connection)
        markDirty(connection)
    }

    private func answerEvents(
        _ request: DataRequest, _ events: Telling.Events, isResync: Bool = false, until position: Position,
        on connection: Connection
    ) {
        let text = PollAnswer.text(request, events, isResync: isResync, keepsAlive: !isStopping)
        respond(connection, until: position) { output in
            output += text.bytes
            return text.keepsAlive
        }
    }
}

extension Connection {
    /// The subscriber that has a place among the replies, nil if it is gone.
    func subscriber(_ slot: UInt64) -> Subscriber? {
        subscriptions.first { $0.slot == slot }
    }

    /// Takes a subscriber off the list, the only one most often.
    fileprivate func forget(_ subscriber: Subscriber) {
        if subscriptions.count == 1, subscriptions[0] === subscriber {
            subscriptions.removeLast()
        } else {
            subscriptions.removeAll { $0 === subscriber }
        }
    }
}

/// The answer to a long poll.
enum PollAnswer {
    /// The whole answer, and whether the connection stays open after it.
    static func text(
        _ request: DataRequest, _ events: Telling.Events, isResync: Bool, keepsAlive: Bool
    ) -> (bytes: [UInt8], keepsAlive: Bool) {
        let cursor = Cursor(epoch: request.namespace.epoch, revision: events.revision)
        var json: [UInt8] = []
        json.reserveCapacity(events.text.count + 80)
        LongPollText.appendStart(cursor: cursor, isResync: isResync, to: &json)
        json += events.text
        LongPollText.appendEnd(to: &json)
        var reply = request.reply
        reply.cursor = cursor
        if !keepsAlive { reply.keepsAlive = false }
        if reply.form.print == .pretty { json = PrettyText.pretty(json) }
        var bytes: [UInt8] = []
        let stays = reply.append(json: json, to: &bytes)
        return (bytes, stays)
    }
}
