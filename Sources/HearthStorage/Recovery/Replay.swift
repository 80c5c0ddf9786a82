// Bringing states forward, record by record.
import HearthCore

/// The states of all namespaces while records are applied to them, in the order of their positions.
struct Replay {
    private(set) var states: [String: NamespaceState]
    private(set) var history: HistoryRing
    /// The last record that was applied; nil before the first.
    private(set) var last: Position?
    /// Bulk files that records above the checkpoint name, with the positions of those records.
    private(set) var bulkFiles: [UInt64: Position] = [:]
    /// The bytes of the records above the checkpoint.
    private(set) var laterByteCount = 0
    private let base: Checkpoint
    private let disk: any Disk

    init(from base: Checkpoint, on disk: any Disk, limits: HistoryLimits) {
        self.base = base
        self.disk = disk
        history = HistoryRing(limits)
        states = Dictionary(uniqueKeysWithValues: base.namespaces.map { ($0.name, $0) })
    }

    /// The revision up to which each namespace is sound.
    var revisions: [String: Revision] { states.mapValues(\.revision) }

    /// The end: of the records, or of the checkpoint if there were none.
    var end: Position { last ?? base.end }

    /// What each namespace is now, with its history.
    func recovered() -> [String: RecoveredNamespace] {
        states.mapValues { state in
            var state = state
            let (floor, commits) = history.commits(
                of: state.name, revision: state.revision, lowest: state.floor)
            state.floor = floor
            return RecoveredNamespace(state: state, history: commits)
        }
    }

    /// Applies the next record, or says what is wrong with it; then nothing has changed.
    mutating func apply(_ record: JournalRecord, at position: Position) throws(Inconsistency) {
        try checkPosition(position)
        if let state = states[record.namespace] {
            if position <= state.position {
                remember(record, state)
            } else {
                try advance(state, by: record, at: position)
            }
        } else {
            try applyToUnknown(record, at: position)
        }
        last = position
    }

    /// Counts a record that was applied.
    mutating func count(_ byteCount: Int, at position: Position) {
        if position > base.position { laterByteCount += byteCount }
    }

    private func checkPosition(_ position: Position) throws(Inconsistency) {
        if let last {
            guard position == last + 1 else {
                throw .text("record \(last + 1) is missing before \(position)")
            }
        } else {
            guard position >= 1, position <= base.position + 1 else {
                throw .text("the records from \(base.position + 1) to \(position - 1) are missing")
            }
        }
    }

    /// A record that the state contains already: only history needs it.
    private mutating func remember(_ record: JournalRecord, _ state: NamespaceState) {
        switch record.content {
        case .commit(let commit, _): history.append(commit, to: state.name)
        case .bulk(let bulk): history.cut(state.name, floor: bulk.revision)
        case .created, .deleted, .epochChanged: history.forget(state.name)
        case .onDisconnect: break
        }
    }

    private mutating func applyToUnknown(_ record: JournalRecord, at position: Position) throws(Inconsistency)
    {
        // The checkpoint knows all namespaces that there were at its position: this one was deleted before.
        guard position > base.position else { return }
        if case .created(let epoch) = record.content {
            states[record.namespace] = NamespaceState(
                name: record.namespace, epoch: epoch, position: position)
            history.cut(record.namespace, floor: 0)
        } else if position > base.end {
            throw .text("the namespace '\(record.namespace)' was never created")
        }
        // Otherwise it was deleted before its turn came to be written to the checkpoint.
    }

    private mutating func advance(
        _ old: NamespaceState, by record: JournalRecord, at position: Position
    ) throws(Inconsistency) {
        var state = old
        state.position = position
        switch record.content {
        case .commit(let commit, let session):
            try commit.checkFollows(state)
            apply(commit, to: &state)
            if let session { state.onDisconnect[session] = nil }
        case .bulk(let bulk):
            let node = try read(bulk.file)
            let commit = bulk.commit(writing: node)
            try commit.checkFollows(state)
            bulkFiles[bulk.file.number] = position
            apply(commit, to: &state)
        case .created: throw .text("the namespace '\(state.name)' is created twice")
        case .deleted:
            states[state.name] = nil
            history.forget(state.name)
            return
        case .epochChanged(let epoch):
            state.epoch = epoch
            state.floor = state.revision
            history.cut(state.name, floor: state.revision)
        case .onDisconnect(let session, let writes): state.onDisconnect[session] = writes
        }
        states[state.name] = state
    }

    private mutating func apply(_ commit: Commit, to state: inout NamespaceState) {
        // The only reference to the tree is here, so that replay need not copy what nobody else sees.
        states[state.name] = nil
        if let rules = commit.rules { state.rules = rules }
        state.root = state.root.applying(commit.edits)
        state.revision = commit.revision
        state.lastTime = max(state.lastTime, commit.time)
        history.append(commit, to: state.name)
    }

    private func read(_ file: BulkReference) throws(Inconsistency) -> Node {
        do {
            return try BulkFile.read(file, from: disk)
        } catch {
            throw .failure(error)
        }
    }
}

/// What is wrong with a record that is sound in itself.
enum Inconsistency: Error {
    case text(String)
    case failure(StorageFailure)
}

extension Commit {
    fileprivate func checkFollows(_ state: NamespaceState) throws(Inconsistency) {
        guard revision == state.revision + 1 else {
            throw .text("revision \(state.revision + 1) of '\(state.name)' is missing before \(revision)")
        }
    }
}
