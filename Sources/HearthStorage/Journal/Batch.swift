// Records that go to the journal together, laid out as they are written.

/// Records that go to the journal together: one write, one sync.
///
///     ┌───────────────────┬────────┬────────┬───┐
///     │ room for a header │ record │ record │ … │    header and frames are filled in when it is written
///     └───────────────────┴────────┴────────┴───┘
///
/// Its memory is used again and again: nothing that one thread has allocated is freed by another.
public struct Batch: Sendable {
    /// The position of the first record.
    public private(set) var first: Position
    /// As it is written.
    private(set) var bytes: [UInt8]
    /// Where each record ends in `bytes`.
    private var ends: [Int] = []

    /// The most memory that is worth keeping.
    private static let keptByteCount = 4 << 20

    /// Puts a batch together; the records get positions that follow each other.
    public init(first: Position, records: [EncodedRecord] = []) {
        self.first = first
        bytes = [UInt8](repeating: 0, count: BatchHeader.byteCount)
        for record in records { append(record) }
    }

    /// How many records there are.
    public var count: Int { ends.count }

    /// Whether there is none.
    public var isEmpty: Bool { ends.isEmpty }

    /// The position of the last record; one before `first` if there are none.
    public var last: Position { first + Position(count) - 1 }

    /// How many bytes the records have in all.
    public var byteCount: Int { bytes.count - BatchHeader.byteCount }

    /// How many bytes the record at `index` has.
    func byteCount(at index: Int) -> Int { ends[index] - start(at: index) }

    /// Adds a record at the end. Amortised O(its bytes).
    mutating func append(_ record: borrowing EncodedRecord) {
        bytes.append(contentsOf: record.bytes)
        ends.append(bytes.count)
    }

    /// Forgets all records and most often keeps the memory.
    mutating func restart(at position: Position) {
        let keepsMemory = bytes.capacity <= Batch.keptByteCount
        first = position
        ends.removeAll(keepingCapacity: keepsMemory)
        if keepsMemory {
            bytes.removeSubrange(BatchHeader.byteCount...)
        } else {
            bytes = [UInt8](repeating: 0, count: BatchHeader.byteCount)
        }
    }

    /// Some of the records as a batch of their own.
    func part(_ range: Range<Int>) -> Batch {
        var part = Batch(first: first + Position(range.lowerBound))
        let start = start(at: range.lowerBound)
        part.bytes.append(contentsOf: bytes[start..<(range.isEmpty ? start : ends[range.upperBound - 1])])
        part.ends = ends[range].map { $0 - start + BatchHeader.byteCount }
        return part
    }

    /// How many records from `index` on, with a header, take at most so many bytes.
    func count(from index: Int, upTo byteCount: Int) -> Int {
        let bound = start(at: index) + byteCount - BatchHeader.byteCount
        return ends[index...].prefix { $0 <= bound }.count
    }

    private func start(at index: Int) -> Int { index == 0 ? BatchHeader.byteCount : ends[index - 1] }

    /// Fills in the header and the frames, for a segment whose checksums go on from `checksumStart`.
    ///
    /// - Returns: the header.
    mutating func seal(at place: LogPlace, durable: LogPlace, checksumStart: UInt32) -> BatchHeader {
        let header = BatchHeader(
            place: place, first: first, recordCount: count, byteCount: bytes.count, durable: durable)
        for index in ends.indices {
            EncodedRecord.seal(
                &bytes, start(at: index)..<ends[index], segment: place.segment,
                position: first + Position(index), checksumStart: checksumStart)
        }
        header.write(into: &bytes, checksumStart: checksumStart)
        return header
    }
}
