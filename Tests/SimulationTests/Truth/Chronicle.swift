// What happened in one namespace by the journal's own records, and what follows from that by the plain model.
import HearthCore
import HearthStorage

/// The commits of a namespace in their order, with the tree after each.
struct Chronicle {
    /// One commit.
    struct Entry {
        let position: Position
        let signature: String
        let time: Int64
        /// Whether its value is in a file of its own, which goes with a checkpoint: it cannot be told again
        /// then.
        let isLarge: Bool
    }

    let namespace: String
    /// The first part of its cursors; empty before it was made.
    private(set) var epoch = ""
    private var birth: Position = 0
    /// Commit 1 first.
    private(set) var entries: [Entry] = []
    /// The tree at each revision, 0 first.
    private(set) var trees: [Value] = [.null]
    /// The rules at each revision, 0 first.
    private(set) var rules: [Rules] = [.none]
    /// The writes that clients have sent, by signature.
    private var sent: [String: Sent] = [:]
    /// The newest revision that any client was told of.
    private(set) var told: Int64 = 0
    /// How often a crash has taken revisions, which then are others.
    private(set) var lossCount = 0
    /// The revisions of purges and the like: cursors before them may be too old.
    var forgotten: Int64 = 0
    /// What sessions of the realtime protocol leave to be written at their end, by session.
    var leavings: [String: Leavings] = [:]
    /// What each ETag stands for.
    private var tags: [String: Value] = [:]

    /// Writes that cannot be told apart.
    private struct Sent {
        let operation: Operation
        var isAdministrator: Bool
        var sentCount = 0
        var acknowledgedCount = 0
        var refusedCount = 0
        var committedCount = 0
        /// The one session that has sent it; nil if others have, too.
        var session: String?
    }

    init(namespace: String) {
        self.namespace = namespace
    }

    /// The namespace was made.
    mutating func begin(epoch: String, at position: Position) throws(Violation) {
        guard self.epoch.isEmpty else {
            throw Violation("\(namespace) is made again")
        }
        self.epoch = epoch
        birth = position
    }

    /// The newest revision in the journal, synced or not.
    var revision: Int64 { Int64(entries.count) }

    /// The tree at a revision.
    func tree(at revision: Int64) -> Value { trees[Int(revision)] }

    /// The rules at a revision.
    func rules(at revision: Int64) -> Rules { rules[Int(revision)] }

    /// The newest revision that is synced.
    func newest(_ durable: Position) -> Int64 {
        Int64(entries.count - entries.reversed().prefix { $0.position > durable }.count)
    }
}

extension Chronicle {
    /// Takes a commit that was written to the journal.
    mutating func append(
        _ commit: Commit, at position: Position, isLarge: Bool = false
    ) throws(Violation) {
        guard commit.revision == revision + 1 else {
            throw Violation("\(namespace): revision \(commit.revision) follows \(revision)")
        }
        let (signature, key) = try describe(commit)
        guard var sent = sent[signature] else {
            throw Violation(
                "\(namespace): commit \(commit.revision) was never sent: \(signature.prefix(200))")
        }
        let (tree, rules) = (trees[Int(revision)], rules[Int(revision)])
        guard sent.isAdministrator || sent.operation.isAllowed(by: rules, in: tree) else {
            throw Violation(
                "\(namespace): commit \(commit.revision) bypasses the rules: \(signature.prefix(200))")
        }
        if let session = sent.session, leavings[session]?.end != nil {
            throw Violation("\(namespace): \(session) has written after its end: \(signature.prefix(200))")
        }
        sent.committedCount += 1
        guard sent.committedCount <= sent.sentCount - sent.refusedCount else {
            throw Violation("\(namespace): done more often than sent, or refused: \(signature.prefix(200))")
        }
        self.sent[signature] = sent
        var next = tree
        for (path, value) in sent.operation.changes(to: tree, key: key, time: commit.time) {
            next = next.setting(value, at: path[...])
        }
        try append(next, signature: signature, of: commit, at: position, isLarge: isLarge)
        if case .rules(let new) = sent.operation { self.rules[entries.count] = new }
    }

    /// Takes the tree that a commit has led to; the rules stay.
    mutating func append(
        _ tree: Value, signature: String, of commit: Commit, at position: Position, isLarge: Bool = false
    ) throws(Violation) {
        if let last = entries.last, commit.time < last.time {
            throw Violation("\(namespace): commit \(commit.revision) is older than the one before")
        }
        rules.append(rules[entries.count])
        entries.append(Entry(position: position, signature: signature, time: commit.time, isLarge: isLarge))
        trees.append(tree)
    }

    /// Forgets what a crash has taken: everything after `position`.
    mutating func truncate(after position: Position) throws(Violation) {
        if birth > position { epoch = "" }
        for session in leavings.keys.sorted() { try leavings[session]?.truncate(after: position) }
        while let last = entries.last, last.position > position {
            guard revision > told else {
                throw Violation("\(namespace): revision \(revision) was told and is lost")
            }
            sent[last.signature]?.committedCount -= 1
            lossCount += 1
            entries.removeLast()
            trees.removeLast()
            rules.removeLast()
        }
    }

    /// The signature of the write that a commit comes from, and the name that a push was given.
    private func describe(_ commit: Commit) throws(Violation) -> (String, key: String) {
        if let text = commit.rules {
            for rules in [Rules.closed, .open] where Array(rules.text.utf8) == text {
                return (Operation.rules(rules).signature, "")
            }
            throw Violation("\(namespace): rules that nobody sent")
        }
        let base = commit.base.keys.map(\.text)
        var changes: [String: Value] = [:]
        for edit in commit.edits {
            guard case .put(let path, let node) = edit,
                let value = Value(json: NodeSerializer.bytes(of: node))
            else { throw Violation("\(namespace): an edit that nobody sent") }
            changes[path.keys.dropFirst(base.count).map(\.text).joined(separator: "/")] = value
        }
        if commit.kind == .update { return (Operation.patch(base, changes).signature, "") }
        guard let value = changes[""], changes.count == 1 else {
            throw Violation("\(namespace): a write of one place changes others")
        }
        let name = base.last ?? ""
        switch base.first {
        case "counters": return (Operation.increment(base).signature, "")
        case "stamps": return (Operation.stamp(base).signature, "")
        default: break
        }
        let isPush = name.utf8.count == 20 && name.hasPrefix("-")
        let operation = isPush ? Operation.push(base.dropLast(), value) : .put(base, value)
        return (operation.signature, isPush ? name : "")
    }
}

extension Chronicle {
    /// Notes a write that a client is about to send.
    ///
    /// - Parameter session: in which it does so, if it has any.
    mutating func noteSending(_ operation: Operation, asAdministrator: Bool, in session: String? = nil) {
        let new = Sent(operation: operation, isAdministrator: asAdministrator, session: session)
        sent[operation.signature, default: new].sentCount += 1
        if sent[operation.signature]?.session != session { sent[operation.signature]?.session = nil }
    }

    /// Holds an acknowledgement against what happened.
    mutating func noteAcknowledged(
        _ operation: Operation, revision: Int64, after known: Int64, durable: Position
    ) throws(Violation) {
        try check(revision, durable)
        guard entries[Int(revision) - 1].signature == operation.signature else {
            throw Violation(
                "\(namespace): \(operation.summary) is acknowledged as \(revision), which is "
                    + entries[Int(revision) - 1].signature.prefix(200))
        }
        guard revision > known else {
            throw Violation("\(namespace): \(operation.summary) is \(revision), \(known) was known before it")
        }
        sent[operation.signature]?.acknowledgedCount += 1
        guard let sent = sent[operation.signature], sent.acknowledgedCount <= sent.committedCount else {
            throw Violation("\(namespace): acknowledged more often than done: \(operation.summary)")
        }
        told = max(told, revision)
    }

    /// Holds an acknowledgement without a revision against what happened since `known`.
    ///
    /// - Returns: the earliest revision that it may stand for; the only one of a write like no other.
    mutating func noteAcknowledged(
        _ operation: Operation, after known: Int64, durable: Position
    ) throws(Violation) -> Int64 {
        let later = entries.indices.dropFirst(Int(known))
        guard let index = later.first(where: { entries[$0].signature == operation.signature }) else {
            throw Violation(
                "\(namespace): \(operation.summary) is acknowledged and was not done since \(known)")
        }
        try noteAcknowledged(operation, revision: Int64(index) + 1, after: known, durable: durable)
        return Int64(index) + 1
    }

    /// Notes that a revision was told, which therefore must not be lost.
    mutating func noteTold(_ revision: Int64) { told = max(told, revision) }

    /// Notes that a client was told that its write is not done.
    mutating func noteRefused(_ operation: Operation) throws(Violation) {
        sent[operation.signature]?.refusedCount += 1
        guard let sent = sent[operation.signature], sent.committedCount <= sent.sentCount - sent.refusedCount
        else {
            throw Violation("\(namespace): refused and yet done: \(operation.summary)")
        }
    }

    /// Checks that a revision may be told: it happened, and it is synced.
    mutating func check(_ revision: Int64, _ durable: Position) throws(Violation) {
        guard revision >= 0, revision <= self.revision else {
            throw Violation("\(namespace): revision \(revision) is told, the newest one is \(self.revision)")
        }
        guard revision == 0 || entries[Int(revision) - 1].position <= durable else {
            throw Violation("\(namespace): revision \(revision) is told before it is synced")
        }
        told = max(told, revision)
    }

    /// Holds an ETag against all that came before: one for each value, and one value for each.
    mutating func check(_ tag: String, of value: Value) throws(Violation) {
        guard let known = tags.updateValue(value, forKey: tag), known != value else { return }
        throw Violation("\(namespace): one ETag for \(known.summary) and \(value.summary)")
    }

    /// Whether somebody without a token may read at a revision.
    func allowsReading(_ path: [String], at revision: Int64) -> Bool {
        rules[Int(revision)].allowsReading(path, in: trees[Int(revision)])
    }

    /// Whether somebody without a token could at some moment since `known` not do this.
    func couldBeDenied(_ operation: Operation, since known: Int64) -> Bool {
        (Int(known)...entries.count).contains { !operation.isAllowed(by: rules[$0], in: trees[$0]) }
    }

    /// Whether somebody without a token could at some moment since `known` not read.
    func couldBeDenied(reading path: [String], since known: Int64) -> Bool {
        (Int(known)...entries.count).contains { !rules[$0].allowsReading(path, in: trees[$0]) }
    }

    /// Whether somebody without a token may soon not read a place: by what was sent and has no answer yet the
    /// server may take a listen away before that is durable, and tells it nothing more.
    func mayBecomeDenied(reading path: [String]) -> Bool {
        sent.values.contains { sent in
            guard sent.sentCount > sent.committedCount + sent.refusedCount else { return false }
            switch sent.operation {
            case .rules(let rules): return !rules.allowsReading(path, in: tree(at: revision))
            case .put(["switch"], _): return path.first == "guarded"
            default: return false
            }
        }
    }

    /// Whether a stream of somebody without a token may have to begin anew after a revision: the rules, or
    /// what they look at, have changed since.
    func mayForget(_ revision: Int64, path: [String]) -> Bool {
        guard revision >= forgotten else { return true }
        return entries.dropFirst(Int(revision)).contains { entry in
            entry.isLarge || entry.signature.hasPrefix("rules ")
                || (path.first == "guarded" && entry.signature.hasPrefix("put /switch"))
        }
    }
}
