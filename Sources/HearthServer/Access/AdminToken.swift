// The secret that makes its bearer the administrator: made once, kept in a private file, compared by its
// digest.
import Glibc
import HearthCrypto

/// The administrator's token, of which only the digest is kept in memory.
struct AdminToken: Sendable {
    private let digest: SHA256.Digest

    /// Wraps a token.
    init(_ text: String) {
        digest = SHA256.digest(of: text)
    }

    /// A new token: 32 random bytes in base64url.
    static func fresh() -> String {
        Base64.url.encode(SecureRandom.bytes(32))
    }

    /// Whether `candidate` is the token; the time that it takes tells neither content nor length.
    func matches(_ candidate: String) -> Bool {
        constantTimeEqual(digest, SHA256.digest(of: candidate))
    }

    /// Reads the token from its file, or makes the file with a fresh one.
    ///
    /// - Throws: `StartFailure` for a file that others can read, or that cannot be read or made.
    static func load(_ path: String) throws(StartFailure) -> AdminToken {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else {
            guard errno == ENOENT else { throw failure("read", path, errno) }
            return try make(path)
        }
        let file = Descriptor(owning: number)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw failure("read", path, errno) }
        guard status.st_mode & 0o077 == 0 else {
            throw .configuration(
                "others can read the administrator's token in \(path); run: chmod 600 \(path)")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file.number, &buffer, buffer.count)
        guard count >= 0 else { throw failure("read", path, errno) }
        let bytes = buffer[..<count].filter { $0 > 0x20 && $0 < 0x7F }
        guard bytes.count >= 16 else {
            throw .configuration(
                "the administrator's token in \(path) has \(bytes.count) characters, at least 16 are needed; "
                    + "remove the file and a new one is made")
        }
        return AdminToken(String(decoding: bytes, as: UTF8.self))
    }

    private static func make(_ path: String) throws(StartFailure) -> AdminToken {
        let token = fresh()
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw failure("make", path, errno) }
        let file = Descriptor(owning: number)
        var line = token + "\n"
        let isWritten = line.withUTF8 { write(file.number, $0.baseAddress, $0.count) == $0.count }
        guard isWritten, fsync(file.number) == 0 else { throw failure("write", path, errno) }
        return AdminToken(token)
    }

    private static func failure(_ action: String, _ path: String, _ code: Int32) -> StartFailure {
        .configuration(
            "cannot \(action) the administrator's token file \(path): \(SystemFailure.text(of: code))")
    }
}
