// Fuzzes what reads the journal back: a record behind its checksum, and a segment in front of it.
import HearthCore

@testable import HearthStorage

/// The first byte says whether the rest is what stands in a record, or the bytes of a segment.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    if form & 1 == 0 {
        JournalFuzz.readRecord(Array(input.dropFirst()))
    } else {
        JournalFuzz.readSegment(Array(input.dropFirst()))
    }
}

enum JournalFuzz {
    /// Bytes are a record or a fault; a record is written and read back as the same bytes.
    static func readRecord(_ bytes: [UInt8]) {
        do throws(DecodingFault) {
            var reader = ByteReader(bytes)
            let written = EncodedRecord(try reader.record()).bytes.dropFirst(EncodedRecord.frameByteCount)
            var second = ByteReader(Array(written))
            let again = EncodedRecord(try second.record()).bytes.dropFirst(EncodedRecord.frameByteCount)
            precondition(again == written, "a record that was read is written and read as the same")
        } catch {
            if case .malformed(_, let offset) = error { precondition(offset <= 2 * bytes.count) }
        }
    }

    /// Sound headers of a segment and a batch, then anything: records are found or not, and every scan comes
    /// to its end. The first byte says how many records the batch shall have.
    static func readSegment(_ bytes: [UInt8]) {
        let header = SegmentHeader(segment: 1, salt: 7, fileByteCount: SegmentHeader.byteCount + bytes.count)
        let place = LogPlace(segment: 1, offset: SegmentHeader.byteCount)
        var batch = Array(repeating: UInt8(0), count: BatchHeader.byteCount) + bytes
        BatchHeader(
            place: place, first: 1, recordCount: Int(bytes.first ?? 0), byteCount: batch.count, durable: place
        ).write(into: &batch, checksumStart: header.checksumStart)
        let disk = MemoryDisk(content: header.encoded + batch + bytes)
        let end = SegmentHeader.byteCount + batch.count + bytes.count
        do throws(StorageFailure) {
            var reader = try SegmentReader(1, on: disk)
            var offset = SegmentHeader.byteCount
            while case .batch(let batch) = try reader.batch(at: offset) { offset += batch.header.byteCount }
            _ = try reader.headerCallingDurable(LogPlace(segment: 0, offset: 0), after: offset)
            let lastByte = try reader.endOfNonzero(from: offset)
            precondition(lastByte <= end)
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }
}

/// A directory of one file that cannot be changed.
private final class MemoryDisk: Disk, DiskFile, DiskLock {
    private let content: [UInt8]

    init(content: [UInt8]) {
        self.content = content
    }

    var location: String { "memory" }

    func list() -> [String] { [FileName.numbered(.journal, 1)] }
    func open(_ name: String, for access: DiskAccess) -> any DiskFile { self }
    func byteCount() -> Int { content.count }
    func freeByteCount() -> Int { 0 }
    func lockHolder(_ name: String) -> Int32? { nil }

    func read(at offset: Int, count: Int) -> [UInt8] {
        Array(content[min(offset, content.count)..<min(offset + count, content.count)])
    }

    func lock(_ name: String) throws(StorageFailure) -> any DiskLock { self }
    func create(_ name: String) throws(StorageFailure) -> any DiskFile { throw refusal(name) }
    func makeDirectory() throws(StorageFailure) { throw refusal(location) }
    func rename(_ name: String, to newName: String) throws(StorageFailure) { throw refusal(name) }
    func remove(_ name: String) throws(StorageFailure) { throw refusal(name) }
    func syncDirectory() throws(StorageFailure) { throw refusal(location) }
    func write(_ bytes: [UInt8], at offset: Int) throws(StorageFailure) { throw refusal(location) }
    func fillWithZeros(from start: Int, to end: Int) throws(StorageFailure) { throw refusal(location) }
    func sync() throws(StorageFailure) { throw refusal(location) }
    func makePrivate() throws(StorageFailure) { throw refusal(location) }

    /// Reading needs none of the others.
    private func refusal(_ name: String) -> StorageFailure {
        StorageFailure(.unsupported, action: "change", place: name, reason: "it is read only", advice: "")
    }
}
