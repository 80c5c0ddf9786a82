// From commits to subscribers: told once they are durable, written once for all who listen in the same form.
import HearthCore
import HearthEngine
import HearthStorage
import HearthSync
import HearthWire

extension Loop {
    /// Enters a subscriber and gives it a place among the replies of its connection.
    func enter(
        _ kind: Subscriber.Kind, _ request: DataRequest, _ entry: HearthEngine.Subscription,
        judged judgement: ReadJudgement, on connection: Connection
    ) -> Subscriber {
        let id = FeedID(namespace: request.namespace.number, view: entry.id)
        let feed = feeds.feed(id, request.namespace, request.view)
        var slot = Outbox.Slot.stream
        if case .poll = kind { slot = .pending }
        let subscriber = Subscriber(
            kind, feed, request, token: connection.token, slot: connection.outbox.reserve(slot),
            judged: judgement)
        subscriber.beginning = entry.position
        subscriber.revocationDeadline = revocationDeadline(of: subscriber)
        feed.add(subscriber)
        judged.add(subscriber)
        connection.subscriptions.append(subscriber)
        services.metrics.subscriptions.add()
        markDirty(connection)
        return subscriber
    }

    /// Takes a subscriber out of its feed; its connection forgets it itself.
    func unsubscribe(_ subscriber: Subscriber) {
        let feed = subscriber.feed
        feed.remove(subscriber)
        judged.remove(subscriber)
        feeds.removeIfUnused(feed)
        services.metrics.subscriptions.add(-1)
        feed.namespace.unsubscribe(from: feed.id.view, on: index, judged: subscriber.judgement)
    }

    /// Tells subscribers what has become durable.
    func feedSubscribers() {
        for (feed, batch) in feeds.takeDurable(durable) {
            if !feed.subscribers.isEmpty { deliver(batch, to: feed.subscribers) }
            if !feed.listens.isEmpty { deliver(batch, to: feed.listens) }
            if batch.contains(where: { $0.commit.undo == nil }) {
                services.workers.run { withExtendedLifetime(batch) {} }
            }
        }
    }

    /// Tells commits, which are durable, to subscribers of one feed.
    func deliver(_ batch: [Publication], to subscribers: [Subscriber]) {
        guard let last = batch.last?.commit.revision, let first = batch.first?.commit.revision else { return }
        var texts = FeedTexts(batch, keepsAlive: !isStopping)
        for subscriber in subscribers {
            if subscriber.isParked {
                // What it misses now is told to the poll that comes.
                if subscriber.revision < last { forgetParked(subscriber) }
                continue
            }
            if case .catchingUp(let backlog) = subscriber.phase {
                subscriber.phase = .catchingUp(backlog + batch)
                continue
            }
            guard subscriber.revision < last, let connection = connection(subscriber.token),
                mayBeTold(subscriber)
            else { continue }
            // All who know everything up to this batch are told the same.
            let known = max(subscriber.revision, first - 1)
            do throws(Refusal) {
                try tell(subscriber, from: known, &texts, on: connection)
            } catch {
                refuse(subscriber, error, on: connection)
            }
        }
    }

    private func tell(
        _ subscriber: Subscriber, from known: Revision, _ texts: inout FeedTexts, on connection: Connection
    ) throws(Refusal) {
        switch subscriber.kind {
        case .poll(let poll):
            let answer = try texts.answer(poll, subscriber, from: known)
            subscriber.revision = answer.revision
            guard answer.count > 0 else { return }
            let isUpToDate = answer.keepsAlive && answer.revision == texts.last
            if !isUpToDate || !park(subscriber, on: connection) { unsubscribe(subscriber) }
            finish(subscriber, answer.bytes, keepsAlive: answer.keepsAlive, until: 0, on: connection)
            settleSoon(connection)
        case .changes:
            subscriber.revision = texts.last
            append(try texts.stream(nil, subscriber.request, from: known), to: subscriber, connection)
        case .childEvents(let kinds):
            subscriber.revision = texts.last
            append(try texts.stream(kinds, subscriber.request, from: known), to: subscriber, connection)
        }
    }

    /// A window cannot be followed any more: a poll is told why, a stream ends and comes back.
    private func refuse(_ subscriber: Subscriber, _ refusal: Refusal, on connection: Connection) {
        if case .poll = subscriber.kind { return end(subscriber, RESTError(refusal)) }
        close(connection)
    }

    /// The time of the first subscriber of a connection is up: a poll is answered without events, a stream
    /// gets a sign of life.
    func expireSubscription(of connection: Connection) {
        guard let subscriber = connection.subscriptions.first else { return }
        if subscriber.revocationDeadline <= now {
            subscriber.revocationDeadline = revocationDeadline(of: subscriber)
            guard mayBeTold(subscriber) else { return }
        }
        guard subscriber.deadline <= now, mayBeTold(subscriber) else { return }
        guard case .poll = subscriber.kind else { return keepAlive(subscriber, connection) }
        if case .catchingUp = subscriber.phase {
            subscriber.deadline = deadline(after: .seconds(1))
            return
        }
        guard let revision = settledRevision(of: subscriber) else { return }
        subscriber.revision = revision
        answer(subscriber, Telling.Events(revision: revision), until: subscriber.beginning, parks: true)
    }

    /// Tells a subscriber everything that is durable by now, and returns the revision up to which that is
    /// so: that of its namespace, so that a quiet place in a busy one does not become too old. Nil if the
    /// subscriber is gone.
    ///
    /// Whatever made the state was posted before it could be seen, so it is in the mailbox by then.
    func settledRevision(of subscriber: Subscriber) -> Revision? {
        let sight = subscriber.feed.namespace.look(services, newestOwn: 0)
        hear()
        feedSubscribers()
        guard isSubscribed(subscriber) else { return nil }
        return max(subscriber.revision, sight?.state.revision ?? 0)
    }

    /// The server stops: polls are told to come back, streams end.
    func endSubscriptions() {
        for feed in feeds.all {
            for subscriber in feed.subscribers {
                if subscriber.isParked {
                    forgetParked(subscriber)
                } else if case .poll = subscriber.kind {
                    end(subscriber, .stopping)
                } else if let connection = connection(subscriber.token) {
                    endStream(subscriber, connection, [], until: 0)
                }
            }
        }
    }

    /// Ends a stream with its last words, once the journal has come to `position`; what it has missed and
    /// was not told yet it is never told.
    func endStream(
        _ subscriber: Subscriber, _ connection: Connection, _ text: [UInt8], until position: Position
    ) {
        unsubscribe(subscriber)
        connection.subscriptions.removeAll { $0 === subscriber }
        if let slot = subscriber.catchUpSlot { connection.outbox.fill(slot, .held([], until: 0)) }
        connection.outbox.fill(subscriber.slot, .held(text, until: position))
        hold(connection, until: position)
        markDirty(connection)
    }
}

/// What a batch of commits says, written once for each form that is asked for.
struct FeedTexts {
    /// An answer that many polls share.
    struct Answer {
        let bytes: [UInt8]
        let count: Int
        let revision: Revision
        let keepsAlive: Bool
    }

    private struct PollKey: Hashable {
        let form: PollForm
        let from: Revision
    }

    private struct StreamKey: Hashable {
        let kinds: EventKinds?
        let from: Revision
        let isExport: Bool
    }

    /// The newest revision of the batch.
    let last: Revision
    private let batch: [Publication]
    private let keepsAlive: Bool
    private var answers: [PollKey: Answer] = [:]
    /// The answer that was asked for last: most often the next one asks for the same.
    private var lastAnswer: (key: PollKey, answer: Answer)?
    private var streams: [StreamKey: [UInt8]] = [:]
    /// The same of streams.
    private var lastStream: (key: StreamKey, text: [UInt8])?

    init(_ batch: [Publication], keepsAlive: Bool) {
        self.batch = batch
        self.keepsAlive = keepsAlive
        last = batch.last?.commit.revision ?? 0
    }

    /// The answer to a poll that knows everything up to `revision`.
    mutating func answer(
        _ poll: RESTFeed.LongPoll, _ subscriber: Subscriber, from revision: Revision
    ) throws(Refusal) -> Answer {
        let key = subscriber.form.map { PollKey(form: $0, from: revision) }
        if let key {
            if let lastAnswer, lastAnswer.key == key { return lastAnswer.answer }
            if let known = answers[key] { return known }
        }
        let request = subscriber.request
        let events = try request.telling.events(
            of: steps(after: revision), poll.events, limit: poll.limit, from: revision)
        let text =
            events.count > 0
            ? PollAnswer.text(request, events, isResync: false, keepsAlive: keepsAlive) : ([], true)
        let answer = Answer(bytes: text.0, count: events.count, revision: events.revision, keepsAlive: text.1)
        if let key {
            answers[key] = answer
            lastAnswer = (key, answer)
        }
        return answer
    }

    /// What goes over a stream that knows everything up to `revision`.
    mutating func stream(
        _ kinds: EventKinds?, _ request: DataRequest, from revision: Revision
    ) throws(Refusal) -> [UInt8] {
        let key = StreamKey(kinds: kinds, from: revision, isExport: request.call.form.isExport)
        if let lastStream, lastStream.key == key { return lastStream.text }
        if let known = streams[key] { return known }
        let steps = steps(after: revision)
        let text =
            if let kinds {
                try request.telling.childEvents(of: steps, kinds)
            } else {
                try request.telling.changes(of: steps)
            }
        streams[key] = text
        lastStream = (key, text)
        return text
    }

    private func steps(after revision: Revision) -> [Step] {
        batch.filter { $0.commit.revision > revision }.map { Step($0) }
    }
}
