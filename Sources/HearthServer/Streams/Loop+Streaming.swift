// Event streams: the state or what was missed first, then every commit as it becomes durable.
import HearthCore
import HearthEngine
import HearthStorage
import HearthSync
import HearthWire

extension Loop {
    /// Begins a stream of changes, or of child events if `kinds` says which (event-streams.md §3).
    func beginStream(
        _ kinds: EventKinds?, _ since: RESTSince, _ request: DataRequest, on connection: Connection
    ) throws(RESTError) {
        var cursor: Cursor?
        if case .cursor(let given) = since { cursor = given }
        let view = request.view
        var judgement = request.reading
        guard let entry = try enter(view, request, since: cursor?.base, by: &judgement, on: connection)
        else {
            return
        }
        do throws(RESTError) {
            if let query = request.call.query { try requireIndex(query, request, in: entry.state) }
            let isNow = since == .now
            let resumption = isNow ? .current : entry.resumption
            let beginning = try beginning(kinds, resumption, request, entry.state, after: cursor)
            begin(beginning, request, entry, judged: judgement, on: connection)
        } catch {
            request.namespace.unsubscribe(from: entry.id, on: index, judged: judgement)
            throw error
        }
    }

    /// How a stream begins: bytes, and perhaps more that comes later.
    private struct Beginning {
        let kinds: EventKinds?
        var bytes: [UInt8] = []
        var source: (any ReplySource)?
        var replay: Replay?
        /// How far the stream came before.
        var known: Cursor?
    }

    private func beginning(
        _ kinds: EventKinds?, _ resumption: Resumption, _ request: DataRequest, _ state: State,
        after known: Cursor?
    ) throws(RESTError) -> Beginning {
        var beginning = Beginning(kinds: kinds)
        request.reply.appendStreamHead(to: &beginning.bytes)
        beginning.bytes += SSEText.start
        beginning.known = known
        // Only a stream of child events is ever told a part.
        let isUnknown = kinds == nil && known?.isWhole == false
        do throws(Refusal) {
            switch isUnknown ? Resumption.resync : resumption {
            case .current: try appendRest(kinds, request, state, to: &beginning)
            case .replay(let replay):
                try appendRest(kinds, request, replay.beginning, to: &beginning)
                if beginning.source != nil || replay.weight > ValueSource.threshold {
                    beginning.replay = replay
                } else {
                    beginning.bytes += try request.telling.stream(replay, kinds, after: known)
                }
            case .present: try appendPresent(kinds, request, state, to: &beginning)
            case .resync:
                beginning.known = nil
                if kinds != nil {
                    let cursor = request.telling.cursor(state.revision)
                    SSEText.appendResync(cursor: cursor, to: &beginning.bytes)
                }
                try appendPresent(kinds, request, state, to: &beginning)
            }
        } catch {
            throw RESTError(error)
        }
        return beginning
    }

    /// Appends the rest of a state that was told in part, if one was.
    private func appendRest(
        _ kinds: EventKinds?, _ request: DataRequest, _ state: @autoclosure () -> State,
        to beginning: inout Beginning
    ) throws(Refusal) {
        guard case .children = beginning.known?.part else { return }
        try appendPresent(kinds, request, state(), to: &beginning)
    }

    private func appendPresent(
        _ kinds: EventKinds?, _ request: DataRequest, _ state: State, to beginning: inout Beginning
    ) throws(Refusal) {
        let telling = request.telling
        if let kinds {
            append(
                try PresentText(.stream, kinds, telling, state, after: beginning.known), request, state,
                to: &beginning)
        } else {
            let value = try telling.view.excerpt(in: state)
            let text = PutText(value, telling.topFormat, telling.cursor(state.revision))
            append(text, request, state, to: &beginning)
        }
    }

    private func append(
        _ text: some PieceText, _ request: DataRequest, _ state: State, to beginning: inout Beginning
    ) {
        if state.root.descendant(at: request.call.location.path).weight > ValueSource.threshold {
            beginning.source = PieceSource(
                text, isChunked: false, prefersWorker: true, workers: services.workers)
        } else {
            var text = text
            while let piece = text.next() { beginning.bytes += piece }
        }
    }

    private func begin(
        _ beginning: Beginning, _ request: DataRequest, _ entry: HearthEngine.Subscription,
        judged judgement: ReadJudgement, on connection: Connection
    ) {
        connection.outbox.append(until: entry.position, durable: durable) { $0 += beginning.bytes }
        hold(connection, until: entry.position)
        if let source = beginning.source { _ = connection.outbox.reserve(.source(source)) }
        let catchUpSlot = beginning.replay.map {
            catchUp(connection, request, $0, (beginning.kinds, beginning.known), until: entry.position)
        }
        connection.incoming = .discarded
        let kind: Subscriber.Kind = beginning.kinds.map { .childEvents($0) } ?? .changes
        let subscriber = enter(kind, request, entry, judged: judgement, on: connection)
        subscriber.catchUpSlot = catchUpSlot
        subscriber.deadline = deadline(after: services.configuration.timeouts.keepAlive)
    }

    /// Has a worker tell what was missed, in a place of its own before the live events, and returns the
    /// place.
    private func catchUp(
        _ connection: Connection, _ request: DataRequest, _ replay: Replay,
        _ form: (kinds: EventKinds?, known: Cursor?),
        until position: Position
    ) -> UInt64 {
        let slot = connection.outbox.reserve()
        let telling = request.telling
        let (token, mailbox) = (connection.token, mailbox)
        services.workers.run {
            let result: Result<[UInt8], Refusal>
            do throws(Refusal) {
                result = .success(try telling.stream(replay, form.kinds, after: form.known))
            } catch {
                result = .failure(error)
            }
            mailbox.post(
                .resume(token) { loop, connection in
                    // A stream that was ended meanwhile is told nothing more.
                    guard connection.subscriptions.contains(where: { $0.catchUpSlot == slot }) else { return }
                    guard case .success(let text) = result else { return loop.close(connection) }
                    connection.outbox.fill(slot, .held(text, until: position))
                    loop.hold(connection, until: position)
                })
        }
        return slot
    }

    /// Appends events to a stream, or keeps them until its beginning is sent; cuts a stream that does not
    /// keep up.
    func append(_ bytes: [UInt8], to subscriber: Subscriber, _ connection: Connection) {
        guard !bytes.isEmpty else { return }
        let backlog = connection.outbox.byteCount + subscriber.delayedByteCount
        guard backlog <= services.configuration.limits.streamBacklogBytes else {
            services.metrics.streamsCut.add()
            services.log.warning("stream cut: its reader is too slow", ("backlog", "\(backlog)"))
            return close(connection)
        }
        let isNext = connection.outbox.firstSlotNumber == subscriber.slot && subscriber.delayed.isEmpty
        if case .stream = connection.outbox.first, isNext {
            connection.outbox.append(shared: bytes)
        } else {
            subscriber.delayed.append(bytes)
            subscriber.delayedByteCount += bytes.count
        }
        settleSoon(connection)
    }

    /// Lets go what waited for the beginning of a stream to be sent.
    func releaseDelayed(_ connection: Connection) {
        guard case .stream = connection.outbox.first,
            let subscriber = connection.subscriber(connection.outbox.firstSlotNumber),
            !subscriber.delayed.isEmpty
        else { return }
        for bytes in subscriber.delayed { connection.outbox.append(shared: bytes) }
        subscriber.delayed = []
        subscriber.delayedByteCount = 0
    }

    /// A sign of life on a stream, with a cursor that moves on although nothing happens here.
    func keepAlive(_ subscriber: Subscriber, _ connection: Connection) {
        subscriber.deadline = deadline(after: services.configuration.timeouts.keepAlive)
        guard let revision = settledRevision(of: subscriber) else { return }
        var text: [UInt8] = []
        SSEText.appendKeepAlive(
            cursor: Cursor(epoch: subscriber.request.namespace.epoch, revision: revision), to: &text)
        append(text, to: subscriber, connection)
    }
}
