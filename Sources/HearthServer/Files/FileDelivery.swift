// The answer to a GET or HEAD of a file, made by a worker and sent by a loop.
import HearthCore
import HearthStorage
import HearthWire

/// An answer that is ready to be sent: its head, and its body as bytes or as what reads them.
struct FileDelivery: Sendable {
    private enum Content: Sendable {
        case bytes([UInt8])
        case source(FileSource)
    }

    private let head: [UInt8]
    private let content: Content
    private let keepsAlive: Bool

    /// Answers `request` with what `reply` tells of `file`, whose content begins at `start`. A small one is
    /// read here. Blocks; for a worker.
    ///
    /// - Returns: nil if the file cannot be read.
    init?(_ reply: FileReply, _ file: any DiskFile, from start: Int = 0, to request: FileRequest, log: Log) {
        let answer = reply.answer(to: request)
        var head: [UInt8] = []
        keepsAlive = reply.appendHead(answer, to: request, output: &head)
        self.head = head
        guard case .content(let part, _) = answer, !part.isEmpty, !request.isHead else {
            content = .bytes([])
            return
        }
        let range = start + part.lowerBound..<start + part.upperBound
        guard range.count <= FileSource.pieceByteCount else {
            content = .source(FileSource(file, range, log: log))
            return
        }
        guard let bytes = FileSource.read(file, range, log: log) else { return nil }
        content = .bytes(bytes)
    }

    /// Sends the answer in its place, once the journal has come to `position`.
    func send(on connection: Connection, of loop: Loop, until position: Position = 0) {
        switch content {
        case .bytes(let bytes):
            loop.respond(connection, until: position) { output in
                output += head
                output += bytes
                return keepsAlive
            }
        case .source(let source):
            connection.outbox.append(until: position, durable: loop.durable) { $0 += head }
            loop.hold(connection, until: position)
            _ = connection.outbox.reserve(.source(source))
            if !keepsAlive { connection.incoming = .discarded }
            loop.markDirty(connection)
        }
    }
}
