// A loop's side of the network: which descriptors have something to read or take something to send, and the
// calls that do it.
import CLinux
import Glibc

/// Names a registered descriptor: its number below, a generation above, so that what was meant for a
/// descriptor that was closed meanwhile, and whose number is in use again, is recognised and dropped.
struct PollToken: Hashable, Sendable {
    let bits: UInt64

    init(descriptor: Int32, generation: UInt32) {
        bits = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    init(bits: UInt64) {
        self.bits = bits
    }

    var descriptor: Int32 { Int32(truncatingIfNeeded: bits) }
    var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
}

/// One descriptor that is ready.
struct PollEvent: Sendable {
    let token: PollToken
    /// It has bytes, an end or an error to be read.
    let isReadable: Bool
    /// It takes bytes.
    let isWritable: Bool
}

/// Waits for many descriptors at once, for one loop, and acts on those that are ready. Level-triggered: what
/// is not dealt with is told again.
///
/// The calls on sockets are the system's unless a poller brings its own: a simulated network does.
protocol Poller: AnyObject {
    /// Begins to watch a descriptor for reading.
    func register(_ token: PollToken) throws(SystemFailure)
    /// Chooses what a registered descriptor is watched for.
    func watch(_ token: PollToken, reading: Bool, writing: Bool)
    /// Forgets a descriptor; must come before it is closed.
    func forget(_ token: PollToken)
    /// Replaces `events` by what is ready, at most so many; waits up to `timeoutNanoseconds`, for ever if
    /// nil, and may return early with nothing. What is left out comes first the next time.
    func wait(timeoutNanoseconds: Int64?, atMost limit: Int, into events: inout [PollEvent])

    /// Takes one waiting connection, or returns a negative `errno`; and says whose it is.
    func accept(_ listener: Int32) -> (number: Int32, peer: SocketAddress?)
    /// Has small pieces leave at once.
    func hurry(_ descriptor: Int32) throws(SystemFailure)
    /// Reads what has come, at most as much as `buffer` holds.
    func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Socket.Transfer
    /// Sends as much of `bytes` as is taken.
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Socket.Transfer
    /// Sends as much of several pieces as is taken, with one call.
    func send(_ descriptor: Int32, pieces: UnsafeMutableBufferPointer<iovec>) -> Socket.Transfer
    /// Ends our direction.
    func endSending(_ descriptor: Int32)
    /// Closes a descriptor that was forgotten.
    func close(_ descriptor: Int32)
}

extension Poller {
    func accept(_ listener: Int32) -> (number: Int32, peer: SocketAddress?) { Socket.accept(listener) }

    func hurry(_ descriptor: Int32) throws(SystemFailure) {
        try Socket.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
    }

    func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Socket.Transfer {
        Socket.receive(descriptor, into: buffer)
    }

    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Socket.Transfer {
        Socket.send(descriptor, bytes)
    }

    func send(_ descriptor: Int32, pieces: UnsafeMutableBufferPointer<iovec>) -> Socket.Transfer {
        Socket.send(descriptor, pieces: pieces)
    }

    func endSending(_ descriptor: Int32) { Socket.endSending(descriptor) }

    func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// Says something short on a connection that has just come, and ends it.
    func turnAway(_ number: Int32, saying bytes: [UInt8], scratch: UnsafeMutableRawBufferPointer) {
        // Whoever is gone already need not hear it.
        _ = bytes.withUnsafeBytes { send(number, $0) }
        endSending(number)
        // What came already and is not read would have the system break the connection before the answer.
        _ = receive(number, into: scratch)
        close(number)
    }
}
