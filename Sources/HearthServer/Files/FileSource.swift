// A file on its way to a client, piece by piece.
import HearthStorage
import Synchronization

/// Sends bytes of a file as they are, as many as the head of the answer has promised.
final class FileSource: ReplySource {
    /// Files of at most so many bytes are sent in one go.
    static let pieceByteCount = 64 << 10

    private let file: any DiskFile
    private let log: Log
    /// What is still to be sent.
    private let rest: Mutex<Range<Int>>
    let prefersWorker = true
    let readsFiles = true

    /// Sends the bytes of `range`, counted from the beginning of the file.
    init(_ file: any DiskFile, _ range: Range<Int>, log: Log) {
        self.file = file
        self.log = log
        rest = Mutex(range)
    }

    func next() -> ReplyPiece {
        rest.withLock { rest in
            guard !rest.isEmpty else { return .end }
            let piece = FileSource.read(file, rest.prefix(FileSource.pieceByteCount), log: log)
            // The client must notice that it has not got all.
            guard let piece else { return .failure }
            rest = rest.dropFirst(piece.count)
            return .bytes(piece)
        }
    }

    /// Exactly the bytes of `range`; nil if they are not to be had, which is logged. Blocks; for a worker.
    static func read(_ file: any DiskFile, _ range: Range<Int>, log: Log) -> [UInt8]? {
        do throws(StorageFailure) {
            let bytes = try file.read(at: range.lowerBound, count: range.count)
            if bytes.count == range.count { return bytes }
            log.warning(
                "a file became shorter while it was sent", ("missing", "\(range.count - bytes.count)"))
        } catch {
            log.error("a file cannot be read", ("reason", "\(error)"))
        }
        return nil
    }
}
