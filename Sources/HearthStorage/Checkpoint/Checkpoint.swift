// The state of all namespaces, written out so that older records are no longer needed.

/// The state of all namespaces of a data directory.
///
///     a block file of:  position │ 1, namespace │ 1, namespace │ … │ 0, end
///     namespace:        name, epoch, revision, floor, time, position, rules, on-disconnect writes, root
///
/// Namespaces are captured one after the other while writing goes on. All records up to `position` are part
/// of it, none after `end`; between them each namespace knows its own last one.
public struct Checkpoint: Sendable {
    /// The number in its file's name.
    public let number: UInt64
    /// All records up to this one are part of it.
    public let position: Position
    /// No later record is part of it.
    public let end: Position
    /// The states, in the order in which they were written.
    public let namespaces: [NamespaceState]

    /// Reads a checkpoint and checks every byte of it.
    ///
    /// - Throws: `.damaged` with the offset (of the block) in the file.
    static func read(_ number: UInt64, from disk: any Disk) throws(StorageFailure) -> Checkpoint {
        let name = FileName.numbered(.checkpoint, number)
        return try read(name, number: number, from: disk)
    }

    /// Reads a checkpoint from a file of any name.
    static func read(_ name: String, number: UInt64, from disk: any Disk) throws(StorageFailure) -> Checkpoint
    {
        var reader = ByteReader(try BlockSource(.checkpoint, name, on: disk))
        do {
            return try reader.checkpoint(number)
        } catch {
            throw error.failure(reading: disk.path(of: name))
        }
    }
}

extension ByteReader {
    mutating func checkpoint(_ number: UInt64) throws(DecodingFault) -> Checkpoint {
        let position = try signedVarint()
        var namespaces: [NamespaceState] = []
        while try flag() { namespaces.append(try namespaceState()) }
        let end = try signedVarint()
        guard try isAtEnd() else { throw fault(.goesOn) }
        let isOrdered = position >= 0 && position <= end && namespaces.allSatisfy { $0.position <= end }
        guard isOrdered, Set(namespaces.map(\.name)).count == namespaces.count else {
            throw fault(.contradiction("its positions do not agree"))
        }
        return Checkpoint(number: number, position: position, end: end, namespaces: namespaces)
    }
}

/// Writes a checkpoint with the memory of one block, whatever the size of the state.
public struct CheckpointWriter: ~Copyable {
    /// The number in the file's name.
    public let number: UInt64
    private let disk: any Disk
    private let position: Position
    private var last: Position
    private var writer: BlockWriter

    /// Begins a checkpoint that will hold all records up to `position`.
    ///
    /// Take `position` before the first namespace is captured: the last one appended to the journal then.
    init(
        _ number: UInt64, on disk: any Disk, position: Position, salt: UInt64
    ) throws(StorageFailure) {
        self.number = number
        self.disk = disk
        self.position = position
        last = position
        let name = CheckpointWriter.unfinishedName(number)
        if try disk.list().contains(name) { try disk.remove(name) }
        writer = try BlockWriter(.checkpoint, to: try disk.create(name), salt: salt)
        writer.bytes.appendSignedVarint(position)
    }

    /// Appends a namespace, as it was at one moment after the beginning. Idle ones must not be left out.
    ///
    /// - Complexity: O(size of the state); blocks for as long as the disk takes.
    public mutating func append(_ state: NamespaceState) throws(StorageFailure) {
        last = max(last, state.position)
        writer.bytes.append(1)
        try writer.append(state)
        try writer.drain()
    }

    /// Ends the file, syncs it and gives it its name: from then on it is the newest checkpoint.
    ///
    /// `durable` is the journal's last synced record: nothing in the state may be newer, since a crash
    /// could then leave a checkpoint with commits that the journal lost. Wait until it has reached
    /// `lastCaptured`.
    ///
    /// - Precondition: `durable` is at least `lastCaptured`.
    public mutating func finish(durable: Position) throws(StorageFailure) -> CheckpointSummary {
        precondition(durable >= last, "a checkpoint holds only what the journal has synced")
        writer.bytes.append(0)
        writer.bytes.appendSignedVarint(last)
        try writer.finish()
        try disk.rename(
            CheckpointWriter.unfinishedName(number), to: FileName.numbered(.checkpoint, number))
        try disk.syncDirectory()
        return CheckpointSummary(number: number, position: position, end: last, byteCount: writer.byteCount)
    }

    /// The newest record that is part of what was appended so far.
    public var lastCaptured: Position { last }

    private static func unfinishedName(_ number: UInt64) -> String {
        FileName.numbered(.checkpoint, number) + FileName.unfinishedSuffix
    }
}

/// What was written.
public struct CheckpointSummary: Hashable, Sendable {
    /// The number in the file's name.
    public let number: UInt64
    /// All records up to this one are part of it: older segments and bulk files are free.
    public let position: Position
    /// No later record is part of it.
    public let end: Position
    /// The size of the file.
    public let byteCount: Int
}
