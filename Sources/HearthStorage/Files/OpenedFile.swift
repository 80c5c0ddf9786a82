// A stored file while it is read.
import HearthCore

/// A stored file, open for reading.
public struct OpenedFile: Sendable {
    let header: FileHeader
    /// The bytes, which begin at `start` and end where the file does.
    public let content: any DiskFile
    /// Where the content begins.
    public let start: Int
    /// Where it lies, for messages.
    let location: String

    /// What is known of it.
    public var file: StoredFile { header.file }
    /// Changes with the content.
    public var tag: String { header.tag }

    init(_ entry: FileStore.Entry, on disk: any Disk) throws(StorageFailure) {
        header = entry.header
        start = entry.headerByteCount
        let name = FileName.numbered(.file, entry.number)
        location = disk.path(of: name)
        content = try disk.open(name, for: .reading)
    }
}

/// The content of a stored file, piece by piece, checked on the way.
struct FilePieces {
    private static let pieceByteCount = 256 << 10

    private let opened: OpenedFile
    private var offset = 0
    private var checksum: UInt32 = 0

    init(of opened: OpenedFile) {
        self.opened = opened
    }

    /// The next piece, nil after the last one. Blocks.
    ///
    /// - Throws: `.damaged` instead of the end if the content is not what was stored.
    mutating func next() throws(StorageFailure) -> [UInt8]? {
        let left = opened.file.byteCount - offset
        let piece = try opened.content.read(
            at: opened.start + offset, count: min(FilePieces.pieceByteCount, left))
        guard piece.isEmpty else {
            offset += piece.count
            checksum = CRC32C.checksum(piece, after: checksum)
            return piece
        }
        guard left == 0, checksum == opened.header.checksum else {
            throw DecodingFault.malformed(.checksum, offset: opened.start).failure(reading: opened.location)
        }
        return nil
    }
}
