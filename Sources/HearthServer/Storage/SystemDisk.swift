// The disk of this machine: a directory of the file system, through plain system calls.
import Glibc
public import HearthStorage

/// A directory of the file system. Files are its owner's alone (0600), the directory 0700.
public struct SystemDisk: Disk {
    /// The directory's path, as it was given.
    public let location: String

    /// Names a directory; nothing is touched yet.
    public init(_ location: String) {
        self.location = location
    }

    /// Makes the directory and those above it that are missing.
    public func makeDirectory() throws(StorageFailure) {
        var made = ""
        for part in location.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty && part.isEmpty ? "/" : String(part)
            if !part.isEmpty {
                guard mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
                    throw SystemDisk.failure(errno, "make the directory", made)
                }
            }
            if made != "/" { made += "/" }
        }
    }

    /// The names of all entries but `.` and `..`.
    public func list() throws(StorageFailure) -> [String] {
        guard let directory = opendir(location) else { throw SystemDisk.failure(errno, "list", location) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw SystemDisk.failure(errno, "list", location) }
        return names
    }

    /// Makes an empty file.
    public func create(_ name: String) throws(StorageFailure) -> any DiskFile {
        try SystemFile(path(of: name), O_RDWR | O_CREAT | O_EXCL, "create")
    }

    /// Opens a file.
    public func open(_ name: String, for access: DiskAccess) throws(StorageFailure) -> any DiskFile {
        try SystemFile(path(of: name), access == .reading ? O_RDONLY : O_RDWR, "open")
    }

    /// Gives a file another name.
    public func rename(_ name: String, to newName: String) throws(StorageFailure) {
        guard Glibc.rename(path(of: name), path(of: newName)) == 0 else {
            throw SystemDisk.failure(errno, "rename", path(of: name))
        }
    }

    /// Removes a name.
    public func remove(_ name: String) throws(StorageFailure) {
        guard unlink(path(of: name)) == 0 else { throw SystemDisk.failure(errno, "remove", path(of: name)) }
    }

    /// Syncs the directory itself.
    public func syncDirectory() throws(StorageFailure) {
        let directory = try SystemFile(location, O_RDONLY | O_DIRECTORY, "open")
        try directory.syncAll()
    }

    /// What the file system has left for other than the superuser.
    public func freeByteCount() throws(StorageFailure) -> Int {
        var status = statvfs()
        guard statvfs(location, &status) == 0 else { throw SystemDisk.failure(errno, "measure", location) }
        let (byteCount, isTooMuch) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return isTooMuch ? Int.max : Int(clamping: byteCount)
    }

    /// Takes the lock (`flock`) and writes this process's number into the file.
    public func lock(_ name: String) throws(StorageFailure) -> any DiskLock {
        let file = try SystemFile(path(of: name), O_RDWR | O_CREAT, "lock")
        guard try file.tryLock() else {
            let process = try file.process()
            throw StorageFailure(
                .locked(process: process), action: "open", place: location,
                reason: process.map { "process \($0) has it open" } ?? "another process has it open",
                advice: "stop that server first, or give this one another directory")
        }
        try file.write(Array("\(getpid())\n".utf8), at: 0, thenCut: true)
        return SystemLock(file)
    }

    /// The process that has the lock, by trying to take it.
    public func lockHolder(_ name: String) throws(StorageFailure) -> Int32? {
        guard try list().contains(name) else { return nil }
        let file = try SystemFile(path(of: name), O_RDONLY, "open")
        if try file.tryLock() { return nil }
        return try file.process() ?? 0
    }

    /// What the system says, as a failure with what to do where that is known.
    static func failure(_ code: Int32, _ action: String, _ place: String, at offset: Int? = nil)
        -> StorageFailure
    {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT:
            return StorageFailure(
                .noSpace, action: action, place: place, offset: offset, reason: reason,
                advice: "make space on that disk")
        case EFBIG:
            return StorageFailure(
                .noSpace, action: action, place: place, offset: offset, reason: reason,
                advice: "raise the limit on the size of files (ulimit -f) of whoever starts this program")
        case ENOENT, ENOTDIR:
            return StorageFailure(.missing, action: action, place: place, offset: offset, reason: reason)
        case EEXIST:
            return StorageFailure(.occupied, action: action, place: place, offset: offset, reason: reason)
        case EACCES, EPERM, EROFS:
            return StorageFailure(
                .broken, action: action, place: place, offset: offset, reason: reason,
                advice: "it must be readable and writable by the user that runs this program")
        default:
            return StorageFailure(.broken, action: action, place: place, offset: offset, reason: reason)
        }
    }
}

private final class SystemLock: DiskLock {
    private let file: SystemFile

    init(_ file: SystemFile) {
        self.file = file
    }
}
