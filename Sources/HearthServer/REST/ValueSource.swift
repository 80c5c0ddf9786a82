// A large value on its way to a client, from one consistent state.
import HearthCore
import HearthWire
import Synchronization

/// Writes a large value piece by piece. It keeps the state that the value belongs to, so writes go on
/// meanwhile.
final class ValueSource: ReplySource {
    /// Values of more bytes of JSON, about, are written piece by piece.
    static let threshold = 64 << 10
    private static let pieceByteCount = 64 << 10

    private struct Progress {
        var serializer: NodeSerializer?
        var isFinished = false
        /// The first piece, if it was written ahead.
        var prepared: [UInt8]?
    }

    private let progress: Mutex<Progress>
    private let isChunked: Bool
    private let workers: Workers
    let prefersWorker: Bool

    /// - Parameter isLarge: whether workers should write the pieces.
    init(_ serializer: NodeSerializer, isChunked: Bool, isLarge: Bool, workers: Workers) {
        progress = Mutex(Progress(serializer: serializer))
        self.isChunked = isChunked
        self.workers = workers
        prefersWorker = isLarge
    }

    deinit {
        // What the client did not take may be the last reference to an old state.
        let rest = progress.withLock { $0.serializer }
        if let rest { workers.run { withExtendedLifetime(rest) {} } }
    }

    func next() -> ReplyPiece {
        progress.withLock { progress in
            if let piece = progress.prepared.take() { return .bytes(piece) }
            guard !progress.isFinished else { return .end }
            return .bytes(piece(&progress))
        }
    }

    /// Writes the first piece ahead, so that the next call of `next` costs nothing.
    func prepare() {
        progress.withLock { $0.prepared = piece(&$0) }
    }

    private func piece(_ progress: inout Progress) -> [UInt8] {
        var text: [UInt8] = []
        let isComplete = progress.serializer?.write(into: &text, byteLimit: size) ?? true
        progress.isFinished = isComplete
        return isChunked ? chunk(text, isLast: isComplete) : text
    }

    private var size: Int { prefersWorker ? 4 * ValueSource.pieceByteCount : ValueSource.pieceByteCount }

    private func chunk(_ text: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count + 32)
        HTTPResponseWriter.appendChunk(text, to: &output)
        if isLast { output += HTTPResponseWriter.lastChunkBytes }
        return output
    }
}
