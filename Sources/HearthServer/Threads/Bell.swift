// How one thread wakes another: an eventfd, which a loop can watch and other threads can sleep on.
import CLinux
import Glibc

/// Wakes a thread. Rings add up until they are heard; safe to ring from any thread.
final class Bell: Sendable {
    private let descriptor: Descriptor

    /// - Parameter blocking: whether `listen` sleeps until the next ring; a bell that a poller watches
    ///   must not.
    /// - Throws: `SystemFailure` when the system gives no descriptor for it.
    init(blocking: Bool) throws(SystemFailure) {
        let flags = Int32(EFD_CLOEXEC) | (blocking ? 0 : Int32(EFD_NONBLOCK))
        let number = eventfd(0, flags)
        guard number >= 0 else { throw SystemFailure("eventfd") }
        descriptor = Descriptor(owning: number)
    }

    /// What a poller watches.
    var number: Int32 { descriptor.number }

    /// Wakes the listener, or lets its next `listen` return at once.
    func ring() {
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the listener is awake anyway.
        _ = write(descriptor.number, &one, 8)
    }

    /// Hears all rings so far; a blocking bell sleeps until there is one.
    func listen() {
        var count: UInt64 = 0
        // Without a ring a bell that does not block fails, which is as good as hearing none.
        _ = read(descriptor.number, &count, 8)
    }

    /// Like `listen`, but gives up after some time; nil waits for ever.
    func listen(atMostNanoseconds: Int64?) {
        guard let nanoseconds = atMostNanoseconds else { return listen() }
        var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        if poll(&request, 1, milliseconds) > 0 { listen() }
    }
}
