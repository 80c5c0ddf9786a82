// A file that is written once, front to back, in checked blocks: checkpoints, bulk files and backups.
import HearthCore

/// What a block file is for; the raw value is its first eight bytes.
///
///     ┌───────────────┬─────────────┬────────────┬──────────┬────────┐
///     │ purpose u64   │ version u32 │ crc32c u32 │ salt u64 │ blocks │
///     └───────────────┴─────────────┴────────────┴──────────┴────────┘
///     block: ┌────────────┬────────────┬───────────┬─────────┐
///            │ length u32 │ crc32c u32 │ index u64 │ payload │     the last one has length 0
///            └────────────┴────────────┴───────────┴─────────┘
///       the header's checksum covers purpose, version and salt; a block's goes on from the salt and covers
///       length, index and payload
enum BlockPurpose: UInt64, Sendable {
    /// "HEARTHCP"
    case checkpoint = 0x5043_4854_5241_4548
    /// "HEARTHBK"
    case bulk = 0x4B42_4854_5241_4548
    /// "HEARTHBT": its payload is the JSON of the node, as it came
    case bulkText = 0x5442_4854_5241_4548
    /// "HEARTHBU"
    case backup = 0x5542_4854_5241_4548

    static let headerByteCount = 24
    static let blockFrameByteCount = 16
    /// A block ends with the first child after this many bytes.
    static let blockByteCount = 256 << 10
    /// Most blocks are not larger, frame included.
    static let usualByteCount = blockByteCount + 4_096
    /// No block is larger: one string and its surroundings may follow on a nearly full one.
    static let blockByteLimit = 1 << 30

    var word: String {
        switch self {
        case .checkpoint: "checkpoint"
        case .bulk, .bulkText: "bulk file"
        case .backup: "backup"
        }
    }
}

/// Writes a block file; what is appended to `bytes` leaves memory block by block.
struct BlockWriter: NodeOutput {
    typealias Failure = StorageFailure

    var bytes: [UInt8] = []
    let file: any DiskFile
    private let purpose: BlockPurpose
    private let checksumStart: UInt32
    private var index: UInt64 = 0
    private(set) var byteCount = 0
    /// Of all bytes of the file so far.
    private(set) var checksum: UInt32 = 0

    init(_ purpose: BlockPurpose, to file: any DiskFile, salt: UInt64) throws(StorageFailure) {
        self.purpose = purpose
        self.file = file
        checksumStart = BlockWriter.checksumStart(salt: salt)
        var header: [UInt8] = []
        header.appendFixed64(purpose.rawValue)
        header.appendFixed32(FormatVersion.current)
        header.appendFixed32(BlockWriter.headerChecksum(purpose, FormatVersion.current, salt: salt))
        header.appendFixed64(salt)
        try put(header)
    }

    mutating func drain() throws(StorageFailure) {
        if bytes.count >= BlockPurpose.blockByteCount { try writeBlock() }
    }

    /// Writes what is left and the end, and syncs.
    mutating func finish() throws(StorageFailure) {
        if !bytes.isEmpty { try writeBlock() }
        try writeBlock()
        #if DEBUG
            if PlantedFault.isPlanted(
                purpose == .bulk || purpose == .bulkText
                    ? .namesBulkFileBeforeSync : .namesCheckpointBeforeSync)
            {
                return
            }
        #endif
        try file.sync()
    }

    private mutating func writeBlock() throws(StorageFailure) {
        precondition(bytes.count <= BlockPurpose.blockByteLimit, "a block is drained between children")
        try writeBlock(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes a block of its own with that payload.
    ///
    /// - Precondition: nothing waits in `bytes`, and the payload is not empty unless it is the last one.
    mutating func writeBlock(_ payload: [UInt8]) throws(StorageFailure) {
        let sum = CRC32C.checksum(payload)
        var frame: [UInt8] = []
        frame.appendFixed32(UInt32(payload.count))
        frame.appendFixed32(0)
        frame.appendFixed64(index)
        let begun = BlockWriter.checksum(frame, checksumStart)
        frame.setFixed32(CRC32C.combined(begun, sum, secondByteCount: payload.count), at: 4)
        index += 1
        // Each byte is summed up once: it counts for its block and for the file.
        guard payload.count > BlockPurpose.usualByteCount else {
            let whole = CRC32C.combined(CRC32C.checksum(frame), sum, secondByteCount: payload.count)
            return try put(frame + payload, checksum: whole)
        }
        try put(frame)
        try put(payload, checksum: sum)
    }

    private mutating func put(_ piece: [UInt8]) throws(StorageFailure) {
        try put(piece, checksum: CRC32C.checksum(piece))
    }

    private mutating func put(_ piece: [UInt8], checksum sum: UInt32) throws(StorageFailure) {
        guard !piece.isEmpty else { return }
        try file.write(piece, at: byteCount)
        byteCount += piece.count
        checksum = CRC32C.combined(checksum, sum, secondByteCount: piece.count)
    }

    static func headerChecksum(_ purpose: BlockPurpose, _ version: UInt32, salt: UInt64) -> UInt32 {
        var bytes: [UInt8] = []
        bytes.appendFixed64(purpose.rawValue)
        bytes.appendFixed32(version)
        bytes.appendFixed64(salt)
        return CRC32C.checksum(bytes)
    }

    static func checksumStart(salt: UInt64) -> UInt32 {
        var bytes: [UInt8] = []
        bytes.appendFixed64(salt)
        return CRC32C.checksum(bytes)
    }

    /// The checksum of a whole block, frame and payload.
    static func checksum(_ block: [UInt8], _ start: UInt32) -> UInt32 {
        block.withUnsafeBytes { all in
            let length = UnsafeRawBufferPointer(rebasing: all[..<4])
            return CRC32C.checksum(
                UnsafeRawBufferPointer(rebasing: all[8...]), after: CRC32C.checksum(length, after: start))
        }
    }
}

/// Reads a block file's payload, each block checked before it is handed on.
struct BlockSource: ByteSource {
    private let file: any DiskFile
    private let fileByteCount: Int
    private let checksumStart: UInt32
    private var offset = BlockPurpose.headerByteCount
    private var index: UInt64 = 0
    private var isFinished = false

    /// Opens a block file and checks its header.
    init(_ purpose: BlockPurpose, _ name: String, on disk: any Disk) throws(StorageFailure) {
        let path = disk.path(of: name)
        file = try disk.open(name, for: .reading)
        fileByteCount = try file.byteCount()
        let header = try file.read(at: 0, count: BlockPurpose.headerByteCount)
        guard header.count == BlockPurpose.headerByteCount, header.fixed64(at: 0) == purpose.rawValue else {
            throw StorageFailure(
                .damaged(lastSound: [:]), action: "read", place: path, offset: 0,
                reason: "it is no \(purpose.word)")
        }
        let version = header.fixed32(at: 8)
        let salt = header.fixed64(at: 16)
        guard header.fixed32(at: 12) == BlockWriter.headerChecksum(purpose, version, salt: salt) else {
            throw DecodingFault.malformed(.checksum, offset: 0).failure(reading: path)
        }
        guard FormatVersion.isReadable(version) else {
            throw StorageFailure(
                .unsupported, action: "read", place: path, offset: 8,
                reason: "it has format version \(version), this program reads \(FormatVersion.current)",
                advice: "use the version of hearth that wrote it")
        }
        checksumStart = BlockWriter.checksumStart(salt: salt)
    }

    mutating func next() throws(DecodingFault) -> [UInt8]? {
        guard !isFinished else { return nil }
        let guess = try read(BlockPurpose.blockFrameByteCount, orUpTo: BlockPurpose.usualByteCount)
        let length = Int(guess.fixed32(at: 0))
        guard length <= BlockPurpose.blockByteLimit else { throw .malformed(.checksum, offset: offset) }
        let block = try take(BlockPurpose.blockFrameByteCount + length, of: guess)
        guard block.fixed32(at: 4) == BlockWriter.checksum(block, checksumStart),
            block.fixed64(at: 8) == index
        else { throw .malformed(.checksum, offset: offset) }
        offset += block.count
        index += 1
        if length > 0 { return Array(block[BlockPurpose.blockFrameByteCount...]) }
        guard offset == fileByteCount else { throw .malformed(.goesOn, offset: offset) }
        isFinished = true
        return nil
    }

    /// A block of `count` bytes, of which `guess` may be the beginning or more than all.
    private func take(_ count: Int, of guess: [UInt8]) throws(DecodingFault) -> [UInt8] {
        if guess.count == count { return guess }
        return guess.count > count ? Array(guess[..<count]) : try read(count, orUpTo: count)
    }

    private func read(_ least: Int, orUpTo most: Int) throws(DecodingFault) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try file.read(at: offset, count: most)
        } catch {
            throw .unreadable(error)
        }
        guard bytes.count >= least else { throw .malformed(.endsEarly, offset: offset) }
        return bytes
    }
}
