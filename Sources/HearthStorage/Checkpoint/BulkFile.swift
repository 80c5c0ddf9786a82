// One large value in a file of its own, so that the journal only names it.
import HearthCore

/// Writes and reads bulk files: a block file with one node.
///
/// A bulk file is synced, with its name, before the record that names it is appended; a crash in between
/// leaves a file that nobody names, which the next start removes.
enum BulkFile {
    /// Writes `node` as bulk file `number` and returns when it will survive a crash.
    ///
    /// - Complexity: O(size of the node) in time, one block in memory; blocks for as long as the disk takes.
    /// - Throws: `.noSpace` with nothing left behind.
    static func write(
        _ node: Node, number: UInt64, on disk: any Disk, salt: UInt64
    ) throws(StorageFailure) -> BulkReference {
        let name = FileName.numbered(.bulk, number)
        do {
            var writer = try BlockWriter(.bulk, to: try disk.create(name), salt: salt)
            try writer.append(node)
            try writer.finish()
            try disk.syncDirectory()
            return BulkReference(number: number, byteCount: writer.byteCount, checksum: writer.checksum)
        } catch {
            if error.kind == .noSpace, try disk.list().contains(name) { try disk.remove(name) }
            throw error
        }
    }

    /// Reads the value back and checks every byte of it, and that the file is the one that `reference` means.
    static func read(_ reference: BulkReference, from disk: any Disk) throws(StorageFailure) -> Node {
        let path = disk.path(of: reference.name)
        try check(reference, on: disk)
        if try purpose(of: reference, on: disk) == .bulkText {
            return try BulkText.read(reference, from: disk)
        }
        var reader = ByteReader(try BlockSource(.bulk, reference.name, on: disk))
        do {
            return try reader.onlyNode()
        } catch {
            throw error.failure(reading: path)
        }
    }

    private static func purpose(
        of reference: BulkReference, on disk: any Disk
    ) throws(StorageFailure) -> BlockPurpose? {
        let start = try disk.open(reference.name, for: .reading).read(at: 0, count: 8)
        return start.count == 8 ? BlockPurpose(rawValue: start.fixed64(at: 0)) : nil
    }

    private static func check(_ reference: BulkReference, on disk: any Disk) throws(StorageFailure) {
        let file = try disk.open(reference.name, for: .reading)
        var checksum: UInt32 = 0
        var offset = 0
        while true {
            let piece = try file.read(at: offset, count: 1 << 20)
            if piece.isEmpty { break }
            checksum = CRC32C.checksum(piece, after: checksum)
            offset += piece.count
        }
        guard offset == reference.byteCount, checksum == reference.checksum else {
            throw DecodingFault.malformed(.checksum, offset: 0).failure(
                reading: disk.path(of: reference.name))
        }
    }
}

extension ByteReader {
    /// A node with nothing after it.
    fileprivate mutating func onlyNode() throws(DecodingFault) -> Node {
        let node = try node()
        guard try isAtEnd() else { throw fault(.goesOn) }
        return node
    }
}
