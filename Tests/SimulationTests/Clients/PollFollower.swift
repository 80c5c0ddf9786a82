// A client that follows a place by long polls, with nothing but its cursor from one answer to the next.
import HearthTesting
import HearthWire

/// Follows by `feed=longpoll`.
final class PollFollower: Client {
    private let identity: Identity
    private let path: [String]
    private var random: SeededRandom
    private var told: Told
    private var cursor: String?
    private var line: Line?
    private var isAsking = false
    private var isCalmingDown = false
    private(set) var answerCount = 0
    private(set) var resyncCount = 0

    init(_ identity: Identity, path: [String], _ random: SeededRandom) {
        self.identity = identity
        self.path = path
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

    /// A follower never rests by itself: whoever waits for it looks at `isUpToDate`.
    var isCalm: Bool { true }

    /// Whether it has been told everything up to a revision.
    func isUpToDate(_ revision: Int64) -> Bool { told.revision == revision }

    func act(_ surroundings: any Surroundings) throws(Violation) {
        if line == nil {
            guard isCalmingDown || random.oneIn(2) else { return }
            line = surroundings.connect()
            isAsking = false
        }
        guard let line else { return }
        for happening in try line.receive() {
            switch happening {
            case .answer(let answer):
                isAsking = false
                try take(answer, surroundings)
            case .ended: self.line = nil
            case .begins, .bytes: throw Violation("\(name): an answer without end")
            }
        }
        guard self.line != nil else { return }
        if line.silence > 1_000, isAsking || random.oneIn(40) {
            line.leave(silently: random.oneIn(2))
            self.line = nil
        } else if !isAsking {
            ask(line)
        }
    }

    private func ask(_ line: Line) {
        isAsking = true
        let kinds = "child_added,child_changed,child_removed,child_moved"
        var parameters = "&feed=longpoll&events=\(kinds)&timeout=\(isCalmingDown ? "0s" : "5s")"
        if let cursor { parameters += "&since=\(cursor)" }
        if random.oneIn(4), cursor != nil { parameters += "&limit=\(Int.random(in: 1...3, using: &random))" }
        line.ask(.get, identity.target(path, parameters), identity.headers)
    }

    private func take(_ answer: Answer, _ surroundings: any Surroundings) throws(Violation) {
        surroundings.trace("\(name) is told \(answer.status) \(answer.headers["hearth-cursor"] ?? "")")
        let durable = surroundings.durable
        switch answer.status {
        case 200: break
        case 408, 503: return
        case 401 where !identity.isAdministrator:
            return try surroundings.withChronicle(identity.namespace) { chronicle throws(Violation) in
                guard chronicle.couldBeDenied(reading: path, since: told.revision ?? 0) else {
                    throw Violation("\(name): denied what was always allowed")
                }
            }
        default: throw Violation("\(name): \(answer.status): \(answer.text)")
        }
        guard let batch = Value(json: answer.body), let text = batch["cursor"].string else {
            throw Violation("\(name): no list of events: \(answer.text)")
        }
        answerCount += 1
        try surroundings.withChronicle(identity.namespace) { chronicle throws(Violation) in
            try take(batch, text, &chronicle, durable)
        }
        cursor = text
    }

    private func take(
        _ batch: Value, _ text: String, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        guard let end = StreamCursor(text, chronicle.epoch), end.isWhole else {
            throw Violation("\(name): the cursor \(text) is not of the epoch \(chronicle.epoch)")
        }
        let items = batch["events"].items
        if batch["resync"] == .bool(true) || cursor == nil {
            if cursor != nil { resyncCount += 1 }
            return try takeState(items, at: end.revision, &chronicle, durable)
        }
        var events: [(revision: Int64, event: ToldEvent)] = []
        for item in items {
            guard let event = ToldEvent(item),
                let cursor = item["cursor"].string.flatMap({ StreamCursor($0, chronicle.epoch) })
            else { throw Violation("\(name): an event that cannot be read: \(item.summary)") }
            events.append((cursor.revision, event))
        }
        while let revision = events.first?.revision {
            let count = events.prefix { $0.revision == revision }.count
            try told.take(events: events.prefix(count).map(\.event), of: revision, &chronicle, durable)
            events.removeFirst(count)
        }
        try told.take(cursor: end.revision, &chronicle, durable)
    }

    private func takeState(
        _ items: [Value], at revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        var children: [String: Value] = [:]
        for item in items {
            guard let event = ToldEvent(item), event.kind == .added,
                children.updateValue(event.value, forKey: event.key) == nil
            else { throw Violation("\(name): a state that cannot be: \(item.summary)") }
        }
        let actual = chronicle.tree(at: revision)[path]
        let state: Value = children.isEmpty ? .null : .object(children)
        // A value without children has none to tell.
        try told.take(
            state: actual.children.isEmpty && children.isEmpty ? actual : state, at: revision, &chronicle,
            durable)
    }
}

/// A cursor as it was told.
struct StreamCursor {
    let revision: Int64
    /// How many children of the state, or events of the commit, were told, if not all.
    let isWhole: Bool
    let isInState: Bool

    /// Nil for another epoch or no cursor.
    init?(_ text: String, _ epoch: String) {
        guard text.hasPrefix(epoch + "-") else { return nil }
        let parts = text.dropFirst(epoch.count + 1).split(separator: ".")
        guard let revision = parts.first.flatMap({ Int64($0) }) else { return nil }
        self.revision = revision
        isWhole = parts.count == 1
        isInState = parts.count == 2 && parts[1].hasPrefix("s")
    }
}

extension ToldEvent {
    /// Reads an event about a child; nil if it is none.
    init?(_ item: Value) {
        guard let name = item["event"].string, let event = ToldEvent(name, item) else { return nil }
        self = event
    }

    /// The same where the kind stands elsewhere.
    init?(_ name: String, _ item: Value) {
        let kinds: [String: Kind] = [
            "child_removed": .removed, "child_added": .added, "child_changed": .changed,
        ]
        guard let kind = kinds[name], let key = item["key"].string else { return nil }
        self.init(kind: kind, key: key, value: item["data"])
    }
}
