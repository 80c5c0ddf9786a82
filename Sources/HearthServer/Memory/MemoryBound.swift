// The memory beyond which nothing more is taken in, so that the system does not end the process.
import HearthWire
import Synchronization

/// Watches the process's memory. Asked by whoever is about to add data; it looks at most ten times a second.
final class MemoryBound: Sendable {
    /// The share of what the system allows that is used unless told otherwise, in percent.
    private static let share = 80
    /// Between two looks, in nanoseconds.
    private static let interval: Int64 = 100_000_000

    /// The bytes beyond which writes are refused; nil if they never are.
    let limit: Int?
    private let gauge: any MemoryGauge
    private let clock: any Clock
    private let workers: Workers
    private let nextLook = Atomic<Int64>(.min)
    private let used = Atomic<Int>(0)
    private let isTrimming = Atomic<Bool>(false)

    /// - Parameter limit: bytes; nil for a share of what the machine and its control group have.
    init(limit: Int?, gauge: any MemoryGauge, clock: any Clock, workers: Workers) {
        self.limit = limit ?? AvailableMemory().bytes.map { $0 / 100 * MemoryBound.share }
        self.gauge = gauge
        self.clock = clock
        self.workers = workers
    }

    /// Checks that there is room for more data.
    ///
    /// - Throws: 503 with the reason if there is none.
    func requireRoom() throws(RESTError) {
        guard let limit else { return }
        let used = look()
        guard used > limit else { return }
        trim()
        throw .noMemory(used: used, limit: limit)
    }

    /// The bytes in use, as they were at most an interval ago.
    private func look() -> Int {
        let now = clock.monotonicNanoseconds
        let due = nextLook.load(ordering: .relaxed)
        guard now >= due,
            nextLook.compareExchange(
                expected: due, desired: now + MemoryBound.interval, ordering: .relaxed
            ).exchanged
        else { return used.load(ordering: .relaxed) }
        // What cannot be measured is no reason to refuse anything.
        let bytes = gauge.residentBytes ?? 0
        used.store(bytes, ordering: .relaxed)
        return bytes
    }

    /// Has a worker give freed memory back, one at a time: data that was removed makes room only then.
    private func trim() {
        guard isTrimming.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
            return
        }
        workers.run { [self] in
            gauge.trim()
            isTrimming.store(false, ordering: .relaxed)
        }
    }
}
