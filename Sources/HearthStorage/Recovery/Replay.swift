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

    /// A namespace whose checkpoint does not hold what its position says: the records lead elsewhere.
    var contradiction: (name: String, recorded: Revision, held: Revision)? {
        for (name, state) in states.sorted(by: { $0.key < $1.key }) {
            guard let recorded = history.newest(of: name), recorded != state.revision else { continue }
            return (name, recorded, state.revision)
        }
        return nil
    }

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
        if let contained = states[record.namespace]?.position {
            var contained = contained
            #if DEBUG
                if PlantedFault.isPlanted(.replaysOneTooFew), position == base.position + 1 { contained += 1 }
            #endif
            if position <= contained {
                try remember(record)
            } else {
                try advance(record.namespace, by: record.content, at: position)
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
    private mutating func remember(_ record: JournalRecord) throws(Inconsistency) {
        switch record.content {
        case .commit(let commit, _):
            let newest = history.newest(of: record.namespace) ?? commit.revision - 1
            try check(commit.revision, follows: newest, of: record.namespace)
            history.append(commit, to: record.namespace)
        case .bulk(let bulk): history.cut(record.namespace, floor: bulk.revision)
        case .created, .deleted, .epochChanged: history.cut(record.namespace, floor: nil)
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

    /// Everything that can be wrong is found before anything changes. States change where they lie: a copy
    /// would share the tree, and then each write would have to copy its way through it.
    private mutating func advance(
        _ name: String, by content: JournalRecord.Content, at position: Position
    ) throws(Inconsistency) {
        switch content {
        case .commit(let commit, let session):
            try check(commit.revision, follows: states[name]?.revision ?? 0, of: name)
            states[name]?.apply(commit)
            history.append(commit, to: name)
            #if DEBUG
                if PlantedFault.isPlanted(.runsLeavingsTwice) { break }
            #endif
            if let session { states[name]?.onDisconnect[session] = nil }
        case .bulk(let bulk):
            try check(bulk.revision, follows: states[name]?.revision ?? 0, of: name)
            let commit = bulk.commit(writing: try read(bulk.file))
            bulkFiles[bulk.file.number] = position
            states[name]?.apply(commit)
            history.append(commit, to: name)
        case .created: throw .text("the namespace '\(name)' is created twice")
        case .deleted:
            states[name] = nil
            history.cut(name, floor: nil)
        case .epochChanged(let epoch):
            states[name]?.beginEpoch(epoch)
            history.cut(name, floor: states[name]?.revision)
        case .onDisconnect(let session, let writes): states[name]?.onDisconnect[session] = writes
        }
        states[name]?.position = position
    }

    private func check(
        _ revision: Revision, follows last: Revision, of name: String
    ) throws(Inconsistency) {
        guard revision == last + 1 else {
            throw .text("revision \(last + 1) of '\(name)' is missing before \(revision)")
        }
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

extension NamespaceState {
    fileprivate mutating func apply(_ commit: Commit) {
        if let rules = commit.rules { self.rules = rules }
        root.apply(commit.edits)
        revision = commit.revision
        lastTime = max(lastTime, commit.time)
    }

    fileprivate mutating func beginEpoch(_ epoch: String) {
        self.epoch = epoch
        floor = revision
    }
}
