// The small texts by which the system tells about itself.
import Glibc

/// Reads files below `/proc` and `/sys`.
enum SystemText {
    /// What the file says, at most its first 8 KiB; nil if there is no such file here.
    static func read(_ path: String) -> String? {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = Descriptor(owning: number)
        return withUnsafeTemporaryAllocation(byteCount: 8 << 10, alignment: 8) { buffer in
            let count = Glibc.read(file.number, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
