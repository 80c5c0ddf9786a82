// A snapshot while it is read, and on its way to the disk at the same time.
import HearthCore
import HearthStorage
import HearthWire
import Synchronization

/// Reads a snapshot piece by piece, on workers, one piece at a time. A large one goes to the disk as it
/// comes, while another worker reads the same piece.
final class ImportReading: Sendable {
    private enum Progress: Sendable {
        case reading(DraftReader)
        case finished(Draft)
        case failed(RESTError)
    }

    private let progress: Mutex<Progress>
    private let file: Mutex<ImportFile>
    /// The piece on its way; empty, but with room, between two.
    private let piece = Mutex<[UInt8]>([])
    /// Whether the rest need not be looked at.
    private let hasFailed = Atomic(false)
    private let services: Services

    init(_ order: ImportOrder, _ services: Services) {
        self.services = services
        progress = Mutex(.reading(DraftReader(ofAnySizeAt: order.path)))
        file = Mutex(ImportFile(isWanted: !order.isDryRun, services))
    }

    deinit {
        guard let text = file.withLock({ $0.leave() }) else { return }
        let services = services
        services.workers.run { services.remove(text) }
    }

    /// Has the next bytes read and written, and calls `done` on a worker when they are; `bytes` is then empty
    /// but keeps its room, or that of a piece before.
    func take(_ bytes: inout [UInt8], done: @escaping @Sendable () -> Void) {
        piece.withLock { swap(&$0, &bytes) }
        let left = Countdown(2)
        services.fileWorkers.run { [self] in
            store(piece.withLock { $0 })
            if left.isLast() { finishPiece(done) }
        }
        services.workers.run { [self] in
            read(piece.withLock { $0 }, isFinal: false)
            if left.isLast() { finishPiece(done) }
        }
    }

    private func finishPiece(_ done: @Sendable () -> Void) {
        piece.withLock { $0.removeAll(keepingCapacity: true) }
        done()
    }

    /// Takes the last bytes. Blocks for as long as the disk takes; for a worker.
    func takeLast(_ bytes: [UInt8]) {
        store(bytes)
        read(bytes, isFinal: true)
    }

    private func store(_ bytes: [UInt8]) {
        guard !hasFailed.load(ordering: .acquiring) else { return }
        do throws(RESTError) {
            try file.withLock { file throws(RESTError) in try file.append(bytes) }
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: RESTError) {
        hasFailed.store(true, ordering: .releasing)
        progress.withLock { $0 = .failed(error) }
    }

    private func read(_ bytes: [UInt8], isFinal: Bool) {
        progress.withLock { progress in
            guard case .reading(var reader) = progress else { return }
            // Nothing else may keep the reader, or each piece would copy what was read before.
            progress = .failed(.noData)
            progress = read(&reader, bytes, isFinal)
            if case .failed = progress { hasFailed.store(true, ordering: .releasing) }
        }
    }

    private func read(_ reader: inout DraftReader, _ bytes: [UInt8], _ isFinal: Bool) -> Progress {
        do throws(RESTError) {
            try services.memory.requireRoom()
        } catch {
            return .failed(error)
        }
        do throws(DraftError) {
            if let draft = try reader.read(bytes, isFinal: isFinal) { return .finished(draft) }
            return .reading(reader)
        } catch {
            return .failed(.invalidData("\(error)"))
        }
    }

    /// What was read, after the last piece, and the file with its text if it was large enough for one;
    /// whoever takes them must finish or remove the file. Once.
    func result() throws(RESTError) -> (draft: Draft, file: BulkText?) {
        switch progress.withLock({ $0 }) {
        case .finished(let draft): return (draft, file.withLock { $0.leave() })
        case .failed(let error): throw error
        case .reading: throw .noData
        }
    }
}

/// Tells the last of several apart.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) {
        left = Atomic(count)
    }

    /// Takes one off; whether it was the last one.
    func isLast() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}

/// The text of a snapshot on its way to the disk, once it is known to be too large for the journal.
struct ImportFile: Sendable {
    /// The first bytes, as long as they may be all.
    private var first: [UInt8] = []
    private var text: BulkText?
    private let isWanted: Bool
    private let services: Services

    init(isWanted: Bool, _ services: Services) {
        self.isWanted = isWanted && services.vault != nil
        self.services = services
    }

    /// Takes the next bytes.
    mutating func append(_ bytes: [UInt8]) throws(RESTError) {
        guard isWanted else { return }
        do throws(StorageFailure) {
            if text != nil {
                try text?.append(bytes)
            } else if first.count + bytes.count <= services.configuration.limits.inlineBytes {
                first += bytes
            } else {
                text = try services.vault?.directory.beginBulkText()
                try text?.append(first)
                try text?.append(bytes)
                first = []
            }
        } catch {
            throw services.refusal(after: error)
        }
    }

    /// Hands the file over, if there is one.
    mutating func leave() -> BulkText? {
        defer { text = nil }
        return text
    }
}

extension Services {
    /// Removes a bulk file that was not finished. Blocks.
    func remove(_ text: BulkText) {
        do throws(StorageFailure) {
            try text.discard()
        } catch {
            log.warning("bulk file not removed", ("reason", "\(error)"))
        }
    }
}
