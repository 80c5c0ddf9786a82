// What the disk itself takes for one small durable write: the floor of every push that comes alone.
import Glibc

/// A file that is there already, written in place and synced, piece after piece.
final class SyncLoop {
    private static let size = 16 << 20

    private let descriptor: Int32
    private let piece: [UInt8]
    private var offset = 0

    /// - Parameters:
    ///   - folder: where the file is made; it is zeros, and synced, before anything counts.
    ///   - byteCount: of one write.
    init(in folder: String, byteCount: Int) throws(ComparisonFailure) {
        piece = Array(repeating: UInt8(ascii: "x"), count: byteCount)
        let path = folder + "/pieces"
        try TextFile.write(Array(repeating: 0, count: SyncLoop.size), to: path)
        descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0, fdatasync(descriptor) == 0 else { throw .system("cannot sync \(path)") }
    }

    deinit { close(descriptor) }

    /// Writes and syncs for so many seconds.
    ///
    /// - Returns: the microseconds that one write with its sync took, on average.
    func run(seconds: Double) throws(ComparisonFailure) -> Double {
        let start = Now.microseconds
        var (count, now) = (0, start)
        while count < 2 || Double(now - start) < seconds * 1_000_000 {
            if offset + piece.count > SyncLoop.size { offset = 0 }
            guard pwrite(descriptor, piece, piece.count, off_t(offset)) == piece.count,
                fdatasync(descriptor) == 0
            else { throw .system("cannot write and sync \(piece.count) bytes") }
            offset += piece.count
            count += 1
            now = Now.microseconds
        }
        return Double(now - start) / Double(count)
    }
}
