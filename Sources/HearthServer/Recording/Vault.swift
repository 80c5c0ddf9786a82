// What a server with files has beside its namespaces: the directory, the journal's thread, checkpoints.
import HearthCore
import HearthStorage
import Synchronization

/// The durable side of a server: writes checkpoints as the journal grows, and has what is older recycled.
final class Vault: Sendable {
    private struct Checkpoints {
        /// All records up to this one are in the newest checkpoint.
        var position: Position
        var isRunning = false
        var isStopped = false
    }

    /// So many bytes of records are kept for history at most, beside what the newest checkpoint does not
    /// hold.
    static let historyFileLimit = 256 << 20

    let directory: DataDirectory
    let journal: JournalThread
    private let checkpoints: Mutex<Checkpoints>
    /// How many bytes of records the last checkpoint did not hold at the start.
    private let replayedByteCount: Int

    init(directory: DataDirectory, journal: JournalThread, lastCheckpoint: Position, replayedByteCount: Int) {
        self.directory = directory
        self.journal = journal
        self.replayedByteCount = replayedByteCount
        checkpoints = Mutex(Checkpoints(position: lastCheckpoint))
    }

    /// Has a checkpoint written whenever the journal has grown enough, what an earlier process wrote
    /// included: one that is killed again and again must not have more and more to replay.
    func watch(_ services: Services) {
        let workers = services.workers
        journal.onGrowth(beyond: services.configuration.checkpointBytes, from: replayedByteCount) {
            [weak self, weak services] in
            guard let self, let services else { return }
            workers.run { self.checkpoint(services, whenIdle: false) }
        }
    }

    /// Ends the watch and writes a last checkpoint, so that the next start is quick.
    func stop(_ services: Services) {
        checkpoint(services, whenIdle: true)
        checkpoints.withLock { $0.isStopped = true }
        journal.stop()
        do throws(StorageFailure) {
            try directory.close()
        } catch {
            services.log.warning("the clean stop was not noted", ("reason", "\(error)"))
        }
    }

    /// Writes a checkpoint of all namespaces while writes go on. Blocks; for a worker.
    ///
    /// - Parameter whenIdle: whether one is written only if there is anything newer than the last one.
    /// - Returns: why there is none, nil if there is one.
    @discardableResult
    func checkpoint(_ services: Services, whenIdle: Bool) -> StorageFailure? {
        let position = services.recorder.last
        let begins = checkpoints.withLock { checkpoints in
            guard !checkpoints.isRunning, !checkpoints.isStopped else { return false }
            guard !whenIdle || checkpoints.position < position else { return false }
            checkpoints.isRunning = true
            return true
        }
        guard begins else { return nil }
        defer { checkpoints.withLock { $0.isRunning = false } }
        do throws(StorageFailure) {
            let summary = try write(services, at: position)
            checkpoints.withLock { $0.position = summary.position }
            journal.noteCheckpoint()
            try directory.removeFiles(olderThan: summary)
            #if DEBUG
                if PlantedFault.isPlanted(.releasesTooMuch) {
                    journal.release(before: services.recorder.last + 1, keepingAtMost: 0, above: .max)
                }
            #endif
            let needed = services.namespaces.stored.map { $0.neededPosition }.min() ?? summary.position
            journal.release(
                before: min(summary.position, needed) + 1, keepingAtMost: Vault.historyFileLimit,
                above: summary.position + 1)
            services.log.info(
                "checkpoint written", ("number", "\(summary.number)"), ("bytes", "\(summary.byteCount)"))
            return nil
        } catch {
            services.log.error("checkpoint not written", ("reason", "\(error)"))
            return error
        }
    }

    private func write(_ services: Services, at position: Position) throws(StorageFailure)
        -> CheckpointSummary
    {
        var writer = try directory.beginCheckpoint(at: position)
        for namespace in services.namespaces.stored {
            guard let state = namespace.capture() else { continue }
            try writer.append(state)
        }
        let end = services.recorder.last
        let durable = journal.settle()
        guard durable >= end else {
            throw StorageFailure(
                .broken, action: "write a checkpoint", place: directory.location,
                reason: "the journal has ended before it was synced", advice: "see what ended it")
        }
        return try writer.finish(end: end, durable: durable)
    }
}
