// The system calls on sockets, in one file because the imported constants come in mixed types.
import CLinux
import Glibc

/// A descriptor that is closed exactly once, when its owner goes.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    /// Takes over `number`, which nobody else closes.
    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }
}

/// Calls on sockets that never block.
enum Socket {
    /// What came of reading or writing.
    enum Transfer: Equatable {
        case bytes(Int)
        /// The socket has nothing to give or takes nothing now.
        case wouldBlock
        /// The other side has ended its direction.
        case ended
        /// The connection is gone.
        case failed(Int32)
    }

    /// Makes a listening socket's descriptor, not yet bound.
    static func makeStream(family: Int32) throws(SystemFailure) -> Descriptor {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(family, flags, 0)
        guard number >= 0 else { throw SystemFailure("socket") }
        return Descriptor(owning: number)
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) throws(SystemFailure) {
        var one: Int32 = 1
        let result = setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
        guard result == 0 else { throw SystemFailure("setsockopt") }
    }

    /// Takes one waiting connection, or returns a negative `errno`; and says whose it is.
    static func accept(_ listener: Int32) -> (number: Int32, peer: SocketAddress?) {
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        var number: Int32 = -1
        let peer = SocketAddress.reading { address, length in
            number = accept4(listener, address, length, flags)
            if number < 0 { number = -errno }
            return number >= 0
        }
        return (number, peer)
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        return count == 0 ? .ended : transfer(ofError: errno)
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count >= 0 ? .bytes(count) : transfer(ofError: errno)
    }

    /// Sends several pieces with one call.
    static func send(_ descriptor: Int32, pieces: UnsafeMutableBufferPointer<iovec>) -> Transfer {
        var message = msghdr()
        message.msg_iov = pieces.baseAddress
        message.msg_iovlen = pieces.count
        let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        return count >= 0 ? .bytes(count) : transfer(ofError: errno)
    }

    /// Tells the other side that nothing more will come, while what it still sends can be read.
    static func endSending(_ descriptor: Int32) {
        // A connection that is already gone needs no end.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    static func transfer(ofError code: Int32) -> Transfer {
        code == EAGAIN || code == EINTR ? .wouldBlock : .failed(code)
    }
}
