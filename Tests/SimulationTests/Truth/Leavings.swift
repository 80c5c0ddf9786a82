// What sessions leave to be written at their end, held against what the journal keeps of it and against what
// is written in the end.
import HearthCore
import HearthStorage

/// A request of a session about what is to be written when it ends.
enum Leaving {
    case set([String], Value)
    /// Several places below one.
    case update([String], [String: Value])
    /// Nothing at and below a place.
    case cancel([String])

    /// What it adds, by address.
    var additions: [String: Value] {
        switch self {
        case .set(let path, let value): return [address(path): value]
        case .update(let base, let changes):
            let prefix = base.isEmpty ? "/" : address(base) + "/"
            return Dictionary(uniqueKeysWithValues: changes.map { (prefix + $0.key, $0.value) })
        case .cancel: return [:]
        }
    }

    /// What is left to be written after it.
    func applied(to state: [String: Value]) -> [String: Value] {
        guard case .cancel(let path) = self else { return state.merging(additions) { $1 } }
        let place = address(path)
        return state.filter { $0.key != place && !$0.key.hasPrefix(place + "/") }
    }

    var summary: String {
        switch self {
        case .set(let path, let value): "leaves \(address(path)) \(value.summary)"
        case .update(let base, let changes): "leaves \(address(base)) \(Value.object(changes).summary)"
        case .cancel(let path): "leaves nothing at \(address(path))"
        }
    }
}

/// What is known of one session and what it leaves.
struct Leavings {
    /// What became of a request, as far as the client knows.
    private enum Outcome {
        case unknown, done, refused
    }

    let isAdministrator: Bool
    private var requests: [(leaving: Leaving, outcome: Outcome)] = []
    /// What the journal has of it, record by record.
    private var records: [(position: Position, state: [String: Value])] = []
    /// How many records a client was told of.
    private var toldCount = 0
    /// Where its end is in the journal.
    private(set) var end: Position?

    init(isAdministrator: Bool) {
        self.isAdministrator = isAdministrator
    }

    /// What is to be written, by address.
    var state: [String: Value] { records.last?.state ?? [:] }

    /// Whether anything is still to be written.
    var isOwed: Bool { end == nil && !state.isEmpty }

    mutating func noteSending(_ leaving: Leaving) {
        requests.append((leaving, .unknown))
    }

    /// Takes what the journal keeps from now on; nil for nothing.
    ///
    /// - Parameters:
    ///   - mayEnd: whether the session may be over, and nothing of what it left be allowed.
    ///   - allows: whether an address may be written now.
    mutating func append(
        _ record: [UInt8]?, at position: Position, mayEnd: Bool, allows: (String) -> Bool
    ) throws(Violation) {
        guard end == nil else { throw Violation("what is left by a session that has ended is recorded") }
        guard let record else {
            // The client has cancelled it, or its end came and nothing was allowed.
            if !requests.contains(where: { if case .cancel = $0.leaving { true } else { false } }) {
                guard mayEnd, !state.keys.contains(where: allows) else {
                    throw Violation("what a session has left is dropped: \(state)")
                }
                end = position
            }
            return records.append((position, [:]))
        }
        guard let json = Value(json: record), case .object(let state) = json["set"] else {
            throw Violation("a record of what a session leaves cannot be read")
        }
        guard json["as"].string == (isAdministrator ? "administrator" : "client") else {
            throw Violation("what a session leaves is recorded in another's name")
        }
        for (place, value) in state where self.state[place] != value {
            guard requests.contains(where: { $0.outcome != .refused && $0.leaving.additions[place] == value })
            else { throw Violation("nobody leaves \(value.summary) at \(place)") }
            guard isAdministrator || allows(place) else {
                throw Violation("what is left at \(place) bypasses the rules")
            }
        }
        records.append((position, state))
    }

    /// Takes what was written at the end.
    mutating func finish(at position: Position) throws(Violation) {
        guard end == nil else { throw Violation("what a session has left is written twice") }
        end = position
    }

    /// The client is told that its oldest open request is done: the journal must have it, synced.
    mutating func noteDone(_ durable: Position) throws(Violation) {
        guard let index = requests.firstIndex(where: { $0.outcome == .unknown }) else { return }
        requests[index].outcome = .done
        var expected: [String: Value] = [:]
        for request in requests[...index] where request.outcome == .done {
            expected = request.leaving.applied(to: expected)
        }
        // What changes nothing may have no record of its own.
        let known = toldCount == 0 ? [:] : records[toldCount - 1].state
        if known == expected { return }
        let found = records.indices.dropFirst(toldCount).first { records[$0].state == expected }
        guard let found, records[found].position <= durable else {
            throw Violation("\(requests[index].leaving.summary): told before it is synced, or never kept")
        }
        toldCount = found + 1
    }

    /// The client is told that its oldest open request is not done.
    mutating func noteRefused() -> Leaving? {
        guard let index = requests.firstIndex(where: { $0.outcome == .unknown }) else { return nil }
        requests[index].outcome = .refused
        return requests[index].leaving
    }

    /// Forgets what a crash has taken.
    mutating func truncate(after position: Position) throws(Violation) {
        if let end, end > position { self.end = nil }
        records.removeAll { $0.position > position }
        guard toldCount <= records.count else {
            throw Violation("what a session leaves was acknowledged and is lost")
        }
    }
}

extension Chronicle {
    /// Notes a request that a client is about to send.
    mutating func noteSending(_ leaving: Leaving, of session: String, asAdministrator: Bool) {
        leavings[session, default: Leavings(isAdministrator: asAdministrator)].noteSending(leaving)
    }

    /// Takes a record of what a session leaves.
    mutating func append(
        _ record: [UInt8]?, of session: String, at position: Position, mayEnd: Bool
    ) throws(Violation) {
        guard var known = leavings[session] else {
            throw Violation("\(namespace): a session leaves something that nobody asked for")
        }
        let (revision, isAdministrator) = (revision, known.isAdministrator)
        try known.append(record, at: position, mayEnd: mayEnd) { place in
            isAdministrator || allowsWriting(place, at: revision)
        }
        leavings[session] = known
    }

    /// Takes the commit that writes what a session has left: all that is allowed, and that alone.
    mutating func append(_ commit: Commit, endOf session: String, at position: Position) throws(Violation) {
        guard commit.revision == revision + 1 else {
            throw Violation("\(namespace): revision \(commit.revision) follows \(revision)")
        }
        guard var known = leavings[session] else {
            throw Violation("\(namespace): what nobody left is written")
        }
        let before = tree(at: revision)
        var expected: [String: Value] = [:]
        for (place, content) in known.state
        where known.isAdministrator || allowsWriting(place, at: revision) {
            expected[place] = resolved(content, over: before[path(of: place)], at: commit.time)
        }
        var written: [String: Value] = [:]
        for edit in commit.edits {
            guard case .put(let path, let node) = edit,
                let value = Value(json: NodeSerializer.bytes(of: node))
            else { throw Violation("\(namespace): an edit that nobody left") }
            written[path.description] = value
        }
        try known.finish(at: position)
        guard written == expected else {
            throw Violation("\(namespace): at the end of a session \(written) is written, not \(expected)")
        }
        leavings[session] = known
        var next = before
        for (place, value) in written { next = next.setting(value, at: path(of: place)[...]) }
        try append(next, signature: "end of \(session)", of: commit, at: position)
    }

    /// The sessions whose writes are still to come, by name.
    var owedSessions: [String] { leavings.filter { $0.value.isOwed }.keys.sorted() }

    /// Whether somebody without a token could not leave this at some moment since `known`.
    func couldBeDenied(_ leaving: Leaving, since known: Int64) -> Bool {
        (known...revision).contains { moment in
            leaving.additions.keys.contains { !allowsWriting($0, at: moment) }
        }
    }

    private func allowsWriting(_ place: String, at revision: Int64) -> Bool {
        Operation.put(path(of: place), .null).isAllowed(by: rules(at: revision), in: tree(at: revision))
    }

    private func path(of place: String) -> [String] { place.split(separator: "/").map(String.init) }

    private func resolved(_ content: Value, over old: Value, at time: Int64) -> Value {
        switch content[".sv"] {
        case .text: return .number(Int(time))
        case .object:
            guard case .number(let number) = old else { return .number(1) }
            return .number(number + 1)
        default: return content
        }
    }
}
