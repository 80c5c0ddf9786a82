// The journal as files: appends batches to preallocated segments. A step function; who calls it has the
// thread.
import HearthCore

/// The end of a data directory's journal, open for appending.
///
///     journal-000041          journal-000042                        journal-000043
///     ┌──────┬─────┬─────┬──┐ ┌──────┬─────┬─────┬─────┬──────────┐ ┌──────┬──────────────────┐
///     │header│batch│batch│00│ │header│batch│batch│batch│ 00000000 │ │header│ 0000000000000000 │
///     └──────┴─────┴─────┴──┘ └──────┴─────┴─────┴─────┴──────────┘ └──────┴──────────────────┘
///       full, until it is released    current: one write, one sync    prepared ahead of need
///
/// Everything blocks, so it belongs to one thread that may wait. Preparing a segment can be given to
/// another one: `nextPreparation()`, `SegmentPreparation.run()` there, `adopt(_:)` here.
public struct Journal: ~Copyable, Sendable {
    private let disk: any Disk
    private let sizes: SegmentSizes
    private var random: any RandomNumberGenerator & Sendable
    private var full: [SegmentSpan]
    private var current: OpenSegment
    private var prepared: PreparedSegment?
    private var spares: [String]
    /// Each segment that is begun gets a number of its own, also one that is never used.
    private var nextSegment: UInt64
    private var durableEnd: LogPlace

    /// The last record that was written, synced or not.
    public private(set) var written: Position
    /// The last record that is synced.
    public private(set) var durable: Position

    init(disk: any Disk, sizes: SegmentSizes, random: any RandomNumberGenerator & Sendable, end: JournalEnd) {
        self.disk = disk
        self.sizes = sizes
        self.random = random
        full = end.full
        current = end.current
        prepared = end.prepared
        spares = end.spares
        nextSegment = max(end.current.header.segment, end.prepared?.header.segment ?? 0) + 1
        durableEnd = end.durable
        written = end.last
        durable = end.last
    }
}

/// Which positions a full segment holds.
struct SegmentSpan: Hashable, Sendable {
    let segment: UInt64
    let first: Position
    let last: Position
}

/// The segment that is appended to.
struct OpenSegment: Sendable {
    let header: SegmentHeader
    /// Where the checksums of its batches and records begin.
    let checksumStart: UInt32
    let file: any DiskFile
    /// The position of its first record, whether it is there or not.
    let first: Position
    /// Where the next batch goes.
    var end: LogPlace

    init(_ prepared: PreparedSegment, first: Position) {
        self.init(
            header: prepared.header, file: prepared.file, first: first,
            end: LogPlace(segment: prepared.header.segment, offset: SegmentHeader.byteCount))
    }

    init(header: SegmentHeader, file: any DiskFile, first: Position, end: LogPlace) {
        self.header = header
        checksumStart = header.checksumStart
        self.file = file
        self.first = first
        self.end = end
    }

    var freeByteCount: Int { max(0, header.fileByteCount - end.offset) }
}

extension Journal: CommitLog {
    /// Writes and syncs `batch`: one write and one sync, two of each where a segment ends.
    ///
    /// - Precondition: its first position is the one after `written`.
    /// - Throws: always fatal: the records were accepted, and whether they are on disk is not known.
    public mutating func flush(_ batch: inout Batch) throws(StorageFailure) {
        try write(&batch)
        try sync()
    }

    /// The same as `flush(_:)`.
    public mutating func append(_ batch: Batch) throws(StorageFailure) {
        var batch = batch
        try flush(&batch)
    }

    /// Writes `batch` without syncing it; several such batches may be synced together later. Its memory is
    /// written as it stands, once what belongs to the place is filled in.
    ///
    /// - Precondition: its first position is the one after `written`.
    /// - Throws: always fatal.
    public mutating func write(_ batch: inout Batch) throws(StorageFailure) {
        precondition(batch.first == written + 1, "batches are written in the order of their positions")
        do {
            var done = 0
            while done < batch.count {
                let count = batch.count(from: done, upTo: current.freeByteCount)
                if count == 0 {
                    try advance(atLeast: batch.byteCount(at: done))
                } else if count == batch.count {
                    try writeAll(of: &batch)
                } else {
                    var part = batch.part(done..<done + count)
                    try writeAll(of: &part)
                }
                done += count
            }
        } catch {
            throw error.fatal
        }
    }

    /// Syncs all that was written; `durable` is then `written`.
    ///
    /// - Throws: always fatal.
    public mutating func sync() throws(StorageFailure) {
        guard durable < written else { return }
        do {
            try current.file.sync()
        } catch {
            throw error.fatal
        }
        durable = written
        durableEnd = current.end
    }

    private mutating func writeAll(of batch: inout Batch) throws(StorageFailure) {
        let header = batch.seal(at: current.end, durable: durableEnd, checksumStart: current.checksumStart)
        try current.file.write(batch.bytes, at: current.end.offset)
        current.end = header.end
        written = batch.last
    }

    /// Goes on to the next segment; the old one is synced before anything is written to the new one.
    private mutating func advance(atLeast recordByteCount: Int) throws(StorageFailure) {
        #if DEBUG
            if PlantedFault.isPlanted(.leavesFullSegmentUnsynced) { durable = written }
        #endif
        try sync()
        try prepareNextSegment(recordByteCount, unlessOneHas: Journal.byteCount(for: recordByteCount))
        guard let next = prepared else { preconditionFailure("the segment was just prepared") }
        if written >= current.first {
            full.append(SegmentSpan(segment: current.header.segment, first: current.first, last: written))
        } else {
            try disk.remove(FileName.numbered(.journal, current.header.segment))
        }
        current = OpenSegment(next, first: written + 1)
        prepared = nil
    }
}

extension Journal {
    /// Whether the next segment should be prepared now.
    public var needsPreparation: Bool { prepared == nil }

    /// The work of preparing the next segment, for a worker; give the result to `adopt(_:)`. At most one at
    /// a time.
    ///
    /// `recordByteCount`: of the largest record that must fit, if it may be larger than a usual segment.
    /// Segments grow fourfold up to their usual size, so that the first ones are ready soon.
    public mutating func nextPreparation(atLeast recordByteCount: Int = 0) -> SegmentPreparation {
        let usual = min(sizes.later, max(sizes.first, 4 * current.header.fileByteCount))
        return preparation(max(usual, Journal.byteCount(for: recordByteCount) + Journal.slackByteCount))
    }

    private mutating func preparation(_ byteCount: Int) -> SegmentPreparation {
        nextSegment += 1
        return SegmentPreparation(
            disk: disk, segment: nextSegment - 1, byteCount: byteCount, salt: random.next(),
            spare: spares.popLast())
    }

    /// Takes a prepared segment as the next one. If one is there already, since the journal could not wait,
    /// the segment is kept for later use.
    public mutating func adopt(_ segment: PreparedSegment) {
        if prepared == nil && segment.header.segment > current.header.segment {
            prepared = segment
        } else {
            spares.append(FileName.numbered(.journal, segment.header.segment))
        }
    }

    /// Prepares the next segment here and now; one that is prepared already is made again if it is too small.
    ///
    /// - Throws: `.noSpace` if the disk is full: nothing has changed, and it can be tried again.
    public mutating func prepareNextSegment(atLeast recordByteCount: Int = 0) throws(StorageFailure) {
        // With the slack, or there would be no room for the record after this.
        let needed = Journal.byteCount(for: recordByteCount) + Journal.slackByteCount
        try prepareNextSegment(recordByteCount, unlessOneHas: needed)
    }

    private mutating func prepareNextSegment(
        _ recordByteCount: Int, unlessOneHas byteCount: Int
    ) throws(StorageFailure) {
        if let ready = prepared {
            if ready.header.fileByteCount >= byteCount { return }
            prepared = nil
            spares.append(FileName.numbered(.journal, ready.header.segment))
        }
        let preparation = nextPreparation(atLeast: recordByteCount)
        do {
            adopt(try preparation.run())
        } catch {
            try forgetSpares()
            throw error
        }
    }

    /// The size of a segment in which one record of that size fits.
    private static func byteCount(for recordByteCount: Int) -> Int {
        SegmentHeader.byteCount + BatchHeader.byteCount + recordByteCount
    }

    /// Removes what is kept for later use, to give its space back.
    private mutating func forgetSpares() throws(StorageFailure) {
        let names = try disk.list()
        for spare in spares where names.contains(spare) { try disk.remove(spare) }
        spares = []
    }

    /// How much can be appended without asking the disk for space.
    public var room: JournalRoom {
        let next = prepared.map { $0.header.fileByteCount - SegmentHeader.byteCount } ?? 0
        let most = max(current.freeByteCount, next)
        return JournalRoom(byteCount: max(0, most - Journal.slackByteCount), location: disk.location)
    }

    /// Kept free in each segment for records that were not announced.
    private static var slackByteCount: Int { 1_024 }

    /// Frees the segments whose records all lie before `position`: below the newest checkpoint and below
    /// every namespace's history. One is kept to be used again, the others are removed.
    public mutating func release(before position: Position) throws(StorageFailure) {
        let free = full.prefix { $0.last < position }
        for span in free {
            let name = FileName.numbered(.journal, span.segment)
            if spares.isEmpty {
                let spare = FileName.numbered(.spare, span.segment)
                try disk.rename(name, to: spare)
                spares.append(spare)
            } else {
                try disk.remove(name)
            }
            full.removeFirst()
        }
        if !free.isEmpty { try disk.syncDirectory() }
    }

    /// The position of the oldest record that can still be read; one after `written` if there is none.
    public var oldest: Position { full.first?.first ?? current.first }

    /// The durable records from `position` on.
    ///
    /// - Throws: `.missing` if they were released.
    public func read(from position: Position, byteLimit: Int) throws(StorageFailure) -> [PlacedRecord] {
        try reader().read(from: position, byteLimit: byteLimit)
    }

    /// A reader of what is durable now, which another thread may use while the journal goes on.
    public func reader() -> JournalReader {
        var spans = full
        if durable >= current.first {
            spans.append(SegmentSpan(segment: current.header.segment, first: current.first, last: durable))
        }
        return JournalReader(disk: disk, spans: spans, durable: durable)
    }
}
