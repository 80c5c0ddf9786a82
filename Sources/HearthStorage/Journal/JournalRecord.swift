// One entry of the journal, as a value.
public import HearthCore

/// The number of a record among all records of all namespaces of a data directory; the first is 1.
public typealias Position = Int64

/// One entry of the journal: what happened in one namespace.
public struct JournalRecord: Sendable {
    /// What happened.
    public enum Content: Sendable {
        /// A commit, resolved. `session`, if there is one, is the session whose on-disconnect writes it ran
        /// and thereby used up.
        case commit(Commit, session: String?)
        /// A commit whose value lies in a file of its own.
        case bulk(BulkCommit)
        /// The namespace came into being, empty, at revision 0, in that epoch.
        case created(epoch: String)
        /// The namespace is gone with all it held.
        case deleted
        /// Cursors of before are void: history is cut at the present revision.
        case epochChanged(to: String)
        /// The on-disconnect writes of a session, all of them, in the server's own encoding; nil: none any
        /// more.
        case onDisconnect(session: String, writes: [UInt8]?)
    }

    /// Undo that takes more bytes than this in all is not stored: the history's floor rises to that commit.
    public static let undoByteLimit = 65_536
    /// The most bytes that a record may take; larger values go into a bulk file.
    public static let byteLimit = 1 << 30
    /// The most bytes of UTF-8 in the name of a namespace, an epoch or a session.
    public static let nameByteLimit = 1_024

    /// In which namespace.
    public let namespace: String
    /// What happened there.
    public let content: Content

    /// Puts a record together.
    ///
    /// - Precondition: names have at most `nameByteLimit` bytes of UTF-8.
    public init(namespace: String, _ content: Content) {
        precondition(namespace.utf8.count <= JournalRecord.nameByteLimit, "a namespace's name is short")
        self.namespace = namespace
        self.content = content
    }

    /// The revision that it made, nil if it is no commit.
    public var revision: Revision? {
        switch content {
        case .commit(let commit, _): commit.revision
        case .bulk(let bulk): bulk.revision
        case .created, .deleted, .epochChanged, .onDisconnect: nil
        }
    }
}

/// A record with its place in the journal.
public struct PlacedRecord: Sendable {
    /// Its number.
    public let position: Position
    /// What happened.
    public let record: JournalRecord
}

/// A commit whose value is too large for the journal: a synced bulk file that this names.
public struct BulkCommit: Sendable {
    /// How the file's value is written.
    public enum Mode: UInt8, Sendable {
        /// It replaces what stands at the path.
        case replace = 1
        /// Each of its children replaces the child of that name at the path; other children stay.
        case merge = 2
    }

    /// As in `Commit`.
    public let revision: Revision
    /// As in `Commit`.
    public let time: Int64
    /// Where the value is written.
    public let path: Path
    /// How it is written.
    public let mode: Mode
    /// The file and what must be in it.
    public let file: BulkReference
    /// What leads back, nil if it was too large to keep.
    public let undo: [Edit]?

    /// Puts a bulk commit together.
    public init(
        revision: Revision, time: Int64, path: Path, mode: Mode, file: BulkReference, undo: [Edit]?
    ) {
        self.revision = revision
        self.time = time
        self.path = path
        self.mode = mode
        self.file = file
        self.undo = undo
    }

    /// The commit that this is when the file holds `node`: live and at replay the same.
    public func commit(writing node: Node) -> Commit {
        let edits =
            switch mode {
            case .replace: [Edit.put(path, node)]
            case .merge: node.children().map { Edit.put(path.appending($0.key), $0.node) }
            }
        return Commit(
            revision: revision, time: time, kind: mode == .replace ? .set : .update, base: path, edits: edits,
            undo: undo)
    }
}

/// Which bulk file, how long it is and its checksum, so that another file of that name is noticed.
public struct BulkReference: Hashable, Sendable {
    /// The number in its name.
    public let number: UInt64
    /// Its size in bytes.
    public let byteCount: Int
    /// The CRC-32C of all of it.
    public let checksum: UInt32

    /// Puts a reference together.
    public init(number: UInt64, byteCount: Int, checksum: UInt32) {
        self.number = number
        self.byteCount = byteCount
        self.checksum = checksum
    }

    /// The file's name.
    public var name: String { FileName.numbered(.bulk, number) }
}
