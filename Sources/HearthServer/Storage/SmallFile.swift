// Reads files that are small by their nature: rules, keys.
import Glibc

/// Reads a whole file, and tells whether it may be another one than before.
enum SmallFile {
    /// What such a file has at most.
    static let byteLimit = 16 << 20

    /// What changes with a file's content.
    struct Mark: Equatable, Sendable {
        let inode: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// What marks the file now; nil if there is none.
    static func mark(_ path: String) -> Mark? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Mark(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    /// - Throws: `StartFailure.configuration` with the file and the reason.
    static func read(_ path: String) throws(StartFailure) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure(path, SystemFailure.text(of: errno)) }
        let file = Descriptor(owning: number)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(file.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, SystemFailure.text(of: errno)) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= byteLimit else {
                throw failure(path, "it is longer than \(byteLimit >> 20) MB; is it the right file?")
            }
        }
    }

    private static func failure(_ path: String, _ reason: String) -> StartFailure {
        .configuration("cannot read \(path): \(reason)")
    }
}
