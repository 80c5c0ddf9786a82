// The content of an upload as it comes: gathered here, written by a worker, never more in memory than a piece
// or two.
import HearthCrypto
import HearthStorage
import HearthWire
import Synchronization

/// Writes the content of one upload, on workers, one piece at a time.
final class FileReceiving: Sendable {
    private struct Progress: ~Copyable {
        var upload: FileUpload?
        var digest: SHA256? = SHA256()
        var failure: RESTError?
    }

    let file: StoredFile
    private let type: MediaType
    private let store: FileStore
    private let log: Log
    private let progress = Mutex(Progress())

    init(_ file: StoredFile, _ type: MediaType, to store: FileStore, log: Log) {
        self.file = file
        self.type = type
        self.store = store
        self.log = log
    }

    /// Writes the next bytes; after a failure they are dropped. Blocks; for a worker.
    func take(_ bytes: [UInt8]) {
        progress.withLock { progress in
            guard progress.failure == nil else { return }
            do throws(RESTError) {
                try write(bytes, &progress)
            } catch {
                progress.failure = error
                abandon(&progress)
            }
        }
    }

    private func write(_ bytes: [UInt8], _ progress: inout Progress) throws(RESTError) {
        let upload: FileUpload
        if let begun = progress.upload {
            upload = begun
        } else {
            guard type.fits(Array(bytes.prefix(64))) else { throw .mistypedFile(type) }
            upload = try begin()
            progress.upload = upload
        }
        progress.digest?.update(bytes)
        try storing { () throws(StorageFailure) in try upload.write(bytes) }
    }

    private func begin() throws(RESTError) -> FileUpload {
        let begun = try storing { () throws(StorageFailure) in try store.begin(file) }
        switch begun {
        case .success(let upload): return upload
        case .failure(let refusal): throw .noRoomForFile(refusal)
        }
    }

    /// Puts the file in its place; returns its tag when it will survive a crash. Blocks; for a worker.
    func finish() -> Result<String, RESTError> {
        progress.withLock { progress in
            do throws(RESTError) {
                if let failure = progress.failure { throw failure }
                // An empty file has brought no piece.
                if progress.upload == nil { try write([], &progress) }
                guard let upload = progress.upload.take(), let digest = progress.digest.take() else {
                    throw .unstorableFile
                }
                let tag = String(Base64.url.encode(digest.finish().bytes).prefix(22))
                try storing { () throws(StorageFailure) in try upload.finish(tag: tag) }
                return .success(tag)
            } catch {
                abandon(&progress)
                return .failure(error)
            }
        }
    }

    /// Leaves nothing behind. Blocks; for a worker.
    func abandon() {
        progress.withLock { progress in
            progress.failure = progress.failure ?? .unstorableFile
            abandon(&progress)
        }
    }

    private func abandon(_ progress: inout Progress) {
        guard let upload = progress.upload.take() else { return }
        do throws(StorageFailure) {
            try upload.abandon()
        } catch {
            log.warning("an unfinished upload stays until the next start", ("reason", "\(error)"))
        }
    }

    private func storing<Value>(
        _ body: () throws(StorageFailure) -> Value
    ) throws(RESTError) -> Value {
        do throws(StorageFailure) {
            return try body()
        } catch {
            log.error("an upload cannot be stored", ("reason", "\(error)"))
            throw .unstorableFile
        }
    }
}

/// The body of an upload as it comes. It belongs to the connection's loop.
final class FilePipe: BodyPipe {
    /// So many bytes are gathered at most while a worker is busy.
    private static let byteLimit = 256 << 10

    let receiving: FileReceiving
    private let token: PollToken
    private let services: Services
    private let mailbox: Mailbox
    private var gathered: [UInt8] = []
    private var isBusy = false
    /// Called when no worker has a piece any more.
    private var whenIdle: (() -> Void)?
    /// Whether somebody else ends the upload.
    private var isHandedOver = false

    init(_ receiving: FileReceiving, token: PollToken, mailbox: Mailbox, services: Services) {
        self.receiving = receiving
        self.token = token
        self.mailbox = mailbox
        self.services = services
    }

    deinit {
        // The connection is gone: its loop must not wait for a disk.
        if !isHandedOver { cut() }
    }

    var wantsMore: Bool { gathered.count < FilePipe.byteLimit }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard services.bodyBudget.take(bytes.count) else { return false }
        gathered.append(contentsOf: bytes)
        if gathered.count >= FilePipe.byteLimit / 2 { ship() }
        return true
    }

    func cut() {
        _ = handOver()
        let receiving = receiving
        services.fileWorkers.run { receiving.abandon() }
    }

    /// Calls `action` when no worker has a piece any more.
    func whenIdle(_ action: @escaping () -> Void) {
        if isBusy { whenIdle = action } else { action() }
    }

    /// Takes out what is gathered, as the last piece; whoever calls it ends the upload.
    func handOver() -> [UInt8] {
        isHandedOver = true
        return takeRest()
    }

    private func takeRest() -> [UInt8] {
        services.bodyBudget.giveBack(gathered.count)
        defer { gathered = [] }
        return gathered
    }

    private func ship() {
        guard !isBusy else { return }
        isBusy = true
        let bytes = takeRest()
        let (receiving, mailbox, token) = (receiving, mailbox, token)
        services.fileWorkers.run {
            receiving.take(bytes)
            mailbox.post(.resume(token) { loop, connection in loop.continueUpload(connection) })
        }
    }

    /// The worker has written its piece.
    func pieceIsWritten() {
        isBusy = false
        if let action = whenIdle.take() {
            action()
        } else if gathered.count >= FilePipe.byteLimit / 2 {
            ship()
        }
    }
}
