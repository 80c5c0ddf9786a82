// A copy of all namespaces and uploaded files in one file, and a new directory from it.
public import HearthCore

/// Writes a backup: a block file like a checkpoint, whatever the size with the memory of one block.
///
///     a block file of:  0, 0 │ 1, namespace │ 1, namespace │ … │ 0, 0 │ 1, file │ 1, file │ … │ 0
///     file:             the fields of its header, its content
///
/// Files come after the namespaces: whatever the data names is there then, since it was uploaded before.
/// It is for a running server as well as for a stopped one: append each namespace as it is at one moment.
/// What is not durable yet may not be appended, since the backup would then tell what a crash could take
/// back.
public struct BackupWriter: ~Copyable {
    private var writer: BlockWriter
    private var isAmongFiles = false

    /// Begins a backup in `file`, which is written from its beginning to its end in order.
    public init(to file: any DiskFile, salt: UInt64) throws(StorageFailure) {
        writer = try BlockWriter(.backup, to: file, salt: salt)
        writer.bytes.appendSignedVarint(0)
        writer.bytes.appendVarint(0)
    }

    /// Appends a namespace.
    ///
    /// - Complexity: O(size of the state); blocks for as long as the file takes.
    public mutating func append(_ state: NamespaceState) throws(StorageFailure) {
        var state = state
        state.position = 0
        writer.bytes.append(1)
        try writer.append(state)
        try writer.drain()
    }

    /// Appends all uploaded files that are there now, after all namespaces; their content is checked on the
    /// way. One that is removed meanwhile may be left out.
    ///
    /// - Throws: also `.damaged`, if a content is not what was stored; the backup is void then.
    public mutating func append(allOf files: FileStore) throws(StorageFailure) {
        endNamespaces()
        let places = files.places.sorted { ($0.namespace, $0.path) < ($1.namespace, $1.path) }
        for place in places {
            guard let opened = try files.open(place) else { continue }
            writer.bytes.append(1)
            writer.bytes += opened.header.fields
            var pieces = FilePieces(of: opened)
            while let piece = try pieces.next() {
                writer.bytes += piece
                try writer.drain()
            }
        }
    }

    private mutating func endNamespaces() {
        guard !isAmongFiles else { return }
        isAmongFiles = true
        writer.bytes.append(0)
        writer.bytes.appendSignedVarint(0)
    }

    /// Writes the end and syncs; returns the size in bytes. A file without its end is no backup.
    public mutating func finish() throws(StorageFailure) -> Int {
        endNamespaces()
        writer.bytes.append(0)
        try writer.finish()
        return writer.byteCount
    }
}

/// Copies stopped directories to backups and makes directories from them.
public enum Backup {
    /// What a backup or a restored directory holds.
    public struct Summary: Sendable {
        /// The namespaces and their revisions.
        public let revisions: [String: Revision]
        /// The size of the backup.
        public let byteCount: Int
        /// How many uploaded files it has.
        public let fileCount: Int
    }

    /// Writes a backup of the directory on `disk`, which no server has open, as the file `name` on `target`:
    /// beside it, synced, then renamed. A file of that name is replaced in one step.
    ///
    /// - Throws: `.locked` while a server has it open (ask that server for a backup), `.damaged` as at a
    ///   start.
    public static func write(
        _ disk: any Disk, to name: String, on target: any Disk,
        random: any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) -> Summary {
        guard try FormatFile.check(disk) else {
            throw StorageFailure(
                .missing, action: "back up", place: disk.location, reason: "it is no data directory")
        }
        let lock = try disk.lock(FileName.lock)
        defer { withExtendedLifetime(lock) {} }
        var recovery = try Recovery(disk, history: HistoryLimits(byteCount: 0))
        try recovery.run()
        let states = recovery.replay.states
        let files = try FileStore(reading: disk)
        if let damage = files.damaged.first { throw damage }
        let byteCount = try write(states, files, to: name, on: target, random)
        return Summary(
            revisions: states.mapValues(\.revision), byteCount: byteCount, fileCount: files.usage.count)
    }

    private static func write(
        _ states: [String: NamespaceState], _ files: FileStore, to name: String, on target: any Disk,
        _ random: any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) -> Int {
        var random = random
        let beside = name + FileName.unfinishedSuffix
        if try target.list().contains(beside) {
            // Synced, or a crash could keep the rename below and lose this: half a file would be the backup.
            try target.remove(beside)
            try target.syncDirectory()
        }
        var writer = try BackupWriter(to: try target.create(beside), salt: random.next())
        for (_, state) in states.sorted(by: { $0.key < $1.key }) { try writer.append(state) }
        try writer.append(allOf: files)
        let byteCount = try writer.finish()
        try target.rename(beside, to: name)
        try target.syncDirectory()
        return byteCount
    }

    /// Reads a backup and checks every byte of it.
    ///
    /// - Throws: `.missing`; `.damaged` with the offset.
    public static func check(_ name: String, on source: any Disk) throws(StorageFailure) -> Summary {
        var reader = try BackupReader(name, on: source)
        var fileCount = 0
        while let header = try reader.nextFile() {
            fileCount += 1
            while try reader.nextPiece(of: header) != nil {}
        }
        let revisions = reader.namespaces.map { ($0.name, $0.revision) }
        return Summary(
            revisions: Dictionary(uniqueKeysWithValues: revisions),
            byteCount: try source.open(name, for: .reading).byteCount(), fileCount: fileCount)
    }

    /// Makes a data directory from the backup `name` on `source`. Every namespace begins a new epoch:
    /// cursors of before, which may know more, are void.
    ///
    /// The file with the format is written last: a crash before leaves a directory that no server opens.
    ///
    /// - Throws: `.occupied` unless the directory is empty or missing; `.damaged` before anything is written.
    public static func restore(
        _ name: String, on source: any Disk, to disk: any Disk, segments: SegmentSizes = SegmentSizes(),
        random: any RandomNumberGenerator & Sendable
    ) throws(StorageFailure) -> Summary {
        let summary = try check(name, on: source)
        var backup = try BackupReader(name, on: source)
        try disk.makeDirectory()
        guard let found = try disk.list().min() else {
            var random = random
            let states = backup.namespaces.map { $0.inNewEpoch(using: &random) }
            let fresh = FreshFiles(disk: disk, segments: segments, states: states, position: 0)
            try fresh.write(checkpoint: 1, segment: 1, using: &random)
            try restoreFiles(of: &backup, to: disk)
            try FormatFile.write(to: disk)
            return summary
        }
        throw StorageFailure(
            .occupied, action: "restore into", place: disk.location,
            reason: "it is not empty: '\(found)' is in it", advice: "name an empty or a new directory")
    }

    private static func restoreFiles(of backup: inout BackupReader, to disk: any Disk) throws(StorageFailure)
    {
        var number: UInt64 = 1
        while let header = try backup.nextFile() {
            let file = try disk.create(FileName.numbered(.file, number))
            let start = header.bytes
            try file.write(start, at: 0)
            var offset = start.count
            while let piece = try backup.nextPiece(of: header) {
                try file.write(piece, at: offset)
                offset += piece.count
            }
            try file.sync()
            number += 1
        }
        try disk.syncDirectory()
    }
}
