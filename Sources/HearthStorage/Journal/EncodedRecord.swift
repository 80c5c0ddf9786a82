// A record as it lies in a segment.
public import HearthCore

/// One record as it lies in a segment.
///
///     ┌────────────┬────────────┬─────────────┬──────────────┬──────┬───────────┬────────────────────────┐
///     │ length u32 │ crc32c u32 │ segment u64 │ position i64 │ kind │ namespace │ what the kind says     │
///     └────────────┴────────────┴─────────────┴──────────────┴──────┴───────────┴────────────────────────┘
///       little-endian; length counts all of it; the checksum goes on from the segment's salt and covers
///       all but itself
///
///     kind 1 commit         revision, time, form, flags, base, edits, [undo], [session]
///          2 rules          revision, time, text
///          3 bulk           revision, time, mode, flags, path, file number, size, crc32c u32, [undo]
///          4 created        epoch
///          5 deleted        –
///          6 epoch changed  epoch
///          7 on disconnect  session, 0 | 1 and the writes
///
/// The paths of edits and undo name how many keys they share with the base, so that a write names its place
/// once. Encoding needs no lock and no place in the journal: segment, position and checksum are filled in
/// when the record is written.
public struct EncodedRecord: Sendable {
    static let frameByteCount = 24
    private(set) var bytes: [UInt8]

    private static let emptyFrame = [UInt8](repeating: 0, count: frameByteCount)
    /// More memory is not kept from one record to the next.
    private static let keptByteCount = 16 << 10

    /// No record yet.
    public init() {
        bytes = []
    }

    /// Encodes `record`; undo beyond `JournalRecord.undoByteLimit` is left out.
    ///
    /// - Precondition: the record takes at most `JournalRecord.byteLimit` bytes.
    public init(_ record: JournalRecord) {
        self.init()
        replace(with: record)
    }

    /// Encodes another record in the same memory.
    ///
    /// - Precondition: the record takes at most `JournalRecord.byteLimit` bytes.
    public mutating func replace(with record: JournalRecord) {
        var output = begin()
        output.append(record)
        finish(&output)
    }

    /// Encodes a commit in the same memory, as one of a namespace that runs nothing on disconnect.
    ///
    /// - Precondition: the record takes at most `JournalRecord.byteLimit` bytes, and the name is short.
    public mutating func replace(with commit: borrowing Commit, in namespace: String) {
        var output = begin()
        output.append(commit, nil, in: namespace)
        finish(&output)
    }

    private mutating func begin() -> MemoryOutput {
        var output = MemoryOutput()
        swap(&output.bytes, &bytes)
        output.bytes.removeAll(keepingCapacity: output.bytes.capacity <= EncodedRecord.keptByteCount)
        if output.bytes.capacity == 0 { output.bytes.reserveCapacity(256) }
        output.bytes.append(contentsOf: EncodedRecord.emptyFrame)
        return output
    }

    private mutating func finish(_ output: inout MemoryOutput) {
        precondition(output.bytes.count <= JournalRecord.byteLimit, "a record fits its limit")
        output.bytes.setFixed32(UInt32(output.bytes.count), at: 0)
        swap(&output.bytes, &bytes)
    }

    /// How many bytes it takes in a segment.
    public var byteCount: Int { bytes.count }
}

enum RecordKind {
    static let commit: UInt8 = 1
    static let rules: UInt8 = 2
    static let bulk: UInt8 = 3
    static let created: UInt8 = 4
    static let deleted: UInt8 = 5
    static let epochChanged: UInt8 = 6
    static let onDisconnect: UInt8 = 7

    static let formSet: UInt8 = 1
    static let formUpdate: UInt8 = 2
    static let hasUndo: UInt8 = 1
    static let hasSession: UInt8 = 2

    static let editPut: UInt8 = 1
    static let editPrioritize: UInt8 = 2
}

extension NodeOutput where Failure == Never {
    mutating func append(_ record: JournalRecord) {
        switch record.content {
        case .commit(let commit, let session): append(commit, session, in: record.namespace)
        case .bulk(let bulk): append(bulk, in: record.namespace)
        case .created(let epoch):
            appendKind(RecordKind.created, record.namespace)
            bytes.appendText(epoch)
        case .deleted: appendKind(RecordKind.deleted, record.namespace)
        case .epochChanged(let epoch):
            appendKind(RecordKind.epochChanged, record.namespace)
            bytes.appendText(epoch)
        case .onDisconnect(let session, let writes):
            appendKind(RecordKind.onDisconnect, record.namespace)
            bytes.appendText(session)
            bytes.append(writes == nil ? 0 : 1)
            if let writes { bytes.appendBytes(writes) }
        }
    }

    private mutating func appendKind(_ kind: UInt8, _ namespace: String) {
        bytes.append(kind)
        bytes.appendText(namespace)
    }

    fileprivate mutating func append(
        _ commit: borrowing Commit, _ session: String?, in namespace: String
    ) {
        if let rules = commit.rules {
            precondition(session == nil, "rules are not set on disconnect")
            appendKind(RecordKind.rules, namespace)
            bytes.appendSignedVarint(commit.revision)
            bytes.appendSignedVarint(commit.time)
            bytes.appendBytes(rules)
            return
        }
        appendKind(RecordKind.commit, namespace)
        bytes.appendSignedVarint(commit.revision)
        bytes.appendSignedVarint(commit.time)
        bytes.append(commit.kind == .update ? RecordKind.formUpdate : RecordKind.formSet)
        let flags = bytes.count
        bytes.append(session == nil ? 0 : RecordKind.hasSession)
        append(commit.base, sharing: .root)
        append(commit.edits, sharing: commit.base)
        appendUndo(commit.undo, sharing: commit.base, flagsAt: flags)
        if let session { bytes.appendText(session) }
    }

    private mutating func append(_ bulk: BulkCommit, in namespace: String) {
        appendKind(RecordKind.bulk, namespace)
        bytes.appendSignedVarint(bulk.revision)
        bytes.appendSignedVarint(bulk.time)
        bytes.append(bulk.mode.rawValue)
        let flags = bytes.count
        bytes.append(0)
        append(bulk.path, sharing: .root)
        bytes.appendVarint(bulk.file.number)
        bytes.appendCount(bulk.file.byteCount)
        bytes.appendFixed32(bulk.file.checksum)
        appendUndo(bulk.undo, sharing: bulk.path, flagsAt: flags)
    }

    private mutating func appendUndo(_ undo: [Edit]?, sharing base: Path, flagsAt flags: Int) {
        guard let undo, undo.reduce(0, { $0 + $1.weight }) <= 2 * JournalRecord.undoByteLimit else { return }
        let start = bytes.count
        append(undo, sharing: base)
        if bytes.count - start > JournalRecord.undoByteLimit {
            bytes.removeSubrange(start...)
        } else {
            bytes[flags] |= RecordKind.hasUndo
        }
    }

    /// How many keys it begins with that `base` begins with too, how many more it has, and those.
    mutating func append(_ path: Path, sharing base: Path) {
        let shared = path.sharedDepth(with: base)
        bytes.appendCount(shared)
        bytes.appendCount(path.depth - shared)
        for index in shared..<path.depth { bytes.appendKey(path.keys[index]) }
    }

    mutating func append(_ edits: [Edit], sharing base: Path) {
        bytes.appendCount(edits.count)
        for edit in edits {
            switch edit {
            case .put(let path, let node):
                bytes.append(RecordKind.editPut)
                append(path, sharing: base)
                append(node)
            case .prioritize(let path, let priority):
                bytes.append(RecordKind.editPrioritize)
                append(path, sharing: base)
                appendTag(NodeTag.empty, priority)
            }
        }
    }
}
