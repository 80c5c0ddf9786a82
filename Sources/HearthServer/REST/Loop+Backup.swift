// A backup of all namespaces, taken and sent while writes go on.
import HearthCore
import HearthStorage
import HearthWire
import Synchronization

extension Loop {
    /// Has a worker write the backup to a file without a name, then sends that file.
    ///
    /// Nothing of it leaves before all that it holds is durable.
    func backUp(_ request: AdminRequest, on connection: Connection) throws(RESTError) {
        guard request.method == .get else { throw .badMethod }
        guard let vault = services.vault else {
            throw RESTError(status: 409, text: "This server keeps no files; export what it holds instead.")
        }
        connection.incoming = .blocked
        let token = connection.token
        let mailbox = mailbox
        let services = services
        let reply = request.reply
        services.workers.run {
            let outcome = BackupFile.write(services, beside: vault.directory)
            mailbox.post(
                .resume(token) { loop, connection in
                    connection.incoming = .head
                    loop.answer(outcome, reply, on: connection)
                })
        }
    }

    private func answer(
        _ outcome: Result<BackupFile, StorageFailure>, _ reply: RESTReply, on connection: Connection
    ) {
        switch outcome {
        case .success(let backup): send(backup, reply, on: connection)
        case .failure(let failure):
            respond(connection, until: 0) { reply.append(RESTError.noSpace(failure), to: &$0) }
        }
    }

    private func send(_ backup: BackupFile, _ reply: RESTReply, on connection: Connection) {
        var head: [UInt8] = []
        let keepsAlive = reply.appendHead(status: 200, body: .chunked, to: &head)
        connection.outbox.append(until: backup.position, durable: durable) { $0 += head }
        hold(connection, until: backup.position)
        let source = BackupSource(backup, isChunked: reply.version == .http11, log: services.log)
        _ = connection.outbox.reserve(.source(source))
        if !keepsAlive { connection.incoming = .discarded }
        markDirty(connection)
    }
}

/// A finished backup whose file has no name any more: it is gone with its last descriptor, also after a
/// crash.
struct BackupFile: Sendable {
    let file: any DiskFile
    let byteCount: Int
    /// All that is in it is durable when this position is.
    let position: Position

    /// Blocks; for a worker. Each namespace is taken as it is at one moment.
    static func write(
        _ services: Services, beside directory: DataDirectory
    ) -> Result<BackupFile, StorageFailure> {
        do throws(StorageFailure) {
            return .success(try write(services, services.outside.disk(directory.location)))
        } catch {
            return .failure(error)
        }
    }

    private static func write(_ services: Services, _ disk: any Disk) throws(StorageFailure) -> BackupFile {
        var random = services.outside.randomness()
        let name = "backup-\(random.next())\(FileName.unfinishedSuffix)"
        let file = try disk.create(name)
        try disk.remove(name)
        var writer = try BackupWriter(to: file, salt: random.next())
        for namespace in services.namespaces.stored.sorted(by: { $0.name < $1.name }) {
            guard let state = namespace.capture() else { continue }
            try writer.append(state)
        }
        try writer.append(allOf: services.files)
        let byteCount = try writer.finish()
        let position = services.recorder.last
        return BackupFile(file: file, byteCount: byteCount, position: position)
    }
}

/// Sends a backup piece by piece.
final class BackupSource: ReplySource {
    private static let pieceByteCount = 256 << 10

    private let backup: BackupFile
    private let isChunked: Bool
    private let log: Log
    /// Where the next piece begins; nil after the last one.
    private let offset = Mutex<Int?>(0)
    let prefersWorker = true

    init(_ backup: BackupFile, isChunked: Bool, log: Log) {
        self.backup = backup
        self.isChunked = isChunked
        self.log = log
    }

    func next() -> ReplyPiece {
        offset.withLock { offset in
            guard let start = offset else { return .end }
            let piece = read(at: start)
            let end = start + piece.count
            // The client must notice that it has no whole backup.
            guard !piece.isEmpty else { return .failure }
            let isLast = end == backup.byteCount
            offset = isLast ? nil : end
            return .bytes(isChunked ? BackupSource.chunk(piece, isLast: isLast) : piece)
        }
    }

    private func read(at start: Int) -> [UInt8] {
        do throws(StorageFailure) {
            return try backup.file.read(at: start, count: BackupSource.pieceByteCount)
        } catch {
            log.error("backup not sent", ("reason", "\(error)"))
            return []
        }
    }

    private static func chunk(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(piece.count + 32)
        HTTPResponseWriter.appendChunk(piece, to: &output)
        if isLast { output += HTTPResponseWriter.lastChunkBytes }
        return output
    }
}
