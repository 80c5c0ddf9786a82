// One of many connections of a generator.
import Glibc
import HearthTesting

/// A connection to a loopback port that never blocks once it is there. Closed with its last owner.
final class LoadConnection {
    let descriptor: Int32

    init(port: UInt16) throws(ComparisonFailure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket") }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        // Closed at once and without a trace: thousands are made again for the next run.
        var close = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &close, socklen_t(MemoryLayout<linger>.size))
        let result = Loopback.withAddress(port: port) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw .system("cannot connect to port \(port)") }
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw .system("fcntl") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request whole; requests are small, so that there is always room for one.
    func send(_ bytes: [UInt8]) throws(ComparisonFailure) {
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw .system("a request could not be sent whole") }
    }

    /// Reads what is there into `buffer` and returns how much that is; nil if nothing is.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(ComparisonFailure) -> Int? {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        guard count >= 0 else { throw .system("recv") }
        guard count > 0 else { throw ComparisonFailure("a server has ended a connection") }
        return count
    }
}
