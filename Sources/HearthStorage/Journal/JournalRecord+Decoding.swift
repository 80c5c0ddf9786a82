// Reading a record back; every byte is doubted.
import HearthCore

extension ByteReader {
    /// What follows a record's frame, to the end.
    mutating func record() throws(DecodingFault) -> JournalRecord {
        let kind = try byte()
        guard (RecordKind.commit...RecordKind.onDisconnect).contains(kind) else {
            throw fault(.unknownKind(kind))
        }
        let namespace = try text(upTo: JournalRecord.nameByteLimit)
        let content = try content(kind)
        guard try isAtEnd() else { throw fault(.goesOn) }
        return JournalRecord(namespace: namespace, content)
    }

    private mutating func content(_ kind: UInt8) throws(DecodingFault) -> JournalRecord.Content {
        switch kind {
        case RecordKind.commit: return try commit()
        case RecordKind.rules: return .commit(try rules(), session: nil)
        case RecordKind.bulk: return .bulk(try bulk())
        case RecordKind.created: return .created(epoch: try name())
        case RecordKind.deleted: return .deleted
        case RecordKind.epochChanged: return .epochChanged(to: try name())
        case RecordKind.onDisconnect:
            let session = try name()
            let writes = try flag() ? try blob() : nil
            return .onDisconnect(session: session, writes: writes)
        default: throw fault(.unknownKind(kind))
        }
    }

    private mutating func commit() throws(DecodingFault) -> JournalRecord.Content {
        let revision = try signedVarint()
        let time = try signedVarint()
        let form = try byte()
        guard form == RecordKind.formSet || form == RecordKind.formUpdate else {
            throw fault(.unknownTag(form))
        }
        let flags = try flags(allowed: RecordKind.hasUndo | RecordKind.hasSession)
        let base = try path(sharing: .root)
        let edits = try edits(sharing: base)
        let undo = flags & RecordKind.hasUndo == 0 ? nil : try self.edits(sharing: base)
        let session = flags & RecordKind.hasSession == 0 ? nil : try name()
        let commit = Commit(
            revision: revision, time: time, kind: form == RecordKind.formUpdate ? .update : .set, base: base,
            edits: edits, undo: undo)
        return .commit(commit, session: session)
    }

    private mutating func rules() throws(DecodingFault) -> Commit {
        let revision = try signedVarint()
        let time = try signedVarint()
        return Commit(revision: revision, time: time, rules: try blob())
    }

    private mutating func bulk() throws(DecodingFault) -> BulkCommit {
        let revision = try signedVarint()
        let time = try signedVarint()
        let mode = try byte()
        guard let mode = BulkCommit.Mode(rawValue: mode) else { throw fault(.unknownTag(mode)) }
        let flags = try flags(allowed: RecordKind.hasUndo)
        let path = try path(sharing: .root)
        let file = BulkReference(
            number: try varint(), byteCount: try count(upTo: Int.max), checksum: try fixed32())
        let undo = flags & RecordKind.hasUndo == 0 ? nil : try edits(sharing: path)
        return BulkCommit(revision: revision, time: time, path: path, mode: mode, file: file, undo: undo)
    }

    private mutating func edits(sharing base: Path) throws(DecodingFault) -> [Edit] {
        var edits: [Edit] = []
        for _ in 0..<(try count(upTo: JournalRecord.byteLimit)) {
            let kind = try byte()
            let path = try path(sharing: base)
            switch kind {
            case RecordKind.editPut: edits.append(.put(path, try node()))
            case RecordKind.editPrioritize:
                let tag = try byte()
                guard tag & NodeTag.kindMask == NodeTag.empty else { throw fault(.unknownTag(tag)) }
                edits.append(.prioritize(path, try priority(tag)))
            default: throw fault(.unknownTag(kind))
            }
        }
        return edits
    }

    private mutating func path(sharing base: Path) throws(DecodingFault) -> Path {
        let shared = try count(upTo: base.depth)
        let more = try count(upTo: NodeTag.depthLimit)
        if more == 0 { return shared == base.depth ? base : base.prefix(shared) }
        var keys = Array(base.keys[..<shared])
        keys.reserveCapacity(shared + more)
        for _ in 0..<more { keys.append(try key()) }
        return Path(keys)
    }

    mutating func name() throws(DecodingFault) -> String {
        try text(upTo: JournalRecord.nameByteLimit)
    }

    /// A length, then that many bytes of any content.
    mutating func blob() throws(DecodingFault) -> [UInt8] {
        try bytes(try count(upTo: JournalRecord.byteLimit))
    }

    mutating func flag() throws(DecodingFault) -> Bool {
        try flags(allowed: 1) == 1
    }

    private mutating func flags(allowed: UInt8) throws(DecodingFault) -> UInt8 {
        let flags = try byte()
        guard flags & ~allowed == 0 else { throw fault(.unknownTag(flags)) }
        return flags
    }
}
