// The poller of a real machine.
import CLinux
import Glibc

/// Waits with epoll. Belongs to the thread of its loop.
final class EpollPoller: Poller {
    private static let batch = 512
    private let descriptor: Descriptor
    private let ready: UnsafeMutableBufferPointer<epoll_event>

    /// - Throws: `SystemFailure` when the system gives no descriptor for it.
    init() throws(SystemFailure) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw SystemFailure("epoll_create1") }
        descriptor = Descriptor(owning: number)
        ready = .allocate(capacity: EpollPoller.batch)
    }

    deinit {
        ready.deallocate()
    }

    func register(_ token: PollToken) throws(SystemFailure) {
        guard control(EPOLL_CTL_ADD, token, EPOLLIN.rawValue) == 0 else { throw SystemFailure("epoll_ctl") }
    }

    func watch(_ token: PollToken, reading: Bool, writing: Bool) {
        let mask = (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
        let result = control(EPOLL_CTL_MOD, token, mask)
        precondition(result == 0, "a descriptor is watched without having been registered")
    }

    func forget(_ token: PollToken) {
        let result = control(EPOLL_CTL_DEL, token, 0)
        precondition(result == 0, "a descriptor is forgotten without having been registered")
    }

    func wait(timeoutNanoseconds: Int64?, atMost limit: Int, into events: inout [PollEvent]) {
        events.removeAll(keepingCapacity: true)
        let room = Int32(max(1, min(limit, EpollPoller.batch)))
        let count = epoll_wait(
            descriptor.number, ready.baseAddress, room, milliseconds(timeoutNanoseconds))
        // A negative count is an interrupted wait: nothing is ready.
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let mask = ready[index].events
            let readable = EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
            let writable = EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
            events.append(
                PollEvent(
                    token: PollToken(bits: ready[index].data.u64), isReadable: mask & readable != 0,
                    isWritable: mask & writable != 0))
        }
    }

    /// Rounds up, so that a timer is never asked for before its time.
    private func milliseconds(_ nanoseconds: Int64?) -> Int32 {
        guard let nanoseconds else { return -1 }
        guard nanoseconds > 0 else { return 0 }
        return Int32(min((nanoseconds + 999_999) / 1_000_000, 60_000))
    }

    private func control(_ operation: Int32, _ token: PollToken, _ mask: UInt32) -> Int32 {
        var event = epoll_event()
        event.events = mask
        event.data.u64 = token.bits
        return epoll_ctl(descriptor.number, operation, token.descriptor, &event)
    }
}
