// A client that follows a place by an event stream, and goes on after a cut with the last `id` that it got.
import HearthTesting
import HearthWire

/// Follows by Server-Sent Events: the value by `put` and `patch`, or the children by child events.
final class StreamFollower: Client {
    private let identity: Identity
    private let path: [String]
    private let tellsChildren: Bool
    private var random: SeededRandom
    private var told: Told
    private var line: Line?
    private var isAsking = false
    private var parser = SSEParser()
    private var value = Value.null
    /// Children of a state, or events of a commit, that were told in part.
    private var part: [ToldEvent] = []
    private var isInState = true
    /// Whether the next event of a value is the first one of a connection.
    private var isFirst = true
    private var isCalmingDown = false
    private(set) var eventCount = 0
    private(set) var resyncCount = 0

    init(_ identity: Identity, path: [String], tellsChildren: Bool, _ random: SeededRandom) {
        self.identity = identity
        self.path = path
        self.tellsChildren = tellsChildren
        self.random = random
        told = Told(who: identity.name, path: path, isAdministrator: identity.isAdministrator)
    }

    var name: String { identity.name }
    var namespace: String { identity.namespace }

    /// Whether it may read its place at present.
    func mayRead(_ chronicle: Chronicle) -> Bool {
        identity.isAdministrator || chronicle.allowsReading(path, at: chronicle.revision)
    }

    func calmDown() { isCalmingDown = true }
    var isCalm: Bool { true }

    /// Whether nothing that happened up to a revision is still to be told.
    func isUpToDate(_ revision: Int64, _ chronicle: Chronicle) -> Bool {
        let value = chronicle.tree(at: revision)[path]
        guard part.isEmpty, let last = told.revision else { return isInState && value.children.isEmpty }
        return chronicle.tree(at: last)[path] == value
    }

    func act(_ surroundings: any Surroundings) throws(Violation) {
        if line == nil {
            guard isCalmingDown || random.oneIn(2) else { return }
            line = surroundings.connect()
            isAsking = false
        }
        guard let line else { return }
        if !isAsking { ask(line) }
        for happening in try line.receive() {
            switch happening {
            case .answer(let answer): try takeRefusal(answer, surroundings)
            case .begins: surroundings.trace("\(name) streams from \(parser.lastID)")
            case .bytes(let bytes): try take(bytes, surroundings)
            case .ended: self.line = nil
            }
        }
        guard self.line != nil, line.silence > 1_500 || (!isCalmingDown && random.oneIn(300)) else { return }
        line.leave(silently: random.oneIn(2))
        self.line = nil
    }

    private func ask(_ line: Line) {
        isAsking = true
        isFirst = true
        var parameters = ""
        if tellsChildren { parameters += "&events=child_added,child_changed,child_removed,child_moved" }
        var headers = identity.headers + ["Accept: text/event-stream"]
        let last = parser.lastID
        parser = SSEParser(lastID: last)
        if last.isEmpty {
            part = []
            isInState = true
        } else {
            headers.append("Last-Event-ID: \(last)")
        }
        line.ask(.get, identity.target(path, parameters), headers)
    }

    private func takeRefusal(_ answer: Answer, _ surroundings: any Surroundings) throws(Violation) {
        surroundings.trace("\(name) is told \(answer.status)")
        isAsking = false
        switch answer.status {
        case 200, 408, 503: break
        case 401 where !identity.isAdministrator:
            try surroundings.withChronicle(identity.namespace) { chronicle throws(Violation) in
                guard chronicle.couldBeDenied(reading: path, since: told.revision ?? 0) else {
                    throw Violation("\(name): denied what was always allowed")
                }
            }
        default: throw Violation("\(name): \(answer.status): \(answer.text)")
        }
    }

    private func take(_ bytes: [UInt8], _ surroundings: any Surroundings) throws(Violation) {
        let durable = surroundings.durable
        for event in try events(in: bytes) {
            surroundings.trace("\(name) is told \(event.name) \(event.lastID)")
            eventCount += 1
            try surroundings.withChronicle(identity.namespace) { chronicle throws(Violation) in
                try take(event, &chronicle, durable)
            }
            isFirst = false
        }
    }

    private func events(in bytes: [UInt8]) throws(Violation) -> [SSEEvent] {
        let result: Result<[SSEEvent], SSEError> = bytes.withUnsafeBytes { bytes in
            do throws(SSEError) {
                return .success(try parser.events(in: bytes))
            } catch {
                return .failure(error)
            }
        }
        guard case .success(let events) = result else { throw Violation("\(name): an endless event") }
        return events
    }

    private func take(
        _ event: SSEEvent, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        if event.name == "cancel" || event.name == "auth_revoked" {
            guard chronicle.couldBeDenied(reading: path, since: told.revision ?? 0) else {
                throw Violation("\(name): \(event.name) without a reason")
            }
            return
        }
        guard let cursor = StreamCursor(event.lastID, chronicle.epoch) else {
            throw Violation("\(name): the id \(event.lastID) is not of the epoch \(chronicle.epoch)")
        }
        let json = Value(json: event.data)
        switch event.name {
        case "keep-alive":
            guard part.isEmpty else { throw Violation("\(name): a sign of life within a write") }
            try told.take(cursor: cursor.revision, &chronicle, durable)
        case "resync":
            resyncCount += 1
            part = []
            isInState = true
            try told.take(state: nil, at: cursor.revision, &chronicle, durable)
        case "put", "patch":
            guard let json else { throw Violation("\(name): no JSON: \(event)") }
            try take(event.name, json, cursor.revision, &chronicle, durable)
        default:
            guard let json, let event = ToldEvent(event.name, json) else {
                throw Violation("\(name): an event that cannot be read: \(event)")
            }
            try take(event, cursor, &chronicle, durable)
        }
    }

    private func take(
        _ kind: String, _ json: Value, _ revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        let place = (json["path"].string ?? "").split(separator: "/").map(String.init)
        if kind == "put" {
            value = value.setting(json["data"], at: place[...])
        } else {
            for (name, new) in json["data"].children {
                value = value.setting(new, at: (place + name.split(separator: "/").map(String.init))[...])
            }
        }
        let isState = isFirst && kind == "put" && place.isEmpty
        if isState, told.revision.map({ chronicle.mayForget($0, path: path) || $0 == revision }) ?? true {
            if told.revision != nil { resyncCount += 1 }
            return try told.take(state: value, at: revision, &chronicle, durable)
        }
        try told.take(value: value, of: revision, &chronicle, durable)
    }

    private func take(
        _ event: ToldEvent, _ cursor: StreamCursor, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        if isInState, event.kind == .added, cursor.isInState || isOfState(cursor) {
            return try takeChild(event, cursor, &chronicle, durable)
        }
        if isInState, let last = told.revision, !chronicle.tree(at: last)[path].children.isEmpty {
            throw Violation("\(name): was not told of the state at \(last)")
        }
        part.append(event)
        guard cursor.isWhole else { return }
        defer { part = [] }
        isInState = false
        try told.take(events: part, of: cursor.revision, &chronicle, durable)
    }

    /// Whether a whole cursor stands at the last child of a state, and not at the first commit after a state
    /// that had none.
    private func isOfState(_ cursor: StreamCursor) -> Bool {
        guard cursor.isWhole else { return false }
        return told.revision.map { $0 == cursor.revision } ?? true
    }

    /// A child of the state that a stream begins with.
    private func takeChild(
        _ event: ToldEvent, _ cursor: StreamCursor, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        part.append(event)
        guard cursor.isWhole else { return }
        defer { part = [] }
        isInState = false
        let children = Dictionary(part.map { ($0.key, $0.value) }) { first, _ in first }
        guard children.count == part.count else { throw Violation("\(name): a child is told twice") }
        try told.take(state: .object(children), at: cursor.revision, &chronicle, durable)
    }
}
