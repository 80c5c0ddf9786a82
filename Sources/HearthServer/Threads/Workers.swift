// A few threads for what would hold up a loop: parsing large bodies, checkpoints, exports, freeing old
// states.
import Synchronization

/// A small pool of threads that run jobs in the order they come, several at a time.
///
/// Jobs are bounded by the requests in flight, so the queue has no limit of its own. Every job that was
/// taken is run, also when the pool stops.
final class Workers: Sendable {
    private struct Queue {
        /// Those before `head` were taken, and hold nothing any more: what a job lets go must not be let go
        /// under the lock, since it may have a job to run itself.
        var jobs: [(@Sendable () -> Void)?] = []
        var head = 0
        var sleepers = 0
        var isStopping = false

        mutating func next() -> (@Sendable () -> Void)? {
            guard head < jobs.count else { return nil }
            let job = jobs[head].take()
            head += 1
            if head == jobs.count || head > 1024 {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }
    }

    private let queue = Mutex(Queue())
    private let bell: Bell
    private let threads = Mutex<[RunningThread]>([])

    /// Starts `count` threads whose names begin with `name` (at most 13 characters). Without any, jobs wait
    /// until somebody calls `runNext()`.
    init(count: Int, named name: String = "hearth-work") throws(SystemFailure) {
        bell = try Bell(blocking: true)
        for index in 0..<count {
            let thread = try RunningThread.start("\(name)-\(index)") { [self] in work() }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Has `job` run soon on one of the threads; after the pool has stopped, here and now.
    func run(_ job: @escaping @Sendable () -> Void) {
        let (isStopped, wakes) = queue.withLock { queue in
            guard !queue.isStopping else { return (true, false) }
            queue.jobs.append(job)
            return (false, queue.sleepers > 0)
        }
        if isStopped { job() }
        if wakes { bell.ring() }
    }

    /// Runs the job that waits longest, here and now; false when none waits.
    func runNext() -> Bool {
        guard let job = queue.withLock({ $0.next() }) else { return false }
        job()
        return true
    }

    /// Runs what was taken, then ends the threads and waits for them.
    func stop() {
        queue.withLock { $0.isStopping = true }
        bell.ring()
        let all = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in all { thread.join() }
        while runNext() {}
    }

    private func work() {
        while true {
            let (job, isStopping) = queue.withLock { queue in
                let job = queue.next()
                if job == nil && !queue.isStopping { queue.sleepers += 1 }
                return (job, queue.isStopping)
            }
            if let job {
                job()
            } else if isStopping {
                // One ring wakes one sleeper: pass it on.
                bell.ring()
                return
            } else {
                bell.listen()
                let hasMore = queue.withLock { queue in
                    queue.sleepers -= 1
                    return queue.sleepers > 0 && (queue.isStopping || queue.jobs.count - queue.head > 1)
                }
                if hasMore { bell.ring() }
            }
        }
    }
}
