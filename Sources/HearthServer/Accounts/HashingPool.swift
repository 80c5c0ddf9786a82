// Threads for what is slow on purpose: hashing passwords.
import Glibc
import Synchronization

/// A few threads with a bounded queue: an attack on passwords takes these and no others, and only so much
/// memory.
final class HashingPool: Sendable {
    /// So many calls may wait; a hash takes some 32 MiB while it is made.
    private static let limit = 64

    private let workers: Workers
    /// Whether the threads are this pool's own.
    private let isOwner: Bool
    private let waiting = Atomic(0)
    private let isStopping = Atomic(false)

    /// Starts a thread for every other core; a server without threads has its own workers do it.
    init(_ surroundings: Identity.Surroundings) throws(SystemFailure) {
        isOwner = surroundings.outside.workerCount > 0
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        workers =
            isOwner
            ? try Workers(count: max(1, Int(cores) / 2), named: "hearth-hash") : surroundings.workers
    }

    /// Has `job` run soon, or returns false when too many wait. It is told whether the server stops: then
    /// there is no time for a hash.
    func run(_ job: @escaping @Sendable (_ isStopping: Bool) -> Void) -> Bool {
        guard waiting.add(1, ordering: .relaxed).newValue <= HashingPool.limit else {
            waiting.subtract(1, ordering: .relaxed)
            return false
        }
        workers.run { [self] in
            job(isStopping.load(ordering: .relaxed))
            waiting.subtract(1, ordering: .relaxed)
        }
        return true
    }

    /// Has what was taken end quickly, then ends the threads.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        if isOwner { workers.stop() }
    }
}
