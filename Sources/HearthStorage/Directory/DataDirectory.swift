// A data directory that is open: what a server does with its files besides the journal.
public import HearthCore
import Synchronization

/// A data directory that this process has locked. Safe to use from any thread; each call may block.
///
/// Keep it for as long as the journal is used: the lock goes when it goes.
public final class DataDirectory: Sendable {
    private struct Numbers {
        var random: any RandomNumberGenerator & Sendable
        var nextCheckpoint: UInt64
        var nextBulk: UInt64
        /// Bulk files whose record is in the journal, with its position.
        var recorded: [UInt64: Position]
    }

    private let disk: any Disk
    private let lock: any DiskLock
    private let numbers: Mutex<Numbers>

    init(
        _ disk: any Disk, lock: any DiskLock, random: any RandomNumberGenerator & Sendable,
        bulkFiles: [UInt64: Position]
    ) throws(StorageFailure) {
        self.disk = disk
        self.lock = lock
        let names = try disk.list()
        numbers = Mutex(
            Numbers(
                random: random,
                nextCheckpoint: (FileName.numbers(.checkpoint, in: names).last ?? 0) + 1,
                nextBulk: (FileName.numbers(.bulk, in: names).last ?? 0) + 1, recorded: bulkFiles))
    }

    /// The directory's path.
    public var location: String { disk.location }

    /// A new epoch.
    public func freshEpoch() -> String {
        numbers.withLock { numbers in
            var random = numbers.random
            defer { numbers.random = random }
            return Epoch.fresh(using: &random)
        }
    }

    /// Begins a checkpoint that will hold all records up to `position`. One at a time.
    ///
    /// Take `position` before the first namespace is captured: the last one appended to the pending records
    /// then.
    public func beginCheckpoint(at position: Position) throws(StorageFailure) -> CheckpointWriter {
        let (number, salt) = numbers.withLock { numbers in
            numbers.nextCheckpoint += 1
            return (numbers.nextCheckpoint - 1, numbers.random.next())
        }
        return try CheckpointWriter(number, on: disk, position: position, salt: salt)
    }

    /// Removes what `checkpoint`, which is finished, has made unnecessary: older checkpoints and bulk files.
    /// Segments are released by the journal, which must not go below any namespace's history.
    public func removeFiles(olderThan checkpoint: CheckpointSummary) throws(StorageFailure) {
        let names = try disk.list()
        for number in FileName.numbers(.checkpoint, in: names) where number < checkpoint.number {
            try disk.remove(FileName.numbered(.checkpoint, number))
        }
        let obsolete = numbers.withLock { numbers in
            let obsolete = numbers.recorded.filter { $0.value <= checkpoint.position }
            for number in obsolete.keys { numbers.recorded[number] = nil }
            return obsolete.keys.sorted()
        }
        for number in obsolete { try disk.remove(FileName.numbered(.bulk, number)) }
        try disk.syncDirectory()
    }

    /// Writes a large value into a file of its own and returns when it will survive a crash. Then append
    /// the record that names it and call `noteRecorded`, or call `abandon`.
    ///
    /// - Throws: `.noSpace` with nothing left behind.
    public func writeBulkFile(_ node: Node) throws(StorageFailure) -> BulkReference {
        let (number, salt) = numbers.withLock { numbers in
            numbers.nextBulk += 1
            return (numbers.nextBulk - 1, numbers.random.next())
        }
        return try BulkFile.write(node, number: number, on: disk, salt: salt)
    }

    /// Begins a bulk file for JSON that is still coming. When it is finished, go on as after
    /// `writeBulkFile(_:)`; else discard it.
    ///
    /// - Throws: `.noSpace` with nothing left behind.
    public func beginBulkText() throws(StorageFailure) -> BulkText {
        let (number, salt) = numbers.withLock { numbers in
            numbers.nextBulk += 1
            return (numbers.nextBulk - 1, numbers.random.next())
        }
        return try BulkText(number, on: disk, salt: salt)
    }

    /// Notes that the record at `position` names `file`, which must stay until a checkpoint contains that
    /// record. Call it before a checkpoint begins that does.
    public func noteRecorded(_ file: BulkReference, at position: Position) {
        numbers.withLock { $0.recorded[file.number] = position }
    }

    /// Removes a bulk file whose write was refused.
    public func abandon(_ file: BulkReference) throws(StorageFailure) {
        try disk.remove(file.name)
    }

    /// Notes a clean stop. The journal must be synced, and nothing may be appended any more.
    public func close() throws(StorageFailure) {
        try DirectoryMarks.markStopped(disk)
    }
}
