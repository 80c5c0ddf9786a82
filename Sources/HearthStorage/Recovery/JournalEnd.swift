// Making the end of the journal fit to append to.
import HearthCore

/// Where the journal goes on.
struct JournalEnd: Sendable {
    var full: [SegmentSpan]
    var current: OpenSegment
    var prepared: PreparedSegment?
    var spares: [String]
    var last: Position
    /// Where the last batch ends; not always in the current segment.
    var durable: LogPlace
}

extension JournalEnd {
    /// Makes the first segment of a journal without records; `number` follows all segments that ever were.
    static func fresh(
        _ number: UInt64, after last: Position, on disk: any Disk, byteCount: Int, salt: UInt64
    ) throws(StorageFailure) -> JournalEnd {
        let preparation = SegmentPreparation(
            disk: disk, segment: number, byteCount: byteCount, salt: salt, spare: nil)
        let current = OpenSegment(try preparation.run(), first: last + 1)
        return JournalEnd(
            full: [], current: current, prepared: nil, spares: [], last: last, durable: current.end)
    }

    /// Takes up a journal where `recovery` found its end: what is left of an unfinished write becomes zeros
    /// again, and everything that was read is synced, since it may have been in the machine's cache alone.
    init(of recovery: borrowing Recovery, spares: [String]) throws(StorageFailure) {
        let disk = recovery.disk
        let walk = recovery.walk
        var unused = walk.unused
        last = recovery.replay.end
        self.spares = spares
        full = walk.spans
        if let end = walk.end, let span = walk.spans.last {
            full.removeLast()
            let opened = try JournalEnd.reopen(span.segment, from: end.offset, to: walk.nonzeroEnd, on: disk)
            current = OpenSegment(header: opened.header, file: opened.file, first: span.first, end: end)
            durable = end
        } else {
            let first = unused.removeFirst()
            let opened = try JournalEnd.reopen(first, on: disk)
            current = OpenSegment(opened, first: last + 1)
            durable = current.end
        }
        if let next = unused.first {
            prepared = try JournalEnd.reopen(next, on: disk)
            unused.removeFirst()
        }
        for number in walk.passedOver + unused.map(\.segment) {
            try disk.remove(FileName.numbered(.journal, number))
        }
    }

    private static func reopen(
        _ unused: JournalWalk.Unused, on disk: any Disk
    ) throws(StorageFailure) -> PreparedSegment {
        try reopen(unused.segment, from: SegmentHeader.byteCount, to: unused.nonzeroEnd, on: disk)
    }

    private static func reopen(
        _ segment: UInt64, from start: Int, to end: Int, on disk: any Disk
    ) throws(StorageFailure) -> PreparedSegment {
        let header = try SegmentReader(segment, on: disk).header
        let file = try disk.open(FileName.numbered(.journal, segment), for: .writing)
        if end > start { try file.fillWithZeros(from: start, to: end) }
        try file.sync()
        return PreparedSegment(header: header, file: file)
    }
}
