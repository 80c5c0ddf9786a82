// Follows a place in the tree by long-poll, over lost connections and restarts of the server.

public import HearthWire

/// Asks for events again and again, each time from the cursor behind the last complete answer.
///
/// An answer counts only when all of it has arrived: one that is cut is thrown away and asked for again with
/// the same cursor, so that no event is lost and none comes twice. Memory is bounded by the largest answer,
/// which is the present state where that is asked for.
public struct EventFollower {
    /// Where a stream begins.
    public enum Start: Equatable, Sendable {
        /// With the present state, then what follows.
        case present
        /// With what comes from now on.
        case now
        /// Behind the write with this cursor.
        case after(String)
    }

    /// What is followed.
    public struct Subject: Sendable {
        /// The place, as `/rooms/lobby`.
        public var path: String
        /// The kinds of events.
        public var events: [EventKind]
        /// The parameters of a query (rest-api.md §5), not yet encoded; empty without one.
        public var query: [(name: String, value: String)]

        /// All kinds of child events of a place by default.
        public init(
            path: String, events: [EventKind] = [.childAdded, .childChanged, .childRemoved, .childMoved],
            query: [(name: String, value: String)] = []
        ) {
            self.path = path
            self.events = events
            self.query = query
        }
    }

    /// What a follower tells about the way to the server.
    public enum Notice: Equatable, Sendable {
        /// Something went wrong that may pass; the next attempt comes after `pause`.
        case lost(ClientError, pause: Duration)
        /// The server answers again.
        case restored
    }

    private let client: Client
    private let subject: Subject
    private let pollSeconds: Int
    private let notice: (Notice) -> Void
    private var start: Start
    private var backOff: BackOff
    private var isLost = false

    /// Prepares to follow; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - pollSeconds: how long the server may wait for an event before it answers without one; 30 by
    ///     default.
    ///   - notice: called when the way to the server is lost and when it is there again.
    public init(
        _ subject: Subject, from start: Start, through client: Client, backOff: BackOff = BackOff(),
        pollSeconds: Int = 30, notice: @escaping (Notice) -> Void = { _ in }
    ) {
        self.subject = subject
        self.start = start
        self.client = client
        self.backOff = backOff
        self.pollSeconds = pollSeconds
        self.notice = notice
    }

    /// The cursor to go on with; nil before the first answer unless one was given.
    public var cursor: String? {
        if case .after(let cursor) = start { return cursor }
        return nil
    }

    /// Waits for the next answer that tells something: events, a resync, or where the stream begins.
    ///
    /// - Throws: what cannot pass: a refusal, an answer that is none, `interrupted`; and any failure before
    ///   the first answer of all, unless it continues from a cursor or the server itself asked to come again.
    public mutating func next() throws(ClientError) -> EventBatch {
        while true {
            let isFirst = cursor == nil
            do throws(ClientError) {
                let batch = try ask()
                noteAnswer()
                start = .after(batch.cursor)
                if isFirst || batch.isResync || !batch.events.isEmpty { return batch }
            } catch {
                try waitAfter(error)
            }
        }
    }

    private func ask() throws(ClientError) -> EventBatch {
        let request = ClientRequest(
            .get, RequestTarget(ofData: subject.path, query: parameters), patience: .seconds(pollSeconds + 20)
        )
        let body = try client.collect(request, limit: .max).body
        do throws(EventBatchFault) {
            return try EventBatch(parsing: body)
        } catch {
            throw .badAnswer(server: client.address.description, reason: error.reason)
        }
    }

    private var parameters: [(name: String, value: String)] {
        let kinds = subject.events.map { "\($0.name)" }.joined(separator: ",")
        var parameters = [(name: "feed", value: "longpoll"), (name: "events", value: kinds)]
        switch start {
        case .present: break
        case .now: parameters.append(("since", "now"))
        case .after(let cursor): parameters.append(("since", cursor))
        }
        // From now on: the answer with the cursor must come at once, or a write could fall in between. After
        // a loss: an answer at once says that the server is there again.
        parameters.append(("timeout", start == .now || isLost ? "0s" : "\(pollSeconds)s"))
        return parameters + subject.query
    }

    private mutating func noteAnswer() {
        backOff.reset()
        guard isLost else { return }
        isLost = false
        notice(.restored)
    }

    private mutating func waitAfter(_ error: ClientError) throws(ClientError) {
        guard error.mayPass else { throw error }
        var retryAfter: Int?
        if case .refused(let refusal) = error { retryAfter = refusal.retryAfter }
        guard cursor != nil || retryAfter != nil else { throw error }
        isLost = true
        var random = SystemRandomNumberGenerator()
        let pause = backOff.next(retryAfter: retryAfter, using: &random)
        notice(.lost(error, pause: pause))
        guard client.pause(pause) else { throw .interrupted }
    }
}
