// What a segment and a batch in it begin with.

/// A place in the journal's files.
struct LogPlace: Hashable, Comparable, Sendable {
    var segment: UInt64
    var offset: Int

    static func < (left: LogPlace, right: LogPlace) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }
}

/// The first 64 bytes of a segment.
///
///     ┌───────────────┬─────────────┬────────────┬─────────────┬──────────┬────────────────┬───────┐
///     │ "HEARTHJL" u64│ version u32 │ crc32c u32 │ segment u64 │ salt u64 │ byte count u64 │ zeros │
///     └───────────────┴─────────────┴────────────┴─────────────┴──────────┴────────────────┴───────┘
///
/// The salt is random and never leaves the file: all checksums in the segment go on from it, so that no
/// value a client stores can be taken for a record, nor a record of another use of the same file.
struct SegmentHeader: Hashable, Sendable {
    static let byteCount = 64
    private static let magic: UInt64 = 0x4C4A_4854_5241_4548

    let segment: UInt64
    let salt: UInt64
    /// The size of the whole file.
    let fileByteCount: Int

    /// The checksum from which those of batches and records go on.
    var checksumStart: UInt32 {
        var bytes: [UInt8] = []
        bytes.appendFixed64(salt)
        return CRC32C.checksum(bytes)
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendFixed64(SegmentHeader.magic)
        bytes.appendFixed32(FormatVersion.current)
        bytes.appendFixed32(0)
        bytes.appendFixed64(segment)
        bytes.appendFixed64(salt)
        bytes.appendFixed64(UInt64(fileByteCount))
        bytes.append(contentsOf: repeatElement(0, count: SegmentHeader.byteCount - bytes.count))
        bytes.setFixed32(SegmentHeader.checksum(bytes), at: 12)
        return bytes
    }

    init(segment: UInt64, salt: UInt64, fileByteCount: Int) {
        self.segment = segment
        self.salt = salt
        self.fileByteCount = fileByteCount
    }

    /// Reads a header; fails if `bytes` is none or is that of another segment.
    init(_ bytes: [UInt8], of segment: UInt64) throws(DecodingFault) {
        guard bytes.count >= SegmentHeader.byteCount else {
            throw .malformed(.endsEarly, offset: bytes.count)
        }
        let header = Array(bytes[..<SegmentHeader.byteCount])
        guard header.fixed64(at: 0) == SegmentHeader.magic else {
            throw .malformed(.contradiction("it is no segment of a journal"), offset: 0)
        }
        guard header.fixed32(at: 12) == SegmentHeader.checksum(header) else {
            throw .malformed(.checksum, offset: 0)
        }
        let version = header.fixed32(at: 8)
        guard FormatVersion.isReadable(version) else {
            throw .malformed(.contradiction("it has format version \(version)"), offset: 8)
        }
        guard header.fixed64(at: 16) == segment, let size = Int(exactly: header.fixed64(at: 32)),
            size >= SegmentHeader.byteCount
        else { throw .malformed(.contradiction("it belongs to another segment"), offset: 16) }
        self.init(segment: segment, salt: header.fixed64(at: 24), fileByteCount: size)
    }

    private static func checksum(_ header: [UInt8]) -> UInt32 {
        CRC32C.checksum(Array(header[16...]), after: CRC32C.checksum(Array(header[..<12])))
    }
}

/// What stands before the records that were written together.
///
///     ┌────────────┬────────────┬─────────────┬─────────────┬────────────────────┬───────────┬───────┐
///     │ "HBAT" u32 │ crc32c u32 │ segment u64 │ offset u64  │ first position i64 │ count u32 │ 0 u32 │
///     ├────────────┴───────┬────┴─────────────┼─────────────┴───────┬────────────┴───────────┴───────┘
///     │ bytes with this u64│ durable: segment │ durable: offset u64 │
///     └────────────────────┴──────────────────┴─────────────────────┘
///
/// `durable` is where the synced journal ended when this batch was written. A bad batch that ends before the
/// `durable` of a later one was synced once, so it is damaged; one that no later batch calls durable may be
/// an unfinished write.
struct BatchHeader: Hashable, Sendable {
    static let byteCount = 64
    static let magic: UInt32 = 0x5441_4248

    let place: LogPlace
    let first: Position
    let recordCount: Int
    /// Header and records.
    let byteCount: Int
    let durable: LogPlace

    var end: LogPlace { LogPlace(segment: place.segment, offset: place.offset + byteCount) }

    /// Fills in the first bytes of `bytes`, which were left free for it.
    func write(into bytes: inout [UInt8], checksumStart: UInt32) {
        bytes.setFixed32(BatchHeader.magic, at: 0)
        bytes.setFixed64(place.segment, at: 8)
        bytes.setFixed64(UInt64(place.offset), at: 16)
        bytes.setFixed64(UInt64(bitPattern: first), at: 24)
        bytes.setFixed32(UInt32(recordCount), at: 32)
        bytes.setFixed32(0, at: 36)
        bytes.setFixed64(UInt64(byteCount), at: 40)
        bytes.setFixed64(durable.segment, at: 48)
        bytes.setFixed64(UInt64(durable.offset), at: 56)
        bytes.setFixed32(BatchHeader.checksum(bytes, at: 0, checksumStart), at: 4)
    }

    /// Reads the header at `index` of `bytes`; nil unless a sound one of that place stands there.
    init?(_ bytes: [UInt8], at index: Int, place: LogPlace, checksumStart: UInt32) {
        guard index + BatchHeader.byteCount <= bytes.count, bytes.fixed32(at: index) == BatchHeader.magic,
            bytes.fixed32(at: index + 4) == BatchHeader.checksum(bytes, at: index, checksumStart),
            bytes.fixed64(at: index + 8) == place.segment,
            bytes.fixed64(at: index + 16) == UInt64(place.offset),
            let size = Int(exactly: bytes.fixed64(at: index + 40)), size >= BatchHeader.byteCount,
            let durableOffset = Int(exactly: bytes.fixed64(at: index + 56))
        else { return nil }
        self.init(
            place: place, first: Position(bitPattern: bytes.fixed64(at: index + 24)),
            recordCount: Int(bytes.fixed32(at: index + 32)), byteCount: size,
            durable: LogPlace(segment: bytes.fixed64(at: index + 48), offset: durableOffset))
    }

    init(place: LogPlace, first: Position, recordCount: Int, byteCount: Int, durable: LogPlace) {
        self.place = place
        self.first = first
        self.recordCount = recordCount
        self.byteCount = byteCount
        self.durable = durable
    }

    private static func checksum(_ bytes: [UInt8], at index: Int, _ start: UInt32) -> UInt32 {
        bytes.withUnsafeBytes { all in
            let magic = UnsafeRawBufferPointer(rebasing: all[index..<index + 4])
            let rest = UnsafeRawBufferPointer(rebasing: all[index + 8..<index + BatchHeader.byteCount])
            return CRC32C.checksum(rest, after: CRC32C.checksum(magic, after: start))
        }
    }
}

extension EncodedRecord {
    /// Fills in the frame of the record in `range` of `batch`.
    static func seal(
        _ batch: inout [UInt8], _ range: Range<Int>, segment: UInt64, position: Position,
        checksumStart: UInt32
    ) {
        let start = range.lowerBound
        batch.setFixed64(segment, at: start + 8)
        batch.setFixed64(UInt64(bitPattern: position), at: start + 16)
        batch.setFixed32(EncodedRecord.checksum(batch, range, checksumStart), at: start + 4)
    }

    /// The checksum of the record in `range`, as it should stand in its second field.
    static func checksum(_ bytes: [UInt8], _ range: Range<Int>, _ start: UInt32) -> UInt32 {
        bytes.withUnsafeBytes { all in
            let length = UnsafeRawBufferPointer(rebasing: all[range.lowerBound..<range.lowerBound + 4])
            let rest = UnsafeRawBufferPointer(rebasing: all[range.lowerBound + 8..<range.upperBound])
            return CRC32C.checksum(rest, after: CRC32C.checksum(length, after: start))
        }
    }
}

/// Which versions of the files this program reads.
public enum FormatVersion {
    /// The version that is written, in journals and checkpoints alike.
    public static let current: UInt32 = 2
    /// This one and the one before; 0 never existed.
    static func isReadable(_ version: UInt32) -> Bool {
        version >= 1 && version <= current && version + 1 >= current
    }
}
