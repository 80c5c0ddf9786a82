// What a read wants to be told after the value: nothing, one poll of events, or a stream.

public import HearthCore

/// Where a client wants events to begin. Source: event-streams.md §2.
public enum RESTSince: Equatable, Sendable {
    /// With the present state.
    case beginning
    /// With what is written from now on.
    case now
    /// With what was written after a state the client knows.
    case cursor(Cursor)
}

/// What a read asks for beside, or instead of, the value. Source: event-streams.md §2, §3.
public enum RESTFeed: Equatable, Sendable {
    /// The value, once.
    case value
    /// One answer with child events, as soon as there are any.
    case longPoll(LongPoll)
    /// A stream of `put` and `patch`.
    case changes(since: RESTSince)
    /// A stream of child events.
    case childEvents(EventKinds, since: RESTSince)

    /// The parameters of a long-poll.
    public struct LongPoll: Equatable, Sendable {
        /// The kinds asked for.
        public var events: EventKinds
        /// Where to begin.
        public var since: RESTSince
        /// How long to wait, at most 10 minutes; zero never waits.
        public var timeout: Duration
        /// After how many events to stop, at the end of a write; at least 0.
        public var limit: Int
    }

    init(_ head: borrowing HTTPRequestHead, _ parameters: RESTParameters) throws(RESTError) {
        if let feed = parameters[.feed], !feed.isEmpty {
            guard feed == "longpoll", head.method == .get else { throw .badFeed }
            self = .longPoll(try LongPoll(parameters))
        } else if head.method == .get, head.fields.value(of: .accept, has: "text/event-stream") {
            let since = try Self.streamStart(head, parameters)
            let events = try Self.events(parameters)
            self = events.map { .childEvents($0, since: since) } ?? .changes(since: since)
        } else {
            self = .value
        }
    }

    /// `Last-Event-ID`, which browsers add when they come back, wins over the `since` of the address.
    private static func streamStart(
        _ head: HTTPRequestHead, _ parameters: RESTParameters
    ) throws(RESTError) -> RESTSince {
        if let id = try head.soleText(of: .lastEventID), !id.isEmpty {
            guard let cursor = Cursor(id) else { throw .badCursor }
            return .cursor(cursor)
        }
        return try RESTSince(parameters)
    }

    fileprivate static func events(_ parameters: RESTParameters) throws(RESTError) -> EventKinds? {
        guard let list = parameters[.events] else { return nil }
        guard let events = EventKinds(list: list) else { throw .badEvents }
        return events
    }
}

extension RESTSince {
    init(_ parameters: RESTParameters) throws(RESTError) {
        switch parameters[.since] {
        case nil, "": self = .beginning
        case "now": self = .now
        case let text?:
            guard let cursor = Cursor(text) else { throw .badCursor }
            self = .cursor(cursor)
        }
    }
}

extension RESTFeed.LongPoll {
    init(_ parameters: RESTParameters) throws(RESTError) {
        events = try RESTFeed.events(parameters) ?? EventKinds(.childAdded)
        since = try RESTSince(parameters)
        timeout = .seconds(30)
        limit = 1_000
        if let text = parameters[.timeout] {
            guard let duration = Duration(parameter: text), duration <= .seconds(600) else {
                throw .badTimeout(atMost: "10min")
            }
            timeout = duration
        }
        if let text = parameters[.limit] {
            guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy(\.isDigit), let number = Int(text)
            else {
                throw .badEventLimit
            }
            limit = number
        }
    }
}
