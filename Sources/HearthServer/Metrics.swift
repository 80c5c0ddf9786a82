// A few counters of what the server does, for `/.inspect` and for its own limits.
import Synchronization

/// A number that any thread may change.
struct Counter: ~Copyable, Sendable {
    private let number = Atomic<Int>(0)

    /// Adds `count`, which may be negative, and returns the sum.
    @discardableResult
    borrowing func add(_ count: Int = 1) -> Int {
        number.add(count, ordering: .relaxed).newValue
    }

    /// The number now.
    var value: Int { number.load(ordering: .relaxed) }
}

/// Counters of one server. Names and meanings are fixed; nothing of a request is in them.
final class Metrics: Sendable {
    /// Connections that are open now.
    let connections = Counter()
    /// Connections closed at once because there were too many.
    let turnedAway = Counter()
    /// Requests whose head was understood.
    let requests = Counter()
    /// Requests that took too long to arrive.
    let timedOut = Counter()
    /// TLS handshakes that came to nothing.
    let handshakesFailed = Counter()
    /// Writes that got a revision.
    let commits = Counter()
    /// Times that the journal was synced.
    let flushes = Counter()
    /// Subscriptions of all streams and waiting polls, now.
    let subscriptions = Counter()
    /// Sessions of the realtime protocol, now.
    let sessions = Counter()
    /// Streams closed because their client did not keep up.
    let streamsCut = Counter()
}
