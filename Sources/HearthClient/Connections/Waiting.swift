// Waits for descriptors with a bound, and ends early when the program is asked to stop.

import Glibc

/// One wait, over interruptions by signals.
struct Waiting {
    private let server: String
    private let step: ClientError.Step
    private let patience: Duration
    private let wakeDescriptor: Int32?
    private let deadline: ContinuousClock.Instant

    /// Begins to count at once.
    init(server: String, step: ClientError.Step, patience: Duration, wakeDescriptor: Int32?) {
        self.server = server
        self.step = step
        self.patience = patience
        self.wakeDescriptor = wakeDescriptor
        deadline = ContinuousClock.now.advanced(by: patience)
    }

    /// Waits for one of the descriptors; returns what each is ready for, POLLHUP and POLLERR told as POLLIN.
    ///
    /// - Throws: `timedOut` after the patience, `interrupted` when the wake descriptor is readable.
    mutating func wait(for wanted: [(descriptor: Int32, events: Int32)]) throws(ClientError) -> [Int32] {
        var entries = wanted.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
        entries.append(pollfd(fd: wakeDescriptor ?? -1, events: Int16(POLLIN), revents: 0))
        while true {
            let count = poll(&entries, nfds_t(entries.count), Waiting.milliseconds(until: deadline))
            if count < 0, errno == EINTR { continue }
            if entries[wanted.count].revents != 0 { throw .interrupted }
            guard count > 0 else {
                throw .timedOut(server: server, during: step, seconds: Int(patience.components.seconds))
            }
            return entries.dropLast().map { entry in
                let events = Int32(entry.revents)
                return events & (POLLHUP | POLLERR | POLLNVAL) != 0 ? events | POLLIN : events
            }
        }
    }

    /// Lets time pass; returns false when the wake descriptor ended it early.
    static func pause(_ duration: Duration, wakeDescriptor: Int32?) -> Bool {
        let deadline = ContinuousClock.now.advanced(by: duration)
        var entry = pollfd(fd: wakeDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, milliseconds(until: deadline))
            if count > 0 { return false }
            if count == 0 { return true }
        }
    }

    /// The time left, rounded up, as `poll` takes it.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: deadline).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        let milliseconds =
            left.seconds * 1_000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(min(milliseconds, Int64(Int32.max)))
    }
}
