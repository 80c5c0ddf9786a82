// What a follower was told of a place, held against what happened there.

/// An event about a child.
struct ToldEvent: Equatable {
    /// In the order in which the events of one write come.
    enum Kind: Int {
        case removed, added, changed
    }

    let kind: Kind
    let key: String
    let value: Value

    /// The events that tell the difference between two values of a place: by kind, then by key.
    static func events(from old: Value, to new: Value) -> [ToldEvent] {
        let (old, new) = (old.children, new.children)
        let removed = old.filter { new[$0.key] == nil }.map {
            ToldEvent(kind: .removed, key: $0.key, value: $0.value)
        }
        let added = new.filter { old[$0.key] == nil }.map {
            ToldEvent(kind: .added, key: $0.key, value: $0.value)
        }
        let changed = new.filter { old[$0.key].map { [value = $0.value] in $0 != value } ?? false }
            .map { ToldEvent(kind: .changed, key: $0.key, value: $0.value) }
        return sorted(removed + added + changed)
    }

    static func sorted(_ events: [ToldEvent]) -> [ToldEvent] {
        events.sorted { ($0.kind.rawValue, $0.key) < ($1.kind.rawValue, $1.key) }
    }

    /// Whether the kinds come in their order.
    static func isInOrder(_ events: [ToldEvent]) -> Bool {
        zip(events, events.dropFirst()).allSatisfy { $0.kind.rawValue <= $1.kind.rawValue }
    }
}

/// How far a follower of a place has come.
struct Told {
    let who: String
    let path: [String]
    let isAdministrator: Bool
    /// The revision up to which everything is told; nil before the first state.
    private(set) var revision: Int64?

    init(who: String, path: [String], isAdministrator: Bool) {
        self.who = who
        self.path = path
        self.isAdministrator = isAdministrator
    }

    /// The present state was told, whole, with this cursor.
    mutating func take(
        state: Value?, at revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        try check(revision, &chronicle, durable)
        if let state, state != chronicle.tree(at: revision)[path] {
            throw Violation(
                "\(who): the state at \(revision) is \(chronicle.tree(at: revision)[path].summary), told was "
                    + state.summary)
        }
        if let last = self.revision, last != revision, !chronicle.mayForget(last, path: path) {
            throw Violation("\(who): a resync at \(revision) although nothing after \(last) asks for one")
        }
        self.revision = revision
    }

    /// The events of one commit were told, all of them.
    mutating func take(
        events: [ToldEvent], of revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        try check(revision, &chronicle, durable)
        try moveOn(to: revision - 1, chronicle)
        let expected = ToldEvent.events(
            from: chronicle.tree(at: revision - 1)[path], to: chronicle.tree(at: revision)[path])
        guard ToldEvent.sorted(events) == expected, ToldEvent.isInOrder(events) else {
            throw Violation("\(who): of \(revision) was told \(events), and not \(expected)")
        }
        self.revision = revision
    }

    /// One value was told, to which a commit has led.
    mutating func take(
        value: Value, of revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        try check(revision, &chronicle, durable)
        try moveOn(to: revision - 1, chronicle)
        let tree = chronicle.tree(at: revision)
        guard value == tree[path] else {
            throw Violation(
                "\(who): at \(revision) there is \(tree[path].summary), told was \(value.summary)")
        }
        self.revision = revision
    }

    /// A cursor was told without events.
    mutating func take(
        cursor revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        try chronicle.check(revision, durable)
        try moveOn(to: revision, chronicle)
    }

    private func check(
        _ revision: Int64, _ chronicle: inout Chronicle, _ durable: Int64
    ) throws(Violation) {
        try chronicle.check(revision, durable)
        guard isAdministrator || chronicle.allowsReading(path, at: revision) else {
            throw Violation("\(who): is told of \(address(path)) at \(revision), when nobody might read it")
        }
    }

    /// Nothing happened in between that should have been told.
    private mutating func moveOn(to revision: Int64, _ chronicle: Chronicle) throws(Violation) {
        guard let last = self.revision else { return self.revision = revision }
        guard revision >= last else {
            throw Violation("\(who): is told of \(revision + 1) again, after \(last)")
        }
        let value = chronicle.tree(at: last)[path]
        for missed in last...revision where chronicle.tree(at: missed)[path] != value {
            throw Violation("\(who): was not told of \(missed)")
        }
        self.revision = revision
    }
}
