// Records that wait for the next flush.

/// Records that wait for the next flush, and the promise that there is room for them.
///
/// It is meant to lie in a leaf lock: each call is O(1) and none blocks. A write first reserves room, before
/// anything is accepted; then its record can be appended and will fit the disk.
public struct PendingRecords: Sendable {
    private var waiting: Batch
    /// What was flushed last: its memory is for the batch after the next.
    private var spare: Batch?
    private var waitingByteCount = 0
    private var flushingByteCount = 0
    private var reservedByteCount = 0
    private var room: JournalRoom

    /// Begins with the room of a journal whose last written record is at `last`.
    public init(after last: Position, room: JournalRoom) {
        waiting = Batch(first: last + 1)
        self.room = room
    }

    /// Whether nothing waits.
    public var isEmpty: Bool { waiting.isEmpty }

    /// The position of the last record that was appended, ever.
    public var last: Position { waiting.last }

    /// Takes `byteCount` bytes of room out for a record that may come. Each reservation ends with `append` or
    /// `release`.
    ///
    /// - Throws: `.noSpace` if records of that size might not fit what is prepared on disk. The journal
    ///   thread
    ///   prepares more by itself as long as the disk has space; a record larger than a segment needs
    ///   `Journal.prepareNextSegment(atLeast:)`.
    public mutating func reserve(_ byteCount: Int) throws(StorageFailure) {
        let more = PendingRecords.roomByteCount(byteCount)
        guard waitingByteCount + flushingByteCount + reservedByteCount + more <= room.byteCount else {
            throw StorageFailure(
                .noSpace, action: "accept the write into", place: room.location,
                reason: "the journal has no room for \(byteCount) more bytes",
                advice: "if the disk is full, make space: writing goes on by itself then")
        }
        reservedByteCount += more
    }

    /// Gives a reservation back: the write was refused.
    public mutating func release(reserved byteCount: Int) {
        reservedByteCount -= PendingRecords.roomByteCount(byteCount)
        precondition(reservedByteCount >= 0, "only what was reserved can be released")
    }

    /// Appends a record and returns its position; `byteCount` is what was reserved for it, nil if nothing was
    /// (what the server must record in any case: the slack of a segment is for that).
    public mutating func append(
        _ record: borrowing EncodedRecord, reserved byteCount: Int? = nil
    ) -> Position {
        if let byteCount { release(reserved: byteCount) }
        waiting.append(record)
        waitingByteCount += PendingRecords.roomByteCount(record.byteCount)
        return last
    }

    /// Takes all that waits, for a flush.
    public mutating func take() -> Batch {
        let next = waiting.last + 1
        var batch = spare.take() ?? Batch(first: next)
        batch.restart(at: next)
        swap(&batch, &waiting)
        flushingByteCount += waitingByteCount
        waitingByteCount = 0
        return batch
    }

    /// Takes the memory of a batch that was flushed, which is empty afterwards.
    public mutating func reuse(_ batch: inout Batch) {
        var flushed = Batch(first: batch.last + 1)
        swap(&flushed, &batch)
        spare = consume flushed
    }

    /// What a record takes at worst: it may become a batch of its own.
    private static func roomByteCount(_ recordByteCount: Int) -> Int {
        recordByteCount + BatchHeader.byteCount
    }

    /// Notes how much room the journal has after a flush or after a segment was prepared.
    public mutating func update(room: JournalRoom) {
        self.room = room
        flushingByteCount = 0
    }
}

/// How many bytes the journal surely takes without asking the disk for more space.
public struct JournalRoom: Hashable, Sendable {
    /// Records of that many bytes in all fit, however they are divided among batches.
    public let byteCount: Int
    /// The directory, for messages.
    public let location: String

    /// Puts it together.
    public init(byteCount: Int, location: String) {
        self.byteCount = byteCount
        self.location = location
    }
}
