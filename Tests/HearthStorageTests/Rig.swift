// A directory on a simulated disk, opened and written the way the server does it.
import HearthCore
import HearthTesting

@testable import HearthStorage

/// One run of a server without its threads: it opens, appends batches, prepares and releases segments, writes
/// checkpoints, all in the order that the test says.
struct Rig: ~Copyable {
    static let options = DirectoryOptions(segments: SegmentSizes(first: 4_096, later: 8_192))

    let directory: DataDirectory
    let namespaces: [String: RecoveredNamespace]
    let report: OpeningReport
    var journal: Journal

    init(
        _ disk: SimulatedDisk, _ options: DirectoryOptions = Rig.options, seed: UInt64 = 1
    ) throws(StorageFailure) {
        var opened = try DataDirectory.open(disk, options, random: SeededRandom(seed: seed))
        directory = opened.directory
        namespaces = opened.namespaces
        report = opened.report
        journal = opened.takeJournal()
    }

    /// Appends records as one batch.
    mutating func flush(_ records: some Sequence<JournalRecord>) throws(StorageFailure) {
        let batch = Batch(first: journal.written + 1, records: records.map { EncodedRecord($0) })
        try journal.append(batch)
    }

    var room: Int { journal.room.byteCount }

    func read(from position: Position, byteLimit: Int) throws(StorageFailure) -> [PlacedRecord] {
        try journal.read(from: position, byteLimit: byteLimit)
    }

    func kindOfFailure(readingFrom position: Position) -> StorageFailure.Kind? {
        do {
            _ = try journal.read(from: position, byteLimit: 1)
            return nil
        } catch {
            return error.kind
        }
    }

    /// Writes a checkpoint of `states`, all of which are durable.
    mutating func checkpoint(_ states: [String: NamespaceState]) throws(StorageFailure) -> CheckpointSummary {
        var writer = try directory.beginCheckpoint(at: journal.durable)
        for name in states.keys.sorted() {
            if let state = states[name] { try writer.append(state) }
        }
        let summary = try writer.finish(end: journal.durable, durable: journal.durable)
        try directory.removeFiles(olderThan: summary)
        return summary
    }
}

extension SimulatedDisk {
    /// The names of a series, ascending.
    func names(_ series: FileName.Series) throws -> [String] {
        FileName.numbers(series, in: try list()).map { FileName.numbered(series, $0) }
    }
}
