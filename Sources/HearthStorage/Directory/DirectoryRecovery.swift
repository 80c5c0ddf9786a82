// Opening a damaged directory up to a point where it is sound: what comes after is given up, the old files
// stay.
public import HearthCore

/// Makes a directory usable again that recovery refuses, without what comes after a revision.
public struct DirectoryRecovery: Sendable {
    /// The state of each namespace afterwards: its revision, in a new epoch.
    public let revisions: [String: Revision]
    /// The last record that was kept.
    public let position: Position
    /// The damage that was left behind, nil if the revision came before any.
    public let damage: StorageFailure?
    /// The names under which the old files are kept.
    public let kept: [String]

    /// Finds the state of all namespaces as it was when `namespace` had `revision`, writes it as a new
    /// checkpoint with a new journal, and keeps the old files beside under other names. All namespaces
    /// begin a new epoch, since what was told to clients may be gone.
    ///
    /// A crash in the middle leaves either the old state or the new one, or a directory on which it can be
    /// run again.
    ///
    /// - Throws: `.locked` while a server has it open; `.damaged` if the namespace is not sound up to
    ///   `revision`,
    ///   with the revisions up to which all are.
    public static func run(
        _ disk: any Disk, until namespace: String, _ revision: Revision,
        segments: SegmentSizes = SegmentSizes(), random: any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) -> DirectoryRecovery {
        guard try FormatFile.check(disk) else {
            throw StorageFailure(
                .missing, action: "recover", place: disk.location, reason: "it is no data directory")
        }
        let lock = try disk.lock(FileName.lock)
        defer { withExtendedLifetime(lock) {} }
        var recovery = try Recovery(disk, history: HistoryLimits(byteCount: 0))
        let damage = try recovery.run(until: namespace, revision)
        try check(recovery.replay, has: namespace, revision, damage, disk)
        var random = random
        let states = recovery.replay.states.values.map { $0.inNewEpoch(using: &random) }
        let position = max(recovery.replay.end, recovery.checkpoint.end)
        let fresh = FreshFiles(disk: disk, segments: segments, states: states, position: position)
        let kept = try fresh.replaceOldFiles(using: &random)
        return DirectoryRecovery(
            revisions: recovery.replay.revisions, position: position, damage: damage, kept: kept)
    }

    private static func check(
        _ replay: Replay, has namespace: String, _ revision: Revision, _ damage: StorageFailure?,
        _ disk: any Disk
    ) throws(StorageFailure) {
        let found = replay.states[namespace]?.revision
        guard found != revision else { return }
        let sound = replay.revisions.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        let list =
            sound.isEmpty ? "nothing is sound" : "sound up to revision " + sound.joined(separator: ", ")
        let reason =
            switch found {
            case nil: "there is no namespace '\(namespace)' in what is sound"
            case .some(let newer) where newer > revision:
                "'\(namespace)' is at revision \(newer) in the oldest state there is"
            case .some(let older): "'\(namespace)' is sound up to revision \(older) alone"
            }
        throw StorageFailure(
            .damaged(lastSound: replay.revisions), action: "recover", place: disk.location, reason: reason,
            advice: list)
    }
}

extension NamespaceState {
    /// The same data with history cut.
    func inNewEpoch(using random: inout any RandomNumberGenerator & Sendable) -> NamespaceState {
        var state = self
        state.epoch = Epoch.fresh(using: &random)
        state.floor = revision
        return state
    }
}

/// A checkpoint and an empty journal that take the place of all that a directory holds.
struct FreshFiles {
    let disk: any Disk
    let segments: SegmentSizes
    let states: [NamespaceState]
    let position: Position

    /// Writes the new files, then moves the old ones aside; returns their new names.
    ///
    ///     1. an empty segment after all others        changes nothing
    ///     2. a checkpoint that names it as the first  from here on the new state counts, in one step
    ///     3. old files aside                          if a crash leaves some, the next start moves them
    func replaceOldFiles(
        using random: inout any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) -> [String] {
        let names = try disk.list()
        let number = (FileName.numbers(.checkpoint, in: names).last ?? 0) + 1
        let segment = (FileName.numbers(.journal, in: names).last ?? 0) + 1
        try write(checkpoint: number, segment: segment, using: &random)
        return try FreshFiles.moveAside(before: segment, checkpoint: number, on: disk)
    }

    /// Writes the empty segment and the checkpoint.
    func write(
        checkpoint number: UInt64, segment: UInt64, using random: inout any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) {
        _ = try JournalEnd.fresh(
            segment, after: position, on: disk, byteCount: segments.first, salt: random.next())
        var writer = try CheckpointWriter(
            number, on: disk, position: position, firstSegment: segment, salt: random.next())
        for state in states { try writer.append(state) }
        _ = try writer.finish(end: position, durable: position)
    }

    /// Gives files that do not count any more names under which they are not read.
    static func moveAside(
        before segment: UInt64, checkpoint number: UInt64, on disk: any Disk
    ) throws(StorageFailure) -> [String] {
        let names = try disk.list().sorted()
        let old = names.filter { name in
            if let own = FileName.number(.journal, in: name) { return own < segment }
            if let own = FileName.number(.checkpoint, in: name) { return own < number }
            return FileName.number(.bulk, in: name) != nil
        }
        guard !old.isEmpty else { return [] }
        var keptNumber = 1
        while names.contains(where: { $0.hasPrefix("\(FileName.keptPrefix)\(keptNumber)-") }) {
            keptNumber += 1
        }
        let prefix = "\(FileName.keptPrefix)\(keptNumber)-"
        for name in old { try disk.rename(name, to: prefix + name) }
        try disk.syncDirectory()
        return old.map { prefix + $0 }
    }
}
