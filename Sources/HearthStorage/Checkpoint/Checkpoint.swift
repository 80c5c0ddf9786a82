// The state of all namespaces, written out so that older records are no longer needed.

/// The state of all namespaces of a data directory.
///
///     a block file of:  position, first segment │ 1, namespace │ 1, namespace │ … │ 0, end
///     namespace:        name, epoch, revision, floor, time, position, rules, on-disconnect writes, root
///
/// Namespaces are captured one after the other while writing goes on. All records up to `position` are part
/// of it, none after `end`; between them each namespace knows its own last one.
/// Segments before the first one that it names do not count any more, whatever is in them: that is how a
/// recovery cuts damage off in one step.
public struct Checkpoint: Sendable {
    /// The number in its file's name.
    public let number: UInt64
    /// All records up to this one are part of it.
    public let position: Position
    /// No later record is part of it.
    public let end: Position
    /// The first segment whose records go on from here.
    let firstSegment: UInt64
    /// The states, in the order in which they were written.
    public let namespaces: [NamespaceState]

    /// Where a directory without a checkpoint begins.
    static let none = Checkpoint(number: 0, position: 0, end: 0, firstSegment: 0, namespaces: [])

    /// Reads a checkpoint and checks every byte of it.
    ///
    /// - Throws: `.damaged` with the offset (of the block) in the file.
    static func read(_ number: UInt64, from disk: any Disk) throws(StorageFailure) -> Checkpoint {
        let name = FileName.numbered(.checkpoint, number)
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
        let checkpoint = try namespaces(number)
        guard try isAtEnd() else { throw fault(.goesOn) }
        return checkpoint
    }

    /// Everything up to where a checkpoint ends and a backup goes on.
    mutating func namespaces(_ number: UInt64) throws(DecodingFault) -> Checkpoint {
        let position = try signedVarint()
        let firstSegment = try varint()
        var namespaces: [NamespaceState] = []
        while try flag() { namespaces.append(try namespaceState()) }
        let end = try signedVarint()
        let isOrdered = position >= 0 && position <= end && namespaces.allSatisfy { $0.position <= end }
        guard isOrdered, Set(namespaces.map(\.name)).count == namespaces.count else {
            throw fault(.contradiction("its positions do not agree"))
        }
        return Checkpoint(
            number: number, position: position, end: end, firstSegment: firstSegment, namespaces: namespaces)
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
        _ number: UInt64, on disk: any Disk, position: Position, firstSegment: UInt64 = 0, salt: UInt64
    ) throws(StorageFailure) {
        self.number = number
        self.disk = disk
        self.position = position
        last = position
        let name = CheckpointWriter.unfinishedName(number)
        if try disk.list().contains(name) { try disk.remove(name) }
        writer = try BlockWriter(.checkpoint, to: try disk.create(name), salt: salt)
        writer.bytes.appendSignedVarint(position)
        writer.bytes.appendVarint(firstSegment)
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
    /// `end` is the last record that had been appended when the last namespace was captured, or found to be
    /// gone. `durable` is the journal's last synced record: a crash could otherwise leave a checkpoint with
    /// commits that the journal lost. Wait until it has reached `end`.
    ///
    /// - Precondition: `durable` is at least `end`, and `end` at least the position of each state.
    public mutating func finish(end: Position, durable: Position) throws(StorageFailure) -> CheckpointSummary
    {
        precondition(end >= last, "no state is newer than the moment at which the last one was captured")
        precondition(durable >= end, "a checkpoint holds only what the journal has synced")
        writer.bytes.append(0)
        writer.bytes.appendSignedVarint(end)
        try writer.finish()
        try disk.rename(
            CheckpointWriter.unfinishedName(number), to: FileName.numbered(.checkpoint, number))
        try disk.syncDirectory()
        return CheckpointSummary(number: number, position: position, end: end, byteCount: writer.byteCount)
    }

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
