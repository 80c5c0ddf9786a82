// What sessions leave to be written when they end: judged when it is set, and again when it is run.

public import HearthCore

/// What a session asks of its on-disconnect writes.
public enum OnDisconnectChange: Sendable {
    /// Adds a write, which is never one of rules.
    case add(Write)
    /// Drops what is to be written at and below a place.
    case cancel(Path)
    /// Keeps them, and has them judged in the name of whoever asks now: the session has signed in or out.
    case rename
}

/// A changed set of on-disconnect writes that stands ready to be recorded.
public struct OnDisconnectRegistration: Sendable {
    /// Whose they are.
    public let session: String
    /// What the journal keeps of them; nil if there are none any more.
    public let record: [UInt8]?
    fileprivate let entry: OnDisconnectEntry?
}

/// The end of a session that left something to be written.
public struct OnDisconnectRun: Sendable {
    /// Whose it was.
    public let session: String
    /// The commit that writes all that is allowed; nil if nothing is.
    public let proposal: Proposal?
    /// How many writes the rules did not allow.
    public let refusedCount: Int
}

/// The on-disconnect writes of all sessions of a namespace.
struct OnDisconnectTable: Sendable {
    private(set) var entries: [String: OnDisconnectEntry] = [:]
    /// The same as the journal has them; copied for free.
    private(set) var records: [String: [UInt8]] = [:]
    /// Sessions that have ended without their writes being run: there was no room for the record.
    var overdue: Set<String> = []

    mutating func set(_ session: String, _ entry: OnDisconnectEntry?, _ record: [UInt8]?) {
        entries[session] = entry
        records[session] = record
        if entry == nil { overdue.remove(session) }
    }
}

extension Database {
    /// The most bytes that the record of one session's on-disconnect writes may take.
    public static var onDisconnectByteLimit: Int { 262_144 }

    /// The records of all on-disconnect writes, by session: what a checkpoint keeps. O(1).
    public var onDisconnectRecords: [String: [UInt8]] { onDisconnect.records }

    /// The sessions that have something to be written when they end, in the order of their names.
    public var sessionsWithOnDisconnect: [String] { onDisconnect.entries.keys.sorted() }

    /// The sessions that have ended, and whose writes are still owed.
    public var overdueSessions: [String] { onDisconnect.overdue.sorted() }

    /// Whether there are any. O(1).
    public var hasOverdueSessions: Bool { !onDisconnect.overdue.isEmpty }

    /// Takes over a record that was found at the opening.
    ///
    /// - Returns: whether it could be read. If not, nothing of it is kept.
    public mutating func adoptOnDisconnect(_ record: [UInt8], of session: String) -> Bool {
        guard let entry = OnDisconnectEntry(encoded: record) else { return false }
        onDisconnect.set(session, entry, record)
        return true
    }

    /// Works out what becomes of a session's on-disconnect writes, without doing it. What is added is judged
    /// as if it were written now.
    ///
    /// - Parameters:
    ///   - judgement: who asks; it holds afterwards what the rules said.
    ///   - now: the clock in ms since 1970.
    /// - Returns: nil if there is nothing to record.
    /// - Throws: `permissionDenied`, `tooDeep`, or `tooLarge` if the session would have more than
    ///   `onDisconnectByteLimit`.
    /// - Complexity: as for a write, and O(size of the session's writes).
    public func prepareOnDisconnect(
        _ change: OnDisconnectChange, of session: String, by judgement: inout WriteJudgement, now: Int64
    ) throws(Refusal) -> OnDisconnectRegistration? {
        let known = onDisconnect.entries[session]
        var entry = known ?? OnDisconnectEntry(asker: judgement.asker)
        let hadAsker = entry.asker
        entry.asker = judgement.asker
        switch change {
        case .rename:
            guard known != nil, hadAsker != judgement.asker else { return nil }
        case .cancel(let path):
            guard known != nil else { return nil }
            entry.writes.cancel(at: path)
        case .add(let write):
            let time = time(now: now)
            let edits = try write.resolved(now: time, over: newest.root)
            let proposal = propose(edits, kind: write.kind, base: write.path, at: time)
            try judgement.judge(
                proposal.commit, from: newest, to: proposal.after, under: rules(of: newest))
            entry.writes.add(write)
        }
        guard !entry.writes.isEmpty else {
            return OnDisconnectRegistration(session: session, record: nil, entry: nil)
        }
        let record = entry.encoded
        guard record.count <= Self.onDisconnectByteLimit else {
            throw .tooLarge(
                "the writes that a connection leaves for its end may take \(Self.onDisconnectByteLimit) bytes"
            )
        }
        return OnDisconnectRegistration(session: session, record: record, entry: entry)
    }

    /// Does what was prepared, now that its record has a place in the journal.
    ///
    /// - Precondition: nothing else was registered for the session since it was prepared.
    public mutating func register(_ registration: OnDisconnectRegistration) {
        onDisconnect.set(registration.session, registration.entry, registration.record)
    }

    /// Works out what a session's end writes: everything in one commit, server values resolved now, judged in
    /// the name of whoever asked last. If the rules do not allow it as a whole, writes are tried one after
    /// the other, and those that are not allowed beside the ones before are left out.
    ///
    /// - Returns: nil if the session has nothing to be written.
    /// - Complexity: O(writes · depth · log n) and the rules' own work; if something is refused, as many
    ///   judgements as there are writes.
    public func prepareOnDisconnectRun(of session: String, now: Int64) -> OnDisconnectRun? {
        guard let entry = onDisconnect.entries[session] else { return nil }
        let time = time(now: now)
        let edits = entry.writes.items.compactMap { $0.edit(now: time, over: newest.root) }
        let unusableCount = entry.writes.items.count - edits.count
        if let proposal = propose(allowed: edits, by: entry.asker, at: time) {
            return OnDisconnectRun(session: session, proposal: proposal, refusedCount: unusableCount)
        }
        var allowed: [Edit] = []
        var proposal: Proposal?
        for edit in edits {
            guard let larger = propose(allowed: allowed + [edit], by: entry.asker, at: time) else { continue }
            allowed.append(edit)
            proposal = larger
        }
        return OnDisconnectRun(
            session: session, proposal: proposal, refusedCount: unusableCount + edits.count - allowed.count)
    }

    private func propose(allowed edits: [Edit], by asker: Asker, at time: Int64) -> Proposal? {
        guard !edits.isEmpty else { return nil }
        let proposal = propose(edits.inWritingOrder, kind: .update, base: .root, at: time)
        #if DEBUG
            if PlantedFault.isPlanted(.judgesLeavingsOnce) { return proposal }
        #endif
        var judgement = WriteJudgement(asker)
        do throws(Refusal) {
            try judgement.judge(proposal.commit, from: newest, to: proposal.after, under: rules(of: newest))
            return proposal
        } catch {
            return nil
        }
    }

    /// Ends a session whose writes were all refused: there is no commit, but its record is consumed.
    ///
    /// - Precondition: the run has no proposal, and the journal has the record that nothing is left.
    public mutating func finish(_ run: OnDisconnectRun) {
        precondition(run.proposal == nil, "what is allowed is committed")
        onDisconnect.set(run.session, nil, nil)
    }

    /// Does what a session's end writes, now that the record of the commit, which names the session, has a
    /// place in the journal.
    ///
    /// - Precondition: as for a commit; `proposal` is that of the run.
    public mutating func commit(
        _ proposal: Proposal, endingSession session: String, at position: Int64
    ) -> Publication {
        onDisconnect.set(session, nil, nil)
        return commit(proposal, at: position)
    }

    /// Notes that a session has ended and that its writes could not be recorded; they are still owed.
    public mutating func postpone(_ run: OnDisconnectRun) {
        onDisconnect.overdue.insert(run.session)
    }
}

extension OnDisconnectWrites.Item {
    /// The write with its server values resolved; nil if it cannot be written any more.
    fileprivate func edit(now: Int64, over root: Node) -> Edit? {
        switch self {
        case .prioritize(let path, .known(let priority)): return .prioritize(path, priority)
        case .prioritize(let path, .serverValue(let value)):
            return .prioritize(path, value.priority(after: root.descendant(at: path).priority, now: now))
        case .set(let path, let draft):
            do throws(Refusal) {
                return try draft.edit(at: path, now: now, over: root)
            } catch {
                // Its depth was checked when it was set.
                return nil
            }
        }
    }
}

extension [Edit] {
    /// Removals last, so that no place is empty in between and loses its priority; priorities when what has
    /// them stands there.
    fileprivate var inWritingOrder: [Edit] {
        var (puts, priorities, removals): ([Edit], [Edit], [Edit]) = ([], [], [])
        for edit in self {
            switch edit {
            case .prioritize: priorities.append(edit)
            case .put(_, let node): if node.isEmpty { removals.append(edit) } else { puts.append(edit) }
            }
        }
        return puts + priorities + removals
    }
}
