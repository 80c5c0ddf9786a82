// What a backup holds, read from its beginning to its end.
import HearthCore

/// Reads a backup: the namespaces at once, then file by file, every byte checked.
struct BackupReader {
    private static let pieceByteCount = 256 << 10

    /// The namespaces, in the order in which they were written.
    let namespaces: [NamespaceState]
    private var reader: ByteReader
    private let path: String
    /// Of the file that is being read.
    private var offset = 0
    private var checksum: UInt32 = 0

    /// Reads the namespaces.
    ///
    /// - Throws: `.missing`; `.damaged` with the offset.
    init(_ name: String, on disk: any Disk) throws(StorageFailure) {
        path = disk.path(of: name)
        reader = ByteReader(try BlockSource(.backup, name, on: disk))
        do {
            namespaces = try reader.namespaces(0).namespaces
        } catch {
            throw error.failure(reading: path)
        }
    }

    /// What stands before the content of the next file, whose pieces must be read then; nil after the last.
    mutating func nextFile() throws(StorageFailure) -> FileHeader? {
        offset = 0
        checksum = 0
        do throws(DecodingFault) {
            if try reader.flag() { return try reader.fileHeader() }
            guard try reader.isAtEnd() else { throw reader.fault(.goesOn) }
            return nil
        } catch {
            throw error.failure(reading: path)
        }
    }

    /// The next piece of a file, nil after the last one.
    ///
    /// - Throws: `.damaged` instead of the end if it is not what was stored.
    mutating func nextPiece(of header: FileHeader) throws(StorageFailure) -> [UInt8]? {
        do throws(DecodingFault) {
            let left = header.file.byteCount - offset
            guard left > 0 else {
                guard checksum == header.checksum else { throw reader.fault(.checksum) }
                return nil
            }
            let piece = try reader.bytes(min(left, BackupReader.pieceByteCount))
            offset += piece.count
            checksum = CRC32C.checksum(piece, after: checksum)
            return piece
        } catch {
            throw error.failure(reading: path)
        }
    }
}
