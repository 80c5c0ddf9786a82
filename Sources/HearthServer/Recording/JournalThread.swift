// The thread that makes commits durable: while one sync runs the next batch gathers.
import HearthCore
import HearthStorage
import Synchronization

/// Owns the journal, writes and syncs what waits, and tells the loops how far everything is durable.
///
/// A write or sync that fails ends the process at once: the tree would hold what the disk may not have,
/// and a second sync can report success for lost bytes.
final class JournalThread: Sendable {
    /// What others ask of the thread.
    fileprivate enum Errand: Sendable {
        case adopt(Result<PreparedSegment, StorageFailure>)
        case release(before: Position)
        case makeRoom(Int, @Sendable () -> Void)
        case settle
        case stop
    }

    /// What the thread works with.
    struct Surroundings: Sendable {
        let durability: Configuration.Durability
        let clock: any Clock
        let log: Log
        let metrics: Metrics
        let workers: Workers
        let recorder: Recorder
        let durable: DurableMark
        /// Makes turns of the journal until nothing is left to do, where it has no thread of its own.
        var turns: (@Sendable () -> Void)?
    }

    private let journal: Mutex<Journal?>
    private let errands = Mutex<[Errand]>([])
    private let services: Surroundings
    private let written = Mutex(Growth())
    private let thread = Mutex<RunningThread?>(nil)
    private let space = Mutex(Space())
    private let settled: Bell

    /// - Parameter journal: handed over; nobody else may use it.
    init(_ journal: consuming Journal, _ services: Surroundings) throws(SystemFailure) {
        settled = try Bell(blocking: true)
        self.journal = Mutex(journal)
        self.services = services
    }

    /// Begins, on a thread of its own unless somebody else makes the turns.
    func start() throws(SystemFailure) {
        guard services.turns == nil else { return }
        let started = try RunningThread.start("hearth-journal") { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Writes and syncs all that waits, then ends the thread. Nothing may be appended any more.
    func stop() {
        send(.stop)
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
        services.turns?()
    }

    /// Has the segments whose records all lie before `position` recycled; but of the records before
    /// `ceiling`, which only history needs, no more than about `byteLimit` bytes are kept.
    func release(before position: Position, keepingAtMost byteLimit: Int, above ceiling: Position) {
        let bound = written.withLock { $0.position(keeping: byteLimit) }
        send(.release(before: max(position, min(bound, ceiling))))
    }

    /// Has room made for a record, which may be larger than a usual segment, then calls `done` on the
    /// journal's thread in any case. Without room `shortage` says why, unless others have used it up.
    func makeRoom(_ byteCount: Int, done: @escaping @Sendable () -> Void) {
        send(.makeRoom(byteCount, done))
    }

    /// Writes and syncs all that was appended before the call, and returns what is durable then. Blocks;
    /// one caller at a time, and not after `stop`.
    func settle() -> Position {
        send(.settle)
        if let turns = services.turns { turns() } else { settled.listen() }
        return services.durable.position
    }

    /// Has `action` called, on the journal's thread, each time that so many bytes of records were written
    /// since the last checkpoint.
    ///
    /// - Parameter start: how many there are already: those that were replayed at the start.
    func onGrowth(beyond byteCount: Int, from start: Int, _ action: @escaping @Sendable () -> Void) {
        written.withLock { growth in
            growth.sinceCheckpoint = start
            growth.limit = byteCount
            growth.action = action
        }
    }

    /// Begins to count anew.
    func noteCheckpoint() {
        written.withLock { $0.sinceCheckpoint = 0 }
    }

    /// Why the journal has no space, nil if it has.
    var shortage: String? { space.withLock { $0.shortage } }

    /// Has `done` called once the journal has space: at once and here if it has, otherwise on its thread.
    func awaitSpace(_ done: @escaping @Sendable () -> Void) {
        let isThere = space.withLock { space in
            if space.shortage != nil { space.waiting.append(done) }
            return space.shortage == nil
        }
        if isThere { done() }
    }

    private func send(_ errand: Errand) {
        errands.withLock { $0.append(errand) }
        services.recorder.wake()
    }

    private func run() {
        var work = takeWork()
        do throws(StorageFailure) {
            while true {
                if try turn(&work) { continue }
                if work.isStopped { return }
                services.recorder.awaitWake(atMostNanoseconds: patience(work.progress))
            }
        } catch {
            Fatal.stop(error, services.log)
        }
    }

    /// The journal in the hands of whoever makes its turns.
    struct Work: ~Copyable {
        fileprivate var journal: Journal
        fileprivate var progress = Progress()

        /// Whether all is written and synced and no further turn is wanted.
        var isStopped: Bool { progress.isStopping }
    }

    /// Hands the journal over. Once.
    func takeWork() -> Work {
        let taken = journal.withLock { $0.take() }
        guard let journal = taken else { preconditionFailure("the journal's work is taken once") }
        return Work(journal: journal)
    }

    /// Writes and syncs what waits, and does what was asked for. It may block, but never waits for work.
    ///
    /// - Returns: whether anything was written: then more may have come meanwhile.
    /// - Throws: the process must not go on.
    func turn(_ work: inout Work) throws(StorageFailure) -> Bool {
        let hasWritten = try flushWaiting(&work.journal, &work.progress)
        try syncIfDue(&work.journal, &work.progress)
        try runErrands(&work.journal, &work.progress)
        prepareIfNeeded(&work.journal, &work.progress)
        guard work.progress.isStopping else { return hasWritten }
        while try flushWaiting(&work.journal, &work.progress, all: true) {}
        try work.journal.sync()
        return false
    }

    /// What is remembered between two turns.
    fileprivate struct Progress {
        var isStopping = false
        var isPreparing = false
        /// When to try again to prepare a segment, after the disk was full.
        var retry = Int64.min
        /// When unsynced records must be synced; nil if there are none.
        var syncDeadline: Int64?
        /// Who asked for room while a segment was being prepared.
        var waitsForRoom: [Errand] = []
    }

    /// - Returns: false if nothing waits.
    private func flushWaiting(
        _ journal: inout Journal, _ state: inout Progress, all: Bool = false
    ) throws(StorageFailure) -> Bool {
        guard var batch = services.recorder.take(all: all) else { return false }
        switch services.durability {
        #if DEBUG
            case .always where PlantedFault.isPlanted(.repliesBeforeSync): try journal.write(&batch)
        #endif
        case .always: try journal.flush(&batch)
        case .interval(let interval):
            try journal.write(&batch)
            let now = services.clock.monotonicNanoseconds
            state.syncDeadline = state.syncDeadline ?? now + interval.nanoseconds
        }
        let (byteCount, position) = (batch.byteCount, journal.written)
        services.recorder.update(room: journal.room, reusing: &batch)
        services.durable.move(to: position)
        // The rest can wait, whoever is owed an answer should not.
        services.metrics.flushes.add()
        let action = written.withLock { $0.add(byteCount, upTo: position) }
        action?()
        return true
    }

    private func patience(_ state: Progress) -> Int64? {
        let now = services.clock.monotonicNanoseconds
        let waits = [state.syncDeadline, state.retry == .min ? nil : state.retry].compactMap { $0 }
        return waits.min().map { $0 - now }
    }

    private func syncIfDue(
        _ journal: inout Journal, _ state: inout Progress
    ) throws(StorageFailure) {
        guard let deadline = state.syncDeadline, services.clock.monotonicNanoseconds >= deadline else {
            return
        }
        state.syncDeadline = nil
        try journal.sync()
    }

    private func runErrands(
        _ journal: inout Journal, _ state: inout Progress
    ) throws(StorageFailure) {
        let waiting = errands.withLock { errands in
            defer { errands = [] }
            return errands
        }
        for errand in waiting {
            try run(errand, &journal, &state)
        }
    }

    private func run(
        _ errand: Errand, _ journal: inout Journal, _ state: inout Progress
    ) throws(StorageFailure) {
        do throws(StorageFailure) {
            switch errand {
            case .adopt(let result):
                state.isPreparing = false
                // Looked at again in the next round, whatever came of it.
                errands.withLock { $0 += state.waitsForRoom }
                if !state.waitsForRoom.isEmpty { services.recorder.wake() }
                state.waitsForRoom = []
                journal.adopt(try result.get())
                noteSpace(nil)
            case .release(let position): try journal.release(before: position)
            case .makeRoom where state.isPreparing:
                state.waitsForRoom.append(errand)
            case .makeRoom(let byteCount, _):
                if shortage == nil { try journal.prepareNextSegment(atLeast: byteCount) }
            case .settle:
                while try flushWaiting(&journal, &state, all: true) {}
                try journal.sync()
                settled.ring()
            case .stop: state.isStopping = true
            }
        } catch {
            guard error.isNoSpace else { throw error }
            noteSpace(error)
            state.retry = services.clock.monotonicNanoseconds + 1_000_000_000
        }
        services.recorder.update(room: journal.room)
        for done in space.withLock({ $0.takeWaiting() }) { done() }
        if case .makeRoom(_, let done) = errand, !state.isPreparing { done() }
    }

    private func noteSpace(_ failure: StorageFailure?) {
        let isNew = space.withLock { space in
            let isNew = (space.shortage == nil) != (failure == nil)
            space.shortage = failure?.reason
            return isNew
        }
        guard isNew else { return }
        if let failure {
            services.log.error("journal has no space", ("reason", failure.reason))
        } else {
            services.log.info("journal has space")
        }
    }

    /// Has a worker make the next segment ahead of need.
    private func prepareIfNeeded(_ journal: inout Journal, _ state: inout Progress) {
        guard !state.isPreparing, !state.isStopping, journal.needsPreparation,
            services.clock.monotonicNanoseconds >= state.retry
        else { return }
        state.isPreparing = true
        state.retry = .min
        let preparation = journal.nextPreparation()
        services.workers.run { [self] in
            do throws(StorageFailure) {
                send(.adopt(.success(try preparation.run())))
            } catch {
                send(.adopt(.failure(error)))
            }
        }
    }
}

/// Whether the journal's disk has space.
private struct Space {
    /// Why it has none.
    var shortage: String?
    /// Called once it has.
    var waiting: [@Sendable () -> Void] = []

    /// Takes out who waits, if there is space.
    mutating func takeWaiting() -> [@Sendable () -> Void] {
        guard shortage == nil else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
