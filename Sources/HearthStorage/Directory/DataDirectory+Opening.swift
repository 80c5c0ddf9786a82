// Opening a data directory: lock, check, recover, make good, go on.
import HearthCore

/// What was found when a directory was opened, for the log and the banner.
public struct OpeningReport: Sendable {
    /// Whether the directory was empty.
    public let isNew: Bool
    /// Whether the last run did not end cleanly.
    public let wasUnclean: Bool
    /// Bytes of an unfinished write at the journal's end, which nobody was told of; they were cut.
    public let cutByteCount: Int
    /// The number of the checkpoint that was used, 0 if none.
    public let checkpoint: UInt64
    /// The records after the checkpoint.
    public let replayedCount: Int
    /// Their bytes.
    public let replayedByteCount: Int
    /// Whether all epochs were changed, because the last run did not sync every write and did not end
    /// cleanly.
    public let hasNewEpochs: Bool
    /// Newer checkpoints that are not sound; the state was found without them.
    public let unsoundCheckpoints: [StorageFailure]
}

/// A directory that was just opened.
public struct OpenedDirectory: ~Copyable {
    /// Its files besides the journal, and the lock.
    public let directory: DataDirectory
    /// The namespaces that were found, by name.
    public let namespaces: [String: RecoveredNamespace]
    /// What was found besides.
    public let report: OpeningReport
    /// All records up to this one are in the newest checkpoint; 0 if there is none.
    public let checkpointPosition: Position
    private var journal: Journal?

    init(
        directory: DataDirectory, namespaces: [String: RecoveredNamespace], report: OpeningReport,
        checkpointPosition: Position, journal: consuming Journal
    ) {
        self.directory = directory
        self.namespaces = namespaces
        self.report = report
        self.checkpointPosition = checkpointPosition
        self.journal = consume journal
    }

    /// Hands out the journal, for the thread that will own it. Once.
    public mutating func takeJournal() -> Journal {
        guard let journal = journal.take() else { preconditionFailure("the journal is taken once") }
        return journal
    }
}

extension DataDirectory {
    /// Opens the directory on `disk`, or makes a new one in an empty directory, and recovers its state.
    ///
    /// It takes the lock, refuses other formats and directories of others, applies the journal to the
    /// newest sound checkpoint, cuts an unfinished write, and notes that it is running. No segment is
    /// prepared yet: the journal should do that next, off the way of the start.
    ///
    /// - Parameter random: for salts and epochs; not guessable in production.
    /// - Complexity: O(checkpoint + later records), and it reads what is left of the last segment.
    /// - Throws: `.locked`, `.unsupported`, `.occupied`; `.damaged` with the last sound revisions and what
    ///   to do.
    public static func open(
        _ disk: any Disk, _ options: DirectoryOptions, random: any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) -> OpenedDirectory {
        try disk.makeDirectory()
        try DirectoryMarks.checkIsOursOrEmpty(disk)
        let lock = try disk.lock(FileName.lock)
        // Before anything is written that an older program would not understand.
        if try FormatFile.version(on: disk) != FormatVersion.current { try FormatFile.write(to: disk) }
        try DirectoryMarks.markUse(isEmulator: options.isEmulator, on: disk)
        let unclean = try DirectoryMarks.uncleanRun(disk)
        try removeUnfinished(on: disk)
        var opening = Opening(disk: disk, options: options, random: random, unclean: unclean)
        return try opening.run(lock)
    }

    /// Removes what a crash left half-written under a name of its own.
    private static func removeUnfinished(on disk: any Disk) throws(StorageFailure) {
        let unfinished = try disk.list().filter { $0.hasSuffix(FileName.unfinishedSuffix) }
        for name in unfinished { try disk.remove(name) }
        if !unfinished.isEmpty { try disk.syncDirectory() }
    }
}

/// The steps of opening that share their state.
private struct Opening {
    let disk: any Disk
    let options: DirectoryOptions
    var random: any RandomNumberGenerator & Sendable
    let unclean: DirectoryOptions.Sync?

    mutating func run(_ lock: any DiskLock) throws(StorageFailure) -> OpenedDirectory {
        let isNew = try makeNew()
        var recovery = try Recovery(disk, history: options.history)
        try recovery.run()
        try moveAsideWhatIsVoid(recovery.checkpoint)
        let end = try JournalEnd(of: recovery, spares: try spares())
        var journal = Journal(disk: disk, sizes: options.segments, random: random, end: end)
        let isForgetful = unclean == .interval
        if isForgetful { try changeEpochs(&recovery, &journal) }
        try makeRoom(&journal)
        try removeUnnamedBulkFiles(recovery.replay.bulkFiles)
        try DirectoryMarks.markRunning(options.sync, on: disk)
        let report = OpeningReport(
            isNew: isNew, wasUnclean: unclean != nil, cutByteCount: recovery.walk.unfinishedByteCount,
            checkpoint: recovery.checkpoint.number,
            replayedCount: Int(recovery.replay.end - recovery.checkpoint.position),
            replayedByteCount: recovery.replay.laterByteCount,
            hasNewEpochs: isForgetful, unsoundCheckpoints: recovery.unsound)
        let directory = try DataDirectory(
            disk, lock: lock, random: random, bulkFiles: recovery.replay.bulkFiles)
        return OpenedDirectory(
            directory: directory, namespaces: recovery.replay.recovered(), report: report,
            checkpointPosition: recovery.checkpoint.position, journal: journal)
    }

    /// Makes the first segment of an empty directory; a start that was cut off before it is begun again.
    private mutating func makeNew() throws(StorageFailure) -> Bool {
        let names = try disk.list()
        let isEmpty =
            FileName.numbers(.journal, in: names).isEmpty
            && FileName.numbers(.checkpoint, in: names).isEmpty && unclean == nil
        guard isEmpty else { return false }
        _ = try JournalEnd.fresh(
            1, after: 0, on: disk, byteCount: options.segments.first, salt: random.next())
        return true
    }

    /// Finishes a recovery that was cut off after its checkpoint was there.
    private func moveAsideWhatIsVoid(_ checkpoint: Checkpoint) throws(StorageFailure) {
        let first = checkpoint.firstSegment
        guard FileName.numbers(.journal, in: try disk.list()).contains(where: { $0 < first }) else { return }
        _ = try FreshFiles.moveAside(before: first, checkpoint: checkpoint.number, on: disk)
    }

    /// Prepares a segment now if the last one is nearly full: the first writes should not be refused for
    /// that.
    private func makeRoom(_ journal: inout Journal) throws(StorageFailure) {
        guard journal.needsPreparation, journal.room.byteCount < options.segments.first / 4 else { return }
        do {
            try journal.prepareNextSegment()
        } catch {
            // Without space the server starts all the same: reads work, writes are refused until there is
            // some.
            guard error.isNoSpace else { throw error }
        }
    }

    /// At most one former segment is kept for further use.
    private func spares() throws(StorageFailure) -> [String] {
        let spares = FileName.numbers(.spare, in: try disk.list()).map { FileName.numbered(.spare, $0) }
        for spare in spares.dropFirst() { try disk.remove(spare) }
        return Array(spares.prefix(1))
    }

    private mutating func changeEpochs(
        _ recovery: inout Recovery, _ journal: inout Journal
    ) throws(StorageFailure) {
        let records = recovery.replay.states.keys.sorted().map { name in
            JournalRecord(namespace: name, .epochChanged(to: Epoch.fresh(using: &random)))
        }
        guard !records.isEmpty else { return }
        let first = journal.written + 1
        try journal.append(Batch(first: first, records: records.map { EncodedRecord($0) }))
        for (index, record) in records.enumerated() {
            try recovery.apply(record, at: first + Position(index))
        }
    }

    private func removeUnnamedBulkFiles(_ named: [UInt64: Position]) throws(StorageFailure) {
        for number in FileName.numbers(.bulk, in: try disk.list()) where named[number] == nil {
            try disk.remove(FileName.numbered(.bulk, number))
        }
    }
}
