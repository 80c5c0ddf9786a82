// An uploaded file as it lies on the disk: what is known of it, then its content.
import HearthCore

/// What is known of an uploaded file.
public struct StoredFile: Hashable, Sendable {
    /// Which file it is: a path in a namespace.
    public struct Place: Hashable, Sendable {
        /// The namespace whose rules judge it.
        public let namespace: String
        /// Steps with slashes between, as clients name it; storage gives them no meaning.
        public let path: String

        /// Names a file.
        public init(namespace: String, path: String) {
            self.namespace = namespace
            self.path = path
        }
    }

    /// Which file it is.
    public let place: Place
    /// The media type, without parameters.
    public let contentType: String
    /// When it was stored, in ms since 1970.
    public let time: Int64
    /// How many bytes its content has.
    public let byteCount: Int

    /// Describes a file.
    public init(place: Place, contentType: String, time: Int64, byteCount: Int) {
        self.place = place
        self.contentType = contentType
        self.time = time
        self.byteCount = byteCount
    }
}

/// What stands before the content of a stored file.
///
///     ┌────────────┬─────────────┬────────────┬────────────┬────────┬─────────┐
///     │ "HEARTHFI" │ version u32 │ length u32 │ crc32c u32 │ fields │ content │
///     └────────────┴─────────────┴────────────┴────────────┴────────┴─────────┘
///     fields: size u64, crc32c u32 of the content, time u64, tag, namespace, path, type
///       length is that of the fields; the header's checksum covers version, length and fields
///
/// It is as long before the content is known as afterwards, so that it can be written last.
struct FileHeader: Hashable {
    static let magic: UInt64 = 0x4946_4854_5241_4548
    static let frameByteCount = 20
    /// What a header has at most.
    static let byteLimit = 8 << 10
    /// How long a tag is, in characters of ASCII.
    static let tagByteCount = 22

    let file: StoredFile
    /// Changes with the content.
    var tag: String
    /// Of the content.
    var checksum: UInt32

    /// The fields alone.
    var fields: [UInt8] {
        precondition(tag.utf8.count == FileHeader.tagByteCount, "all tags have the same length")
        var fields: [UInt8] = []
        fields.appendFixed64(UInt64(file.byteCount))
        fields.appendFixed32(checksum)
        fields.appendFixed64(UInt64(bitPattern: file.time))
        fields.appendText(tag)
        fields.appendText(file.place.namespace)
        fields.appendText(file.place.path)
        fields.appendText(file.contentType)
        return fields
    }

    /// All bytes before the content.
    var bytes: [UInt8] {
        let fields = fields
        var header: [UInt8] = []
        header.appendFixed64(FileHeader.magic)
        header.appendFixed32(FormatVersion.current)
        header.appendFixed32(UInt32(fields.count))
        header.appendFixed32(FileHeader.checksum(header[8..<16], fields[...]))
        return header + fields
    }

    private static func checksum(_ numbers: ArraySlice<UInt8>, _ fields: ArraySlice<UInt8>) -> UInt32 {
        CRC32C.checksum(Array(fields), after: CRC32C.checksum(Array(numbers)))
    }

    /// Reads the header at the beginning of a file and returns it with its length.
    static func read(_ file: any DiskFile, _ place: String) throws(StorageFailure) -> (FileHeader, Int) {
        let bytes = try file.read(at: 0, count: byteLimit)
        do {
            return try decode(bytes)
        } catch {
            throw error.failure(reading: place)
        }
    }

    private static func decode(_ bytes: [UInt8]) throws(DecodingFault) -> (FileHeader, Int) {
        guard bytes.count >= frameByteCount else { throw .malformed(.endsEarly, offset: bytes.count) }
        let length = Int(bytes.fixed32(at: 12))
        let end = frameByteCount + length
        guard bytes.fixed64(at: 0) == magic, length <= byteLimit, end <= bytes.count,
            bytes.fixed32(at: 16) == checksum(bytes[8..<16], bytes[frameByteCount..<end])
        else { throw .malformed(.checksum, offset: 0) }
        guard FormatVersion.isReadable(bytes.fixed32(at: 8)) else {
            throw .malformed(.contradiction("its format is another one"), offset: 8)
        }
        var reader = ByteReader(bytes, frameByteCount..<end)
        let header = try reader.fileHeader()
        guard try reader.isAtEnd() else { throw reader.fault(.goesOn) }
        return (header, end)
    }
}

extension ByteReader {
    /// The fields of a header.
    mutating func fileHeader() throws(DecodingFault) -> FileHeader {
        let size = try fixed64()
        guard size <= UInt64(Int.max) else { throw fault(.badNumber) }
        let checksum = try fixed32()
        let time = Int64(bitPattern: try fixed64())
        let tag = try text(upTo: FileHeader.tagByteCount)
        guard tag.utf8.count == FileHeader.tagByteCount else { throw fault(.badNumber) }
        let namespace = try text(upTo: FileHeader.byteLimit)
        let path = try text(upTo: FileHeader.byteLimit)
        let type = try text(upTo: FileHeader.byteLimit)
        let file = StoredFile(
            place: StoredFile.Place(namespace: namespace, path: path), contentType: type, time: time,
            byteCount: Int(size))
        return FileHeader(file: file, tag: tag, checksum: checksum)
    }
}
