// An open file of this machine.
import CLinux
import Glibc
import HearthStorage

/// A file descriptor; all reading and writing names its place, so threads may share it.
final class SystemFile: DiskFile {
    private let descriptor: Int32
    private let path: String

    /// As much as the system caches apart: what is cached in larger pieces takes longer to write into, and to
    /// sync.
    private static let zeros = [UInt8](repeating: 0, count: 4 << 10)

    init(_ path: String, _ flags: Int32, _ action: String) throws(StorageFailure) {
        self.path = path
        descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemDisk.failure(errno, action, path) }
    }

    /// Takes over a descriptor that is open for reading.
    init(owning descriptor: Int32, _ path: String) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    func byteCount() throws(StorageFailure) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemDisk.failure(errno, "measure", path) }
        return Int(status.st_size)
    }

    func read(at offset: Int, count: Int) throws(StorageFailure) -> [UInt8] {
        let wanted = min(count, max(0, try byteCount() - offset))
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            filled = 0
            while filled < wanted, let start = buffer.baseAddress {
                let got = pread(descriptor, start + filled, wanted - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                filled += got
            }
        }
        guard failure == 0 else { throw SystemDisk.failure(failure, "read", path, at: offset) }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StorageFailure) {
        let failure = bytes.withUnsafeBytes { put($0, at: offset) }
        guard failure == 0 else { throw SystemDisk.failure(failure, "write to", path, at: offset) }
    }

    /// Writes and makes the file end there.
    func write(_ bytes: [UInt8], at offset: Int, thenCut: Bool) throws(StorageFailure) {
        try write(bytes, at: offset)
        guard ftruncate(descriptor, off_t(offset + bytes.count)) == 0 else {
            throw SystemDisk.failure(errno, "cut", path)
        }
    }

    func fillWithZeros(from start: Int, to end: Int) throws(StorageFailure) {
        var offset = start
        while offset < end {
            let count = min(SystemFile.zeros.count, end - offset)
            let failure = SystemFile.zeros.withUnsafeBytes {
                put(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: offset)
            }
            guard failure == 0 else { throw SystemDisk.failure(failure, "write to", path, at: offset) }
            offset += count
        }
        try sync()
    }

    func beginSync(from start: Int, to end: Int) {
        // It only begins, so that it has nothing to say that `sync` would not say, too.
        _ = sync_file_range(descriptor, off_t(start), off_t(end - start), SystemFile.beginsWriting)
    }

    /// `SYNC_FILE_RANGE_WRITE`
    private static let beginsWriting: UInt32 = 2

    func sync() throws(StorageFailure) {
        guard fdatasync(descriptor) == 0 else { throw SystemDisk.failure(errno, "sync", path) }
    }

    /// Syncs attributes as well; for directories.
    func syncAll() throws(StorageFailure) {
        guard fsync(descriptor) == 0 else { throw SystemDisk.failure(errno, "sync", path) }
    }

    func makePrivate() throws(StorageFailure) {
        guard fchmod(descriptor, 0o600) == 0 else { throw SystemDisk.failure(errno, "protect", path) }
    }

    /// Whether the lock could be taken; it goes with this object.
    func tryLock() throws(StorageFailure) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw SystemDisk.failure(errno, "lock", path) }
        return false
    }

    /// The process number that the file holds.
    func process() throws(StorageFailure) -> Int32? {
        let text = String(decoding: try read(at: 0, count: 32), as: UTF8.self)
        return Int32(text.prefix { $0 != "\n" })
    }

    /// Writes all of `bytes`; returns the error number, 0 if there was none.
    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let written = pwrite(descriptor, start + done, bytes.count - done, off_t(offset + done))
            if written < 0 && errno == EINTR { continue }
            if written < 0 { return errno }
            if written == 0 { return EIO }
            done += written
        }
        return 0
    }
}
