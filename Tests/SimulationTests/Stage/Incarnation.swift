// One run of the server, from its start to its end or its crash, without any thread.
import HearthStorage
import HearthTesting

@testable import HearthServer

/// The parts of a running server, moved by whoever has it.
final class Incarnation {
    let services: Services
    let loops: [Loop]
    let pollers: [SimulatedPoller]
    /// The journal; away while somebody makes a turn of it.
    private var work: JournalThread.Work?
    /// Which parts are in the middle of something, further down on the stack.
    private(set) var busyLoops: Set<Int> = []
    private(set) var busyWorkerCount = 0

    init(_ services: Services, loopCount: Int, on network: SimulatedNetwork, _ random: inout SeededRandom)
        throws
    {
        self.services = services
        pollers = (0..<loopCount).map { SimulatedPoller(network, loop: $0, random.branch()) }
        loops = try pollers.enumerated().map { index, poller in
            let listener = ListeningSocket(
                number: SimulatedNetwork.listener(of: index), isLocal: true, isSecure: false)
            return try Loop(index: index, services: services, poller: poller, listeners: [listener])
        }
        work = services.vault?.journal.takeWork()
    }

    /// Whether some loop is in a turn: then nothing else may happen.
    var isInLoop: Bool { !busyLoops.isEmpty }
    var isInJournal: Bool { work == nil }

    /// Has a loop make a turn.
    func turn(loop index: Int) {
        guard busyLoops.isEmpty else { return }
        busyLoops.insert(index)
        loops[index].turn()
        busyLoops.remove(index)
    }

    /// Has the journal make a turn.
    ///
    /// - Returns: whether it has written anything.
    func turnJournal() throws(StorageFailure) -> Bool {
        guard var work = work.take() else { return false }
        do throws(StorageFailure) {
            let hasWritten = try services.vault?.journal.turn(&work) ?? false
            self.work = consume work
            return hasWritten
        } catch {
            self.work = consume work
            throw error
        }
    }

    /// Has a worker do a job; two at most at once.
    func work(_ limit: Int) -> Bool {
        guard busyWorkerCount < limit else { return false }
        busyWorkerCount += 1
        defer { busyWorkerCount -= 1 }
        return services.workers.runNext()
    }

    /// Whether every loop has ended as it should after `beginStopping`.
    var hasStopped: Bool { loops.allSatisfy { $0.isStopping && $0.connectionCount == 0 } }
}
