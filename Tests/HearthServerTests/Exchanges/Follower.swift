// A client of a stream that keeps nothing but what it is told, and comes back with its cursor.
import HearthCore
import HearthServer
import Testing

/// One stream's end: what it has been told so far, and the cursor that it holds.
struct Follower {
    /// How a stream is told.
    enum Form: CaseIterable {
        /// `put` and `patch`.
        case changes
        /// Child events on a stream.
        case childEvents
        /// The value as one event, on a stream.
        case values
        /// Child events, asked for again and again.
        case polls
        /// The value as one event, asked for again and again.
        case valuePolls

        /// Whether the children are rebuilt from their events.
        var tellsChildren: Bool { self == .childEvents || self == .polls }
    }

    static let allKinds = "child_added,child_changed,child_removed,child_moved"

    let place: String
    let query: String
    let form: Form
    private var client: TestClient?
    private(set) var cursor: Cursor?
    private(set) var resyncCount = 0
    /// How often it came back in the middle of a write or of its beginning.
    private(set) var partCount = 0
    /// The value as `put` and `patch`, or `value`, tell it.
    private(set) var value = Node.empty
    /// The children as the events tell them.
    private(set) var children: [Key: Node] = [:]
    /// Their order as `previous` tells it; only by key, where a commit moves none, it can be kept exactly.
    private(set) var order: [Key] = []

    init(_ place: String, _ query: String, _ form: Form) {
        self.place = place
        self.query = query
        self.form = form
    }

    var name: String { "\(form) of \(place)?\(query)" }

    /// Goes away, whatever is still under way.
    mutating func cut() {
        client = nil
    }

    /// Hears a few events, or fewer if there are no more up to `revision`.
    mutating func hear(_ count: Int, upTo revision: Revision, _ server: Server) throws {
        guard form != .polls, form != .valuePolls else { return try poll(server, limit: count) }
        var rest = count
        while rest > 0, cursor.map({ $0.revision < revision }) ?? true {
            if try hear(server) != "keep-alive" { rest -= 1 }
        }
    }

    /// Hears everything up to `revision`.
    mutating func catchUp(to revision: Revision, _ server: Server) throws {
        for _ in 0..<10_000 {
            if let cursor, cursor.revision >= revision { return }
            if form == .polls || form == .valuePolls { try poll(server, limit: 3) } else { try hear(server) }
        }
        Issue.record("\(name) never came to \(revision)")
    }

    private mutating func connected(_ server: Server) throws -> TestClient {
        if let client { return client }
        let client = try TestClient(server)
        self.client = client
        guard form != .polls, form != .valuePolls else { return client }
        let events: String? =
            switch form {
            case .childEvents: "events=\(Self.allKinds)"
            case .values: "events=value"
            default: nil
            }
        let parts = [query, events ?? ""].filter { !$0.isEmpty }
        let target = "\(place).json" + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
        // Who knows nothing yet begins with nothing.
        if lastID == nil { forget() }
        if let lastID, let cursor = Cursor(lastID), !cursor.isWhole { partCount += 1 }
        try client.openStream(target, lastID.map { ["Last-Event-ID: \($0)"] } ?? [])
        return client
    }

    /// The `id` that came last, which need not be a cursor that can be read.
    private var lastID: String?

    /// Hears the next event and returns its kind.
    @discardableResult
    private mutating func hear(_ server: Server) throws -> String {
        let event = try connected(server).readEvent()
        if let id = event.id { lastID = id }
        // An id in the middle of what belongs together is no cursor of a whole state.
        if let id = event.id, let cursor = Cursor(id), cursor.isWhole { self.cursor = cursor }
        switch event.event {
        case "keep-alive": break
        case "put": value.set(try data(of: event), at: try path(of: event))
        case "patch":
            let changes = try UpdateReader.changes(Array(try dataText(of: event).utf8))
            for change in changes {
                value.set(change.draft.node, at: try path(of: event).appending(change.path))
            }
        case "resync": resync()
        default: try hear(try node(event.data))
        }
        return event.event
    }

    private mutating func poll(_ server: Server, limit: Int) throws {
        let kinds = form == .polls ? Self.allKinds : "value"
        let since = cursor.map { "since=\($0)" } ?? ""
        let parts = [
            "feed=longpoll", "timeout=0s", "limit=\(max(limit, 1))", "events=\(kinds)", query, since,
        ]
        let target = "\(place).json?" + parts.filter { !$0.isEmpty }.joined(separator: "&")
        let reply = try connected(server).ask("GET", target)
        #expect(reply.status == 200, "\(name): \(reply)")
        let answer = try node(reply.body)
        if case .bool(true) = answer.child(try Key("resync")).leaf { resync() }
        for event in answer.child(try Key("events")).children() { try hear(event.node) }
        cursor = Cursor(try text("cursor", of: answer))
        #expect(cursor != nil, "\(name)")
    }

    private mutating func resync() {
        resyncCount += 1
        forget()
    }

    private mutating func forget() {
        value = .empty
        children = [:]
        order = []
    }

    private mutating func hear(_ event: Node) throws {
        let kind = try text("event", of: event)
        let data = event.child(try Key("data"))
        guard kind != "value" else { return value = data }
        let key = try Key(try text("key", of: event))
        let previous =
            try event.child(try Key("previous")).isEmpty ? nil : Key(try text("previous", of: event))
        switch kind {
        case "child_added":
            #expect(children.updateValue(data, forKey: key) == nil, "\(name): told twice: \(key)")
            place(key, after: previous)
        case "child_changed":
            #expect(children.updateValue(data, forKey: key) != nil, "\(name): changed, not there: \(key)")
        case "child_moved":
            #expect(children.updateValue(data, forKey: key) != nil, "\(name): moved, not there: \(key)")
            place(key, after: previous)
        case "child_removed":
            #expect(children.removeValue(forKey: key) == data, "\(name): removed as it was: \(key)")
            order.removeAll { $0 == key }
        default: Issue.record("an event of an unknown kind: \(kind)")
        }
    }

    private mutating func place(_ key: Key, after previous: Key?) {
        order.removeAll { $0 == key }
        guard let previous else { return order.insert(key, at: 0) }
        let index = order.firstIndex(of: previous).map { $0 + 1 } ?? order.endIndex
        order.insert(key, at: index)
    }

    private func text(_ name: String, of object: Node) throws -> String {
        guard case .string(let text) = object.child(try Key(name)).leaf else {
            throw Unreadable(what: name)
        }
        return text
    }

    private func node(_ text: String) throws -> Node {
        try DraftReader.draft(Array(text.utf8)).node
    }

    /// The path of a `put` or `patch`; the test's own keys need no escapes.
    private func path(of event: StreamEvent) throws -> Path {
        let text = event.data.dropFirst(#"{"path":""#.count)
        return try Path(String(text.prefix { $0 != "\"" }))
    }

    private func dataText(of event: StreamEvent) throws -> String {
        guard let start = event.data.firstRange(of: #"","data":"#), event.data.hasSuffix("}") else {
            throw Unreadable(what: event.data)
        }
        return String(event.data[start.upperBound...].dropLast())
    }

    private func data(of event: StreamEvent) throws -> Node {
        try node(try dataText(of: event))
    }

    private struct Unreadable: Error {
        let what: String
    }
}
