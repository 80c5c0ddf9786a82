// A large value that goes to the disk as it comes: its JSON is kept, and read again when it is needed.
import HearthCore

/// A bulk file that is being written: a block file with the JSON of one value, of which not all has come yet.
///
/// So the disk is busy while the text is still being read, and whatever is odd about the text (white space,
/// keys in any order, equal keys) makes no difference to the file. Use it from one thread at a time; each
/// call may block.
public struct BulkText: Sendable {
    private let number: UInt64
    private let disk: any Disk
    private var writer: BlockWriter
    /// So many bytes are on their way to the disk.
    private var begun = 0

    /// The disk is told of so many bytes at a time.
    private static let stride = 4 << 20

    init(_ number: UInt64, on disk: any Disk, salt: UInt64) throws(StorageFailure) {
        self.number = number
        self.disk = disk
        let name = FileName.numbered(.bulk, number)
        do {
            writer = try BlockWriter(.bulkText, to: try disk.create(name), salt: salt)
        } catch {
            if error.kind == .noSpace, try disk.list().contains(name) { try disk.remove(name) }
            throw error
        }
    }

    /// Writes the next bytes of the text.
    ///
    /// - Throws: also `.noSpace`; it must be discarded then.
    public mutating func append(_ bytes: [UInt8]) throws(StorageFailure) {
        guard !bytes.isEmpty else { return }
        try writer.writeBlock(bytes)
        guard writer.byteCount - begun >= BulkText.stride else { return }
        writer.file.beginSync(from: begun, to: writer.byteCount)
        begun = writer.byteCount
    }

    /// Returns when the whole text will survive a crash.
    ///
    /// - Precondition: the text is a value that can be written as it is, without server values.
    /// - Throws: also `.noSpace`; it must be discarded then.
    public mutating func finish() throws(StorageFailure) -> BulkReference {
        try writer.finish()
        try disk.syncDirectory()
        return BulkReference(number: number, byteCount: writer.byteCount, checksum: writer.checksum)
    }

    /// Removes the file.
    public func discard() throws(StorageFailure) {
        try disk.remove(FileName.numbered(.bulk, number))
    }

    /// Reads the value back; the file is known to be the right one.
    static func read(_ reference: BulkReference, from disk: any Disk) throws(StorageFailure) -> Node {
        var blocks = try BlockSource(.bulkText, reference.name, on: disk)
        do throws(DecodingFault) {
            var reader = DraftReader(ofAnySizeAt: .root)
            while let block = try blocks.next() { _ = try read(block, with: &reader, isFinal: false) }
            guard let draft = try read([], with: &reader, isFinal: true), draft.placeholders.isEmpty else {
                throw .malformed(.contradiction("its text is no value"), offset: 0)
            }
            return draft.node
        } catch {
            throw error.failure(reading: disk.path(of: reference.name))
        }
    }

    private static func read(
        _ bytes: [UInt8], with reader: inout DraftReader, isFinal: Bool
    ) throws(DecodingFault) -> Draft? {
        do throws(DraftError) {
            return try reader.read(bytes, isFinal: isFinal)
        } catch {
            throw .malformed(.contradiction("its text is no value"), offset: 0)
        }
    }
}
