// One TCP connection to a server, with a buffer for what was received and not yet used.

import Glibc

/// A connected socket. It waits at most as long as it is told and can be woken by another descriptor.
///
/// Owned by one `Client`; not for several threads.
final class Connection {
    let descriptor: Int32
    let server: String
    private let wakeDescriptor: Int32?
    var storage: UnsafeMutableRawBufferPointer
    var unread = 0..<0
    /// What encrypts and decrypts; nil where plain HTTP is spoken.
    private let secure: SecureChannel?
    /// Whether bytes of an answer were received and not yet dropped.
    var hasUnread: Bool { !unread.isEmpty }

    /// What is needed to open a connection.
    struct Opening {
        let address: ServerAddress
        let trust: Trust
        let connectTimeout: Duration
        /// Becomes readable when waiting shall end with `interrupted`.
        let wakeDescriptor: Int32?
    }

    /// Connects to the first address of the host that accepts, and shakes hands where TLS is spoken.
    init(_ opening: Opening) throws(ClientError) {
        server = opening.address.description
        wakeDescriptor = opening.wakeDescriptor
        descriptor = try SocketOpening.connect(opening)
        storage = .allocate(byteCount: 64 << 10, alignment: 16)
        secure = opening.address.isSecure ? SecureChannel(opening.address, opening.trust) : nil
        if let secure { try shakeHands(over: secure, atMost: opening.connectTimeout) }
    }

    deinit {
        close(descriptor)
        storage.deallocate()
    }

    /// The received bytes that were not dropped yet; void after the next call of anything else here.
    var unreadBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[unread]) }

    /// Drops bytes from the front of `unreadBytes`.
    func drop(_ count: Int) {
        unread = unread.lowerBound + count..<unread.upperBound
        if unread.isEmpty { unread = 0..<0 }
    }

    /// Whether the other end has closed or has sent something that nobody asked for: not fit for another
    /// request.
    var isStale: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if hasUnread { return true }
        guard poll(&wanted, 1, 0) != 0 else { return false }
        guard secure != nil else { return true }
        // What the protocol itself says is no answer; a connection that fails here is as good as closed.
        return (try? takeIn(during: .waiting)) != .nothing
    }

    /// Receives what there is, waiting for the first byte of it; returns false at the end of the connection.
    ///
    /// - Throws: `timedOut` in the name of `step`, `cutOff` when the connection was reset.
    func receive(during step: ClientError.Step, atMost patience: Duration) throws(ClientError) -> Bool {
        while true {
            switch try takeIn(during: step) {
            case .bytes: return true
            case .end: return false
            case .nothing: _ = try wait(for: POLLIN, during: step, atMost: patience)
            }
        }
    }

    /// What a look at the socket brought.
    enum Arrival {
        /// Bytes, which are among `unreadBytes` now.
        case bytes
        /// Nothing for us.
        case nothing
        /// The other end sends no more.
        case end
    }

    /// Takes in what has come, without waiting.
    ///
    /// - Throws: `cutOff` in the name of `step` when the connection was reset.
    func takeIn(during step: ClientError.Step) throws(ClientError) -> Arrival {
        makeRoom()
        if let secure { return try takeIn(through: secure, during: step) }
        let room = UnsafeMutableRawBufferPointer(rebasing: storage[unread.upperBound...])
        let count = try receive(into: room, during: step)
        guard let count else { return .nothing }
        unread = unread.lowerBound..<unread.upperBound + count
        return count == 0 ? .end : .bytes
    }

    /// - Returns: how many bytes came, 0 at the end; nil when nothing has come.
    func receive(
        into room: UnsafeMutableRawBufferPointer, during step: ClientError.Step
    ) throws(ClientError) -> Int? {
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw .cutOff(server: server, during: step)
            }
        }
    }

    /// What a socket did with bytes.
    enum SendOutcome: Equatable {
        /// It took so many of them.
        case took(Int)
        /// Its buffer is full.
        case full
        /// The other end takes no more.
        case closed
    }

    /// Offers bytes to the socket, without waiting.
    ///
    /// After `full` the same bytes must be offered again, and more may follow them.
    func offer(_ bytes: UnsafeRawBufferPointer) throws(ClientError) -> SendOutcome {
        if let secure { return try offer(bytes, through: secure) }
        guard let outcome = Connection.push(bytes, to: descriptor) else {
            throw .cutOff(server: server, during: .sending)
        }
        return outcome
    }

    /// - Returns: nil when the connection is gone in a way that leaves no answer to look for.
    static func push(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> SendOutcome? {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .took(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .full
            case EPIPE, ECONNRESET: return .closed
            default: return nil
            }
        }
    }

    /// Waits until the socket takes bytes or something was received; returns whether something was.
    func waitToSend(atMost patience: Duration) throws(ClientError) -> Bool {
        try wait(for: POLLIN | POLLOUT, during: .sending, atMost: patience) & POLLIN != 0
    }

    /// Waits until something was received or `other` can be read; returns whether something was received.
    func waitToReceive(orToRead other: Int32, atMost patience: Duration) throws(ClientError) -> Bool {
        var waiting = Waiting(
            server: server, step: .sending, patience: patience, wakeDescriptor: wakeDescriptor)
        return try waiting.wait(for: [(descriptor, POLLIN), (other, POLLIN)])[0] != 0
    }

    /// Whether something arrives within `patience`.
    func hasAnswer(within patience: Duration) throws(ClientError) -> Bool {
        do throws(ClientError) {
            while !hasUnread {
                _ = try wait(for: POLLIN, during: .waiting, atMost: patience)
                if try takeIn(during: .waiting) == .end { return true }
            }
            return true
        } catch {
            if case .timedOut = error { return false }
            throw error
        }
    }

    func makeRoom() {
        if unread.lowerBound > 0, unread.upperBound == storage.count {
            let moved = unreadBytes
            storage.copyMemory(from: moved)
            unread = 0..<unread.count
        }
        guard unread.upperBound == storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: storage.count * 2, alignment: 16)
        larger.copyMemory(from: unreadBytes)
        storage.deallocate()
        storage = larger
    }

    func wait(
        for events: Int32, during step: ClientError.Step, atMost patience: Duration
    ) throws(ClientError) -> Int32 {
        var waiting = Waiting(server: server, step: step, patience: patience, wakeDescriptor: wakeDescriptor)
        return try waiting.wait(for: [(descriptor, events)])[0]
    }
}
