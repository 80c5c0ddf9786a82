// Opening again after a stop, however it came: the newest sound checkpoint, then the later records.
public import HearthCore

/// One namespace as it is found again.
public struct RecoveredNamespace: Sendable {
    /// What it is now; `floor` is where `history` begins.
    public var state: NamespaceState
    /// The commits after `state.floor`, in order and without a gap, each with redo and undo.
    public let history: [Commit]
}

/// Finds the state of a data directory.
///
///     checkpoint ──────────────▶ states at `position` … `end`
///     journal    ─ below it ───▶ history alone
///                ─ above it ───▶ applied, and history
///
/// It reads only; making good an unfinished write is for `JournalEnd`.
struct Recovery {
    private(set) var replay: Replay
    private(set) var walk: JournalWalk
    let checkpoint: Checkpoint
    /// Checkpoints that were passed over because they are not sound.
    let unsound: [StorageFailure]
    let disk: any Disk

    /// Chooses the newest sound checkpoint.
    init(_ disk: any Disk, history: HistoryLimits) throws(StorageFailure) {
        self.disk = disk
        let names = try disk.list()
        (checkpoint, unsound) = try Recovery.newestCheckpoint(names, on: disk)
        let first = checkpoint.firstSegment
        let segments = FileName.numbers(.journal, in: names).filter { $0 >= first }
        if segments.isEmpty && checkpoint.number > 0 {
            throw StorageFailure(
                .damaged(lastSound: [:]), action: "recover", place: disk.location,
                reason: "no segment of the journal is there")
        }
        replay = Replay(from: checkpoint, on: disk, limits: history)
        walk = JournalWalk(disk: disk, segments: segments)
    }

    /// Applies the records up to the end.
    ///
    /// - Throws: `.damaged` with the last sound revision of each namespace and the commands to use.
    mutating func run() throws(StorageFailure) {
        do {
            try runPlainly()
        } catch {
            throw explained(error)
        }
    }

    /// The same, but a failure says just what is wrong in which file.
    mutating func runPlainly() throws(StorageFailure) {
        try walk.run(into: &replay)
        #if DEBUG
            if PlantedFault.isPlanted(.losesTailRecord), let last = replay.last {
                self = try Recovery(disk, history: HistoryLimits())
                try walk.run(into: &replay) { _, position in position >= last }
            }
        #endif
        try checkEnd()
    }

    /// Applies records up to the last moment at which `namespace` was at `revision`, and stops at damage
    /// without a failure. If there is no such moment all that is sound is applied.
    ///
    /// The last one, since a namespace that was deleted and made again counts from 1 again.
    ///
    /// - Returns: the damage, if it came first.
    mutating func run(until namespace: String, _ revision: Revision) throws(StorageFailure) -> StorageFailure?
    {
        let state = replay.states[namespace]
        let start = state?.position ?? checkpoint.position
        var current = state?.revision
        var lastMatch: Position?
        let damage = try runTolerantly { record, position in
            guard position > start else { return false }
            if current == revision { lastMatch = position - 1 }
            if record.namespace == namespace { current = record.revision(after: current) }
            return false
        }
        guard current != revision, let lastMatch else { return damage }
        self = try Recovery(disk, history: HistoryLimits(byteCount: 0))
        return try runTolerantly { _, position in position > lastMatch }
    }

    private mutating func runTolerantly(
        until stop: (JournalRecord, Position) -> Bool
    ) throws(StorageFailure) -> StorageFailure? {
        do {
            try walk.run(into: &replay, until: stop)
            return nil
        } catch {
            switch error.kind {
            case .damaged, .missing: return error
            default: throw error
            }
        }
    }

    /// Applies a record that was appended after the end.
    mutating func apply(_ record: JournalRecord, at position: Position) throws(StorageFailure) {
        do {
            try replay.apply(record, at: position)
        } catch {
            switch error {
            case .failure(let failure): throw failure
            case .text(let reason): preconditionFailure("our own record does not follow: \(reason)")
            }
        }
    }

    private func checkEnd() throws(StorageFailure) {
        if let (name, recorded, held) = replay.contradiction {
            throw StorageFailure(
                .damaged(lastSound: [:]), action: "read", place: disk.location,
                reason: "the journal leads to revision \(recorded) of '\(name)', its checkpoint to \(held)")
        }
        guard replay.end < checkpoint.end else { return }
        throw StorageFailure(
            .damaged(lastSound: [:]), action: "read", place: disk.location,
            reason:
                "the journal ends at record \(replay.end), but a checkpoint has record \(checkpoint.end)"
        )
    }

    private static func newestCheckpoint(
        _ names: [String], on disk: any Disk
    ) throws(StorageFailure) -> (Checkpoint, [StorageFailure]) {
        var unsound: [StorageFailure] = []
        for number in FileName.numbers(.checkpoint, in: names).reversed() {
            do {
                return (try Checkpoint.read(number, from: disk), unsound)
            } catch {
                guard case .damaged = error.kind else { throw error }
                unsound.append(error)
            }
        }
        return (Checkpoint.none, unsound)
    }

    /// The failure as it is told to whoever starts the server.
    private func explained(_ failure: StorageFailure) -> StorageFailure {
        guard failure.kind == .damaged(lastSound: [:]) || failure.kind == .missing else { return failure }
        // Without its checkpoint the journal does not reach back; then the checkpoint is what is wrong.
        let cause = replay.last == nil ? unsound.first ?? failure : failure
        let revisions = replay.revisions
        let sound = revisions.sorted { $0.key < $1.key }
        let file = cause.place.split(separator: "/").last.map(String.init) ?? cause.place
        let place = cause.place == disk.location ? "" : "\(file) is damaged at byte \(cause.offset ?? 0) "
        let reason = place.isEmpty ? cause.reason : place + "(\(cause.reason))"
        return StorageFailure(
            .damaged(lastSound: revisions), action: "recover", place: disk.location, reason: reason,
            advice: Recovery.advice(sound, in: disk.location))
    }

    private static func advice(_ sound: [(key: String, value: Revision)], in directory: String) -> String {
        guard let first = sound.first(where: { $0.key == "default" }) ?? sound.first else {
            return "nothing before it is sound: restore a backup with 'hearth restore'"
        }
        let list = sound.map { "\($0.key):\($0.value)" }.joined(separator: ", ")
        return """
            sound up to revision \(list)
            run 'hearth check \(directory)' to list what is wrong, or \
            'hearth recover \(directory) --until \(first.key):\(first.value)' to open without what comes after
            """
    }
}

extension JournalRecord {
    /// The revision of its namespace when it is applied; nil if the namespace is gone then.
    fileprivate func revision(after before: Revision?) -> Revision? {
        switch content {
        case .created: 0
        case .deleted: nil
        case .commit, .bulk: revision
        case .epochChanged, .onDisconnect: before
        }
    }
}
