// Reads files that are small by their nature: tokens, configuration.

import Glibc

/// Reads a whole file.
enum SmallFile {
    /// The text of the file; what is not UTF-8 is repaired.
    ///
    /// - Throws: when it cannot be read, or is longer than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> String {
        let input = try InputFile.open(path)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(input.descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed("cannot read \(path): \(systemMessage(errno))") }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw .failed("\(path) is longer than \(Quantities.size(limit)); is it the right file?")
            }
        }
    }
}
