// Making the next segment ahead of need, so that a flush only writes and syncs what is there already.
import HearthCore

/// How large segments are made.
public struct SegmentSizes: Hashable, Sendable {
    /// The first one of a directory: small, so that a first start is quick.
    public var first: Int
    /// All later ones.
    public var later: Int

    /// Sizes in bytes, both at least 4,096.
    public init(first: Int = 1 << 20, later: Int = 32 << 20) {
        precondition(first >= 4_096 && later >= 4_096, "a segment has at least 4,096 bytes")
        self.first = first
        self.later = later
    }
}

/// A segment that is ready: as large as it will be, all zeros but for its header, synced and named.
public struct PreparedSegment: Sendable {
    let header: SegmentHeader
    let file: any DiskFile
}

/// The work of preparing a segment; a worker may do it while the journal goes on.
public struct SegmentPreparation: Sendable {
    let disk: any Disk
    let segment: UInt64
    let byteCount: Int
    let salt: UInt64
    /// A former segment that is used again.
    let spare: String?

    /// Makes the segment. It blocks for as long as the disk takes to write all its zeros.
    ///
    /// - Throws: `.noSpace` with nothing left behind; it can be tried again. Other failures are the
    ///   machine's.
    public func run() throws(StorageFailure) -> PreparedSegment {
        do {
            return try make()
        } catch {
            try removeUnfinished(after: error)
            throw error
        }
    }

    private var unfinished: String { FileName.numbered(.journal, segment) + FileName.unfinishedSuffix }

    private func make() throws(StorageFailure) -> PreparedSegment {
        let file = try openUnfinished()
        let size = max(byteCount, try file.byteCount())
        try file.fillWithZeros(from: 0, to: size)
        let header = SegmentHeader(segment: segment, salt: salt, fileByteCount: size)
        try file.write(header.encoded, at: 0)
        try file.sync()
        try disk.rename(unfinished, to: FileName.numbered(.journal, segment))
        #if DEBUG
            if PlantedFault.isPlanted(.leavesSegmentNameUnsynced) {
                return PreparedSegment(header: header, file: file)
            }
        #endif
        try disk.syncDirectory()
        return PreparedSegment(header: header, file: file)
    }

    private func openUnfinished() throws(StorageFailure) -> any DiskFile {
        let names = try disk.list()
        if names.contains(unfinished) { try disk.remove(unfinished) }
        if let spare, names.contains(spare) {
            try disk.rename(spare, to: unfinished)
            // Or a crash could keep the zeros that come now and lose the name: a segment that was prepared
            // once and not needed would then be found damaged.
            try disk.syncDirectory()
            return try disk.open(unfinished, for: .writing)
        }
        guard try disk.freeByteCount() >= byteCount else {
            throw StorageFailure(
                .noSpace, action: "prepare", place: disk.path(of: FileName.numbered(.journal, segment)),
                reason: "the disk has less than \(byteCount) bytes free")
        }
        return try disk.create(unfinished)
    }

    private func removeUnfinished(after failure: StorageFailure) throws(StorageFailure) {
        guard failure.kind == .noSpace, try disk.list().contains(unfinished) else { return }
        try disk.remove(unfinished)
        try disk.syncDirectory()
    }
}
