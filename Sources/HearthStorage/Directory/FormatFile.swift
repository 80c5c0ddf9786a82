// Which version wrote a data directory, and what it may be used for.

/// How a directory is opened.
public struct DirectoryOptions: Sendable {
    /// When records are synced.
    public enum Sync: String, Sendable {
        /// Before they are acknowledged.
        case always
        /// Now and then: a crash may lose the last ones, and revisions may be used again. An unclean start
        /// then begins a new epoch.
        case interval
    }

    /// When records are synced.
    public var sync: Sync
    /// Whether this is an emulator, which may not open what was used in production.
    public var isEmulator: Bool
    /// How large segments are made.
    public var segments: SegmentSizes
    /// How much history is kept for streams to resume.
    public var history: HistoryLimits

    /// The defaults are those of a server in production.
    public init(
        sync: Sync = .always, isEmulator: Bool = false, segments: SegmentSizes = SegmentSizes(),
        history: HistoryLimits = HistoryLimits()
    ) {
        self.sync = sync
        self.isEmulator = isEmulator
        self.segments = segments
        self.history = history
    }
}

/// The `format` file: `hearth data, format 2` and a line end.
enum FormatFile {
    private static let start = "hearth data, format "

    static func text(_ version: UInt32) -> [UInt8] {
        Array("\(start)\(version)\n".utf8)
    }

    /// Whether the directory has a format file; fails unless it is one that this program reads.
    static func check(_ disk: any Disk) throws(StorageFailure) -> Bool {
        try version(on: disk) != nil
    }

    /// The directory's version, nil if it has no format file; fails unless this program reads it.
    static func version(on disk: any Disk) throws(StorageFailure) -> UInt32? {
        guard let bytes = try disk.contents(of: FileName.format) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let path = disk.path(of: FileName.format)
        guard text.hasPrefix(start), text.hasSuffix("\n"),
            let version = UInt32(text.dropFirst(start.count).dropLast())
        else {
            throw StorageFailure(
                .damaged(lastSound: [:]), action: "open", place: disk.location,
                reason: "its file 'format' is not what was written",
                advice:
                    "if this is a data directory, write '\(start)\(FormatVersion.current)' into \(path)"
            )
        }
        guard FormatVersion.isReadable(version) else {
            throw StorageFailure(
                .unsupported, action: "open", place: disk.location,
                reason: "it has format version \(version), this program reads \(FormatVersion.current)",
                advice: version > FormatVersion.current
                    ? "use the version of hearth that wrote it, or a newer one"
                    : "open it once with each version of hearth in between")
        }
        return version
    }

    static func write(to disk: any Disk) throws(StorageFailure) {
        try disk.replace(FileName.format, with: text(FormatVersion.current))
    }
}

/// The rules about which directory may be opened for what.
enum DirectoryMarks {
    /// Refuses a directory that is neither empty nor ours: a wrong path must not be filled with our files.
    static func checkIsOursOrEmpty(_ disk: any Disk) throws(StorageFailure) {
        if try FormatFile.check(disk) { return }
        let harmless: Set = [FileName.lock, FileName.adminToken, FileName.format + FileName.unfinishedSuffix]
        guard let foreign = try disk.list().filter({ !harmless.contains($0) }).min() else { return }
        throw StorageFailure(
            .occupied, action: "use", place: disk.location,
            reason: "it is no data directory, and it is not empty: '\(foreign)' is in it",
            advice: "name an empty or a new directory")
    }

    /// Notes the first use in production; refuses such a directory to an emulator.
    static func markUse(isEmulator: Bool, on disk: any Disk) throws(StorageFailure) {
        let isMarked = try disk.list().contains(FileName.production)
        if isEmulator && isMarked {
            throw StorageFailure(
                .occupied, action: "open", place: disk.location,
                reason: "it was used in production, and an emulator lets everybody read and write everything",
                advice: "start without --emulator, or name another directory")
        }
        if !isEmulator && !isMarked { try disk.replace(FileName.production, with: []) }
    }

    /// How the last run synced if it did not end cleanly, else nil.
    static func uncleanRun(_ disk: any Disk) throws(StorageFailure) -> DirectoryOptions.Sync? {
        guard let bytes = try disk.contents(of: FileName.running) else { return nil }
        // A text that is neither is taken for the mode that promises less.
        return DirectoryOptions.Sync(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .interval
    }

    static func markRunning(_ sync: DirectoryOptions.Sync, on disk: any Disk) throws(StorageFailure) {
        try disk.replace(FileName.running, with: Array(sync.rawValue.utf8))
    }

    static func markStopped(_ disk: any Disk) throws(StorageFailure) {
        guard try disk.list().contains(FileName.running) else { return }
        try disk.remove(FileName.running)
        try disk.syncDirectory()
    }
}
