// Records that wait for the next flush.

/// Records that go to the journal together: one write, one sync.
public struct Batch: Sendable {
    /// The position of the first record.
    public let first: Position
    /// The records; their positions follow each other.
    public let records: [EncodedRecord]

    /// Puts a batch together.
    public init(first: Position, records: [EncodedRecord]) {
        self.first = first
        self.records = records
    }

    /// The position of the last record; one before `first` if there are none.
    public var last: Position { first + Position(records.count) - 1 }
}

/// Records that wait for the next flush, and the promise that there is room for them.
///
/// It is meant to lie in a leaf lock: each call is O(1) and none blocks. A write first reserves room, before
/// anything is accepted; then its record can be appended and will fit the disk.
public struct PendingRecords: Sendable {
    private var records: [EncodedRecord] = []
    private var waitingByteCount = 0
    private var flushingByteCount = 0
    private var reservedByteCount = 0
    private var room: JournalRoom
    private var first: Position

    /// Begins with the room of a journal whose last written record is at `last`.
    public init(after last: Position, room: JournalRoom) {
        first = last + 1
        self.room = room
    }

    /// Whether nothing waits.
    public var isEmpty: Bool { records.isEmpty }

    /// The position of the last record that was appended, ever.
    public var last: Position { first + Position(records.count) - 1 }

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
    public mutating func append(_ record: EncodedRecord, reserved byteCount: Int? = nil) -> Position {
        if let byteCount { release(reserved: byteCount) }
        records.append(record)
        waitingByteCount += PendingRecords.roomByteCount(record.byteCount)
        return last
    }

    /// Takes all that waits, for a flush.
    public mutating func take() -> Batch {
        let batch = Batch(first: first, records: records)
        first = batch.last + 1
        records = []
        flushingByteCount += waitingByteCount
        waitingByteCount = 0
        return batch
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
