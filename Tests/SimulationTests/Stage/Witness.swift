// Reads along what the journal writes, so that the order of all commits is known without asking the server.
import HearthCore
import HearthStorage

@testable import HearthStorage

/// Records that were written, and how far they are synced.
struct Witness {
    /// Where batches begin that are not synced, with the name of their file.
    private var unsynced: [(file: String, first: Position)] = []
    private(set) var durable: Position = 0
    private(set) var written: Position = 0
    /// Those that nobody has taken yet.
    private var records: [PlacedRecord] = []

    /// Takes bytes that are about to be written.
    mutating func note(_ bytes: [UInt8], to file: String) throws(Violation) {
        guard file.hasPrefix("journal"), bytes.count >= BatchHeader.byteCount,
            bytes.fixed32(at: 0) == BatchHeader.magic
        else { return }
        var position = Position(bitPattern: bytes.fixed64(at: 24))
        var start = BatchHeader.byteCount
        while start < bytes.count {
            let end = start + Int(bytes.fixed32(at: start))
            guard let record = Witness.record(bytes, start + EncodedRecord.frameByteCount..<end) else {
                throw Violation("record \(position) cannot be read while it is written")
            }
            records.append(PlacedRecord(position: position, record: record))
            position += 1
            start = end
        }
        unsynced.append((file, written + 1))
        written = position - 1
    }

    private static func record(_ bytes: [UInt8], _ range: Range<Int>) -> JournalRecord? {
        var reader = ByteReader(bytes, range)
        do throws(DecodingFault) {
            return try reader.record()
        } catch {
            return nil
        }
    }

    /// Takes out the records that were written since the last call.
    mutating func takeRecords() -> [PlacedRecord] {
        defer { records = [] }
        return records
    }

    /// A file is synced.
    mutating func noteSynced(_ file: String) {
        unsynced.removeAll { $0.file == file }
        durable = unsynced.map { $0.first - 1 }.min() ?? written
    }

    /// After a start: the journal ends at `position`, all of it synced.
    mutating func begin(at position: Position) {
        unsynced = []
        records = []
        durable = position
        written = position
    }
}
