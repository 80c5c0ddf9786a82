// Going through all segments from the oldest on, and telling an unfinished write from damage.
import HearthCore

/// Walks through the batches of all segments in order and hands each record to a `Replay`.
///
///     … batch │ bad bytes │ … batch that says "durable beyond the bad bytes"   ⇒ damage
///     … batch │ bad bytes │ nothing of the kind                                ⇒ unfinished write
///
/// It only reads. After a failure the replay stands at the last sound record.
struct JournalWalk {
    /// A place where no batch is, and why.
    private struct Suspect {
        let path: String
        let offset: Int
        let reason: String
    }

    /// A segment that has no records, and where its nonzero bytes end.
    struct Unused: Hashable {
        let segment: UInt64
        let nonzeroEnd: Int
    }

    /// Segments without records before the last one that has some: prepared too late.
    private(set) var passedOver: [UInt64] = []

    private let disk: any Disk
    private let segments: [UInt64]
    private var suspect: Suspect?

    /// Segments that have records, ascending.
    private(set) var spans: [SegmentSpan] = []
    /// Where the last sound batch ends.
    private(set) var end: LogPlace?
    /// Where the nonzero bytes after `end` end, in the same segment.
    private(set) var nonzeroEnd = 0
    /// The segments after the last one that has records.
    private(set) var unused: [Unused] = []

    init(disk: any Disk, segments: [UInt64]) {
        self.disk = disk
        self.segments = segments
    }

    /// How many bytes of an unfinished write there are.
    var unfinishedByteCount: Int {
        unused.reduce(max(0, nonzeroEnd - (end?.offset ?? nonzeroEnd))) {
            $0 + $1.nonzeroEnd - SegmentHeader.byteCount
        }
    }

    /// Walks until the end, or until `stop` says of a record that it is the first one not wanted.
    mutating func run(
        into replay: inout Replay, until stop: (JournalRecord, Position) -> Bool = { _, _ in false }
    ) throws(StorageFailure) {
        for segment in segments {
            var reader = try SegmentReader(segment, on: disk)
            var offset = SegmentHeader.byteCount
            while case .batch(let batch) = try reader.batch(at: offset) {
                try checkFollows(batch.header, reader.path)
                guard try apply(batch, reader.path, to: &replay, until: stop) else { return }
                note(batch.header)
                offset += batch.header.byteCount
            }
            try endSegment(&reader, at: offset)
        }
    }

    private func apply(
        _ batch: SegmentReader.FoundBatch, _ path: String, to replay: inout Replay,
        until stop: (JournalRecord, Position) -> Bool
    ) throws(StorageFailure) -> Bool {
        var position = batch.header.first
        for (index, range) in batch.records.enumerated() {
            let record = try batch.record(index, of: path)
            if stop(record, position) { return false }
            do {
                try replay.apply(record, at: position)
            } catch {
                switch error {
                case .failure(let failure): throw failure
                case .text(let reason):
                    throw JournalWalk.damage(path, batch.header.place.offset + range.lowerBound, reason)
                }
            }
            replay.count(range.count, at: position)
            position += 1
        }
        return true
    }

    /// The batch was written when the journal was durable up to a place; what lies there must have been read.
    private func checkFollows(_ header: BatchHeader, _ path: String) throws(StorageFailure) {
        guard header.durable <= header.place else {
            throw JournalWalk.damage(path, header.place.offset, "its batch names a place after itself")
        }
        guard let end, header.durable > end else { return }
        if let suspect { throw JournalWalk.damage(suspect.path, suspect.offset, suspect.reason) }
        throw JournalWalk.damage(path, header.place.offset, "batches before it are missing")
    }

    private mutating func note(_ header: BatchHeader) {
        let last = header.first + Position(header.recordCount) - 1
        if let span = spans.last, span.segment == header.place.segment {
            spans[spans.count - 1] = SegmentSpan(segment: span.segment, first: span.first, last: last)
        } else {
            spans.append(SegmentSpan(segment: header.place.segment, first: header.first, last: last))
            passedOver += unused.map(\.segment)
            unused = []
        }
        end = header.end
        nonzeroEnd = header.end.offset
    }

    private mutating func endSegment(_ reader: inout SegmentReader, at offset: Int) throws(StorageFailure) {
        let missing = reader.header.fileByteCount - reader.fileByteCount
        if missing > 0 {
            throw JournalWalk.damage(
                reader.path, reader.fileByteCount, "its last \(missing) bytes are cut off")
        }
        let place = LogPlace(segment: reader.header.segment, offset: offset)
        let bad = try reader.firstBad(at: offset)
        if try reader.headerCallingDurable(place, after: offset) != nil {
            throw JournalWalk.damage(reader.path, bad.offset, bad.reason.text)
        }
        suspect = Suspect(path: reader.path, offset: bad.offset, reason: bad.reason.text)
        if spans.last?.segment == place.segment {
            nonzeroEnd = try reader.endOfNonzero(from: offset)
        } else {
            let end = try reader.endOfNonzero(from: offset)
            unused.append(Unused(segment: place.segment, nonzeroEnd: end))
        }
    }

    private static func damage(_ path: String, _ offset: Int, _ reason: String) -> StorageFailure {
        StorageFailure(
            .damaged(lastSound: [:]), action: "read", place: path, offset: offset, reason: reason)
    }
}
