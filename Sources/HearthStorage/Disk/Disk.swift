// The seam between storage and the machine: one flat directory of files, real or simulated.

/// One directory of files, without subdirectories. Every function may block; names are plain file names.
///
/// What is not synced may be lost in a crash: bytes until `DiskFile.sync()`, names until `syncDirectory()`.
public protocol Disk: Sendable {
    /// The directory's path, for messages.
    var location: String { get }

    /// Makes the directory, for its owner alone, unless it is there.
    func makeDirectory() throws(StorageFailure)

    /// The names of all files, in no particular order.
    func list() throws(StorageFailure) -> [String]

    /// Makes an empty file, readable and writable by its owner alone; fails as `.occupied` if the name is
    /// taken.
    func create(_ name: String) throws(StorageFailure) -> any DiskFile

    /// Opens a file; fails as `.missing` if there is none of that name.
    func open(_ name: String, for access: DiskAccess) throws(StorageFailure) -> any DiskFile

    /// Gives a file another name, in one step; a file that had that name is gone.
    func rename(_ name: String, to newName: String) throws(StorageFailure)

    /// Removes a name; the file lives on while it is open.
    func remove(_ name: String) throws(StorageFailure)

    /// Returns when the names that are there now will survive a crash.
    func syncDirectory() throws(StorageFailure)

    /// How many more bytes the disk takes, as far as the system tells.
    func freeByteCount() throws(StorageFailure) -> Int

    /// Takes the lock of that name for as long as the result is kept, or fails as `.locked` with the
    /// process that has it. A process that ends, however it ends, has given it back.
    func lock(_ name: String) throws(StorageFailure) -> any DiskLock

    /// The process that has the lock of that name, 0 if it cannot be told, nil if nobody has it.
    func lockHolder(_ name: String) throws(StorageFailure) -> Int32?
}

/// What a file is opened for.
public enum DiskAccess: Hashable, Sendable {
    /// Nothing will be changed; works on a read-only disk.
    case reading
    /// Reading and writing.
    case writing
}

/// An open file. It is closed when nobody keeps it any more.
public protocol DiskFile: AnyObject, Sendable {
    /// Its size in bytes.
    func byteCount() throws(StorageFailure) -> Int

    /// The bytes from `offset` on, `count` of them or fewer if the file ends before.
    func read(at offset: Int, count: Int) throws(StorageFailure) -> [UInt8]

    /// Writes all of `bytes` from `offset` on; the file grows if it must.
    func write(_ bytes: [UInt8], at offset: Int) throws(StorageFailure)

    /// Writes zeros from `start` to `end` and syncs; whatever stood there is gone. What lies before `start`
    /// stays, and the file is then at least `end` bytes long.
    func fillWithZeros(from start: Int, to end: Int) throws(StorageFailure)

    /// May have what was written between two places go to the disk already, so that `sync` takes less time.
    /// It promises nothing, and whatever goes wrong is told by `sync`.
    func beginSync(from start: Int, to end: Int)

    /// Returns when all bytes written so far, and the size, will survive a crash.
    func sync() throws(StorageFailure)

    /// Takes all permissions of others away (mode 0600).
    func makePrivate() throws(StorageFailure)
}

extension DiskFile {
    /// Does nothing.
    public func beginSync(from start: Int, to end: Int) {}
}

/// A lock that is held while this is kept.
public protocol DiskLock: AnyObject, Sendable {}

extension Disk {
    /// The whole of a small file, nil if there is none of that name.
    ///
    /// - Throws: also if the file has more than `byteLimit` bytes.
    public func contents(of name: String, byteLimit: Int = 65_536) throws(StorageFailure) -> [UInt8]? {
        guard try list().contains(name) else { return nil }
        let bytes = try open(name, for: .reading).read(at: 0, count: byteLimit + 1)
        guard bytes.count <= byteLimit else {
            throw StorageFailure(
                .unsupported, action: "read", place: path(of: name),
                reason: "it has more than \(byteLimit) bytes",
                advice: "it was not written by this program: move it away")
        }
        return bytes
    }

    /// Writes a small file so that after a crash it is there whole or, if it was new, not at all: written
    /// beside, synced, renamed, directory synced.
    public func replace(_ name: String, with bytes: [UInt8]) throws(StorageFailure) {
        let beside = name + FileName.unfinishedSuffix
        if try list().contains(beside) {
            // Synced, or a crash could keep the rename below and lose this: the old file would then be
            // there.
            try remove(beside)
            try syncDirectory()
        }
        let file = try create(beside)
        try file.write(bytes, at: 0)
        try file.sync()
        try rename(beside, to: name)
        try syncDirectory()
    }

    /// The path of a file, for messages.
    public func path(of name: String) -> String {
        location.hasSuffix("/") ? location + name : location + "/" + name
    }
}
