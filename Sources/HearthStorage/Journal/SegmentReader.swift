// Reading one segment, batch after batch.
import HearthCore

/// Reads a segment with bounded memory: a window of a megabyte, or one batch if that is larger.
struct SegmentReader {
    let header: SegmentHeader
    let path: String
    private let file: any DiskFile
    let fileByteCount: Int
    private let checksumStart: UInt32
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowByteCount = 1 << 20

    /// Opens a segment and checks its header.
    init(_ segment: UInt64, on disk: any Disk) throws(StorageFailure) {
        let name = FileName.numbered(.journal, segment)
        path = disk.path(of: name)
        file = try disk.open(name, for: .reading)
        fileByteCount = try file.byteCount()
        let bytes = try file.read(at: 0, count: SegmentHeader.byteCount)
        header = try SegmentReader.header(bytes, of: segment, path)
        checksumStart = header.checksumStart
    }

    private static func header(
        _ bytes: [UInt8], of segment: UInt64, _ path: String
    ) throws(StorageFailure) -> SegmentHeader {
        do {
            return try SegmentHeader(bytes, of: segment)
        } catch {
            throw error.failure(reading: path)
        }
    }

    /// A batch with its records, not decoded yet.
    struct FoundBatch {
        let header: BatchHeader
        /// Header and records.
        let bytes: [UInt8]
        /// Where each record is in `bytes`, with its frame.
        let records: [Range<Int>]

        /// Decodes one of the records; its position is that of the header and `index`.
        func record(_ index: Int, of path: String) throws(StorageFailure) -> JournalRecord {
            let range = records[index]
            var reader = ByteReader(bytes, range.lowerBound + EncodedRecord.frameByteCount..<range.upperBound)
            do {
                return try reader.record()
            } catch {
                throw error.failure(reading: path, from: header.place.offset)
            }
        }
    }

    /// What stands at an offset.
    enum Found {
        /// A batch whose records all have their checksums.
        case batch(FoundBatch)
        /// No batch; why, and the first byte that is wrong. Zeros are no batch either.
        case none(Malformation, offset: Int)
    }

    /// Looks for a batch at `offset`.
    mutating func batch(at offset: Int) throws(StorageFailure) -> Found {
        guard let header = try header(at: offset) else {
            let isZero = try bytes(at: offset, count: BatchHeader.byteCount).isAllZero
            return .none(isZero ? .contradiction("a batch is missing") : .checksum, offset: offset)
        }
        let bytes = try bytes(at: offset, count: header.byteCount)
        guard bytes.count == header.byteCount else { return .none(.endsEarly, offset: offset + bytes.count) }
        var records: [Range<Int>] = []
        var start = BatchHeader.byteCount
        for index in 0..<header.recordCount {
            guard let end = recordEnd(in: bytes, at: start, header, index) else {
                return .none(.checksum, offset: offset + start)
            }
            records.append(start..<end)
            start = end
        }
        guard start == bytes.count else { return .none(.goesOn, offset: offset + start) }
        return .batch(FoundBatch(header: header, bytes: bytes, records: records))
    }

    /// Why there is no batch at `offset`, and the first byte that is wrong.
    mutating func firstBad(at offset: Int) throws(StorageFailure) -> (reason: Malformation, offset: Int) {
        guard case .none(let reason, let offset) = try batch(at: offset) else {
            preconditionFailure("it is asked where no batch was found")
        }
        return (reason, offset)
    }

    private func recordEnd(in bytes: [UInt8], at start: Int, _ header: BatchHeader, _ index: Int) -> Int? {
        guard start + EncodedRecord.frameByteCount <= bytes.count else { return nil }
        let end = start + Int(bytes.fixed32(at: start))
        guard end >= start + EncodedRecord.frameByteCount, end <= bytes.count,
            bytes.fixed32(at: start + 4) == EncodedRecord.checksum(bytes, start..<end, checksumStart),
            bytes.fixed64(at: start + 8) == header.place.segment,
            Position(bitPattern: bytes.fixed64(at: start + 16)) == header.first + Position(index)
        else { return nil }
        return end
    }

    /// The sound batch header at `offset`, nil if there is none.
    mutating func header(at offset: Int) throws(StorageFailure) -> BatchHeader? {
        let bytes = try bytes(at: offset, count: BatchHeader.byteCount)
        return BatchHeader(
            bytes, at: 0, place: LogPlace(segment: header.segment, offset: offset),
            checksumStart: checksumStart)
    }

    /// The first sound batch header after `offset`, at any byte, that says the journal was durable beyond
    /// `place`.
    mutating func headerCallingDurable(_ place: LogPlace, after offset: Int) throws(StorageFailure)
        -> BatchHeader?
    {
        var start = offset
        while start < fileByteCount {
            let piece = try bytes(at: start, count: SegmentReader.windowByteCount)
            for index in piece.isAllZero ? 0..<0 : piece.indices
            where piece[index] == UInt8(truncatingIfNeeded: BatchHeader.magic) {
                guard let found = try header(at: start + index), found.durable > place else { continue }
                return found
            }
            start += piece.count
        }
        return nil
    }

    /// The offset after the last byte from `offset` on that is not zero; `offset` if all are.
    mutating func endOfNonzero(from offset: Int) throws(StorageFailure) -> Int {
        var start = offset
        var end = offset
        while start < fileByteCount {
            let piece = try bytes(at: start, count: SegmentReader.windowByteCount)
            if !piece.isAllZero, let last = piece.lastIndex(where: { $0 != 0 }) { end = start + last + 1 }
            start += piece.count
        }
        return end
    }

    private mutating func bytes(at offset: Int, count: Int) throws(StorageFailure) -> [UInt8] {
        let wanted = min(count, max(0, fileByteCount - offset))
        let start = offset - windowStart
        if start >= 0 && start + wanted <= window.count { return Array(window[start..<start + wanted]) }
        window = try file.read(at: offset, count: max(wanted, SegmentReader.windowByteCount))
        windowStart = offset
        return wanted >= window.count ? window : Array(window[..<wanted])
    }
}

extension DecodingFault {
    /// The fault as a failure to read `path`, in which the bytes began at `base`.
    func failure(reading path: String, from base: Int = 0, advice: String = "") -> StorageFailure {
        switch self {
        case .unreadable(let failure): return failure
        case .malformed(.unknownKind(let kind), let offset):
            return StorageFailure(
                .unsupported, action: "read", place: path, offset: base + offset,
                reason: Malformation.unknownKind(kind).text,
                advice: "use the version of hearth that wrote it, or a newer one")
        case .malformed(let reason, let offset):
            return StorageFailure(
                .damaged(lastSound: [:]), action: "read", place: path, offset: base + offset,
                reason: reason.text,
                advice: advice)
        }
    }
}

extension [UInt8] {
    /// Whether no byte is other than zero; eight at a step.
    var isAllZero: Bool {
        withUnsafeBytes { bytes in
            var offset = 0
            while offset &+ 8 <= bytes.count {
                if bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 { return false }
                offset &+= 8
            }
            while offset < bytes.count {
                if bytes[offset] != 0 { return false }
                offset &+= 1
            }
            return true
        }
    }
}
