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

    /// Starts a thread for every other core; a server without threads has its own workers do it.
    init(_ surroundings: Identity.Surroundings) throws(SystemFailure) {
        isOwner = surroundings.outside.workerCount > 0
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        workers =
            isOwner
            ? try Workers(count: max(1, Int(cores) / 2), named: "hearth-hash") : surroundings.workers
    }

    /// Has `job` run soon, or returns false when too many wait.
    func run(_ job: @escaping @Sendable () -> Void) -> Bool {
        guard waiting.add(1, ordering: .relaxed).newValue <= HashingPool.limit else {
            waiting.subtract(1, ordering: .relaxed)
            return false
        }
        workers.run { [self] in
            job()
            waiting.subtract(1, ordering: .relaxed)
        }
        return true
    }

    /// Runs what was taken, then ends the threads.
    func stop() {
        if isOwner { workers.stop() }
    }
}
