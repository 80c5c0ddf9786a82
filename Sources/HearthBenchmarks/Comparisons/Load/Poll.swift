// Waiting for many connections at once.
import CLinux
import Glibc

/// An epoll descriptor whose connections are known by numbers that their owner chooses.
final class Poll {
    private static let batch = 512
    private let descriptor: Int32
    private let ready: UnsafeMutableBufferPointer<epoll_event>

    init() throws(ComparisonFailure) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .system("epoll_create1") }
        ready = .allocate(capacity: Poll.batch)
    }

    deinit {
        ready.deallocate()
        close(descriptor)
    }

    /// Watches a connection for what can be read, until it is closed.
    func add(_ connection: Int32, as number: Int) throws(ComparisonFailure) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(number)
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, connection, &event) == 0 else {
            throw .system("epoll_ctl")
        }
    }

    /// Waits until something can be read, at most so long, and appends the numbers of those connections.
    ///
    /// Less than a millisecond is no wait at all, so that whoever has something to do at a time does it then.
    func wait(microseconds: UInt64, into numbers: inout [Int]) {
        let milliseconds = Int32(min(microseconds / 1_000, 1_000))
        let count = epoll_wait(descriptor, ready.baseAddress, Int32(Poll.batch), milliseconds)
        for index in 0..<max(0, Int(count)) { numbers.append(Int(ready[index].data.u64)) }
    }
}
