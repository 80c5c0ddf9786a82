// Whether every byte of a data directory is sound, without touching it.
public import HearthCore

/// What a check of a data directory found.
public struct DirectoryCheck: Sendable {
    /// One thing that was found.
    public struct Finding: Hashable, Sendable {
        /// How bad it is.
        public enum Severity: Hashable, Sendable {
            /// Worth knowing; nothing is lost.
            case note
            /// Something that was stored cannot be read.
            case damage
        }

        /// How bad it is.
        public let severity: Severity
        /// The file or directory.
        public let place: String
        /// Where in it, in bytes.
        public let offset: Int?
        /// What was found.
        public let text: String
    }

    /// All that was found, damage first.
    public private(set) var findings: [Finding] = []
    /// How many bytes were read.
    public private(set) var checkedByteCount = 0
    /// The revisions up to which each namespace is sound.
    public private(set) var soundRevisions: [String: Revision] = [:]
    /// How many records the journal holds, those below the checkpoint included.
    public private(set) var recordCount = 0

    private let disk: any Disk

    /// Whether nothing is damaged.
    public var isSound: Bool { !findings.contains { $0.severity == .damage } }

    /// Reads the whole directory and checks every checksum, every value and that all of it fits together.
    ///
    /// It opens files for reading alone and takes no lock. While a server writes, the newest records may look
    /// unfinished: ask the server then (`Disk.lockHolder` tells).
    ///
    /// - Throws: if the directory cannot be read, is none of ours, or has another format.
    public static func run(_ disk: any Disk) throws(StorageFailure) -> DirectoryCheck {
        guard try FormatFile.check(disk) else {
            throw StorageFailure(
                .missing, action: "check", place: disk.location, reason: "it is no data directory",
                advice: "name the directory that 'hearth serve --data' was given")
        }
        var check = DirectoryCheck(disk: disk)
        try check.checkNames()
        try check.checkCheckpoints()
        try check.checkJournal()
        try check.checkBulkFiles()
        try check.checkUploads()
        check.findings.sort { $0.severity == .damage && $1.severity == .note }
        return check
    }

    private init(disk: any Disk) {
        self.disk = disk
    }

    private mutating func note(_ text: String, _ name: String? = nil) {
        let place = name.map(disk.path) ?? disk.location
        findings.append(Finding(severity: .note, place: place, offset: nil, text: text))
    }

    private mutating func damage(_ failure: StorageFailure) throws(StorageFailure) {
        switch failure.kind {
        case .damaged, .missing, .unsupported:
            findings.append(
                Finding(
                    severity: .damage, place: failure.place, offset: failure.offset, text: failure.reason))
        default: throw failure
        }
    }

    private mutating func checkNames() throws(StorageFailure) {
        let single = [
            FileName.format, FileName.lock, FileName.running, FileName.production, FileName.adminToken,
            FileName.tokenKeys, FileName.outbox,
        ]
        for name in try disk.list().sorted() {
            let isNumbered = FileName.Series.allCases.contains { FileName.number($0, in: name) != nil }
            if name.hasSuffix(FileName.unfinishedSuffix) {
                note("left by a crash while it was written; the next start removes it", name)
            } else if name.hasPrefix(FileName.keptPrefix) {
                note("kept from before a recovery; it is not read any more", name)
            } else if !isNumbered && !single.contains(name) {
                note("not one of our files", name)
            }
        }
        if try disk.list().contains(FileName.running) {
            note("the last run did not end cleanly, or a server is running")
        }
    }

    private mutating func checkCheckpoints() throws(StorageFailure) {
        for number in FileName.numbers(.checkpoint, in: try disk.list()) {
            do {
                _ = try Checkpoint.read(number, from: disk)
                try count(FileName.numbered(.checkpoint, number))
            } catch {
                try damage(error)
            }
        }
    }

    private mutating func checkJournal() throws(StorageFailure) {
        let names = try disk.list()
        var recovery = try Recovery(disk, history: HistoryLimits(byteCount: 0))
        do {
            try recovery.runPlainly()
        } catch {
            try damage(error)
        }
        soundRevisions = recovery.replay.revisions
        let spans = recovery.walk.spans
        if let first = spans.first, let last = spans.last { recordCount = Int(last.last - first.first + 1) }
        for segment in FileName.numbers(.journal, in: names) {
            try count(FileName.numbered(.journal, segment))
        }
        let unfinished = recovery.walk.unfinishedByteCount
        if unfinished > 0 && isSound {
            note(
                "the last \(unfinished) bytes of the journal are a write that was never finished"
            )
        }
        for number in FileName.numbers(.bulk, in: names) where recovery.replay.bulkFiles[number] == nil {
            note(
                "no record after the checkpoint names it; the next start removes it",
                FileName.numbered(.bulk, number))
        }
    }

    /// Those that records name were read when the journal was.
    private mutating func checkBulkFiles() throws(StorageFailure) {
        for number in FileName.numbers(.bulk, in: try disk.list()) {
            try count(FileName.numbered(.bulk, number))
        }
    }

    private mutating func checkUploads() throws(StorageFailure) {
        let files = try FileStore(reading: disk)
        for failure in files.damaged { try damage(failure) }
        for place in files.places {
            do {
                guard let opened = try files.open(place) else { continue }
                var pieces = FilePieces(of: opened)
                while let piece = try pieces.next() { checkedByteCount += piece.count }
                checkedByteCount += opened.start
            } catch {
                try damage(error)
            }
        }
    }

    private mutating func count(_ name: String) throws(StorageFailure) {
        checkedByteCount += try disk.open(name, for: .reading).byteCount()
    }
}
