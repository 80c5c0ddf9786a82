// What stands between a socket and a connection that speaks TLS.
import HearthCrypto

/// The encrypted side of one connection. The outbox above it stays as it is: its bytes are encrypted a piece
/// at a time, and count as sent when the socket has taken all that they became.
///
///     Outbox ─▶ write ─▶ pending ─▶ flush ─▶ socket
///     requests ◀── read ◀──────────────────── socket
///
/// It belongs to its connection's loop.
final class SecureChannel {
    private var session: TLSSession
    /// Encrypted bytes that the socket has not taken yet.
    private var pending: [UInt8] = []
    private var sentOfPending = 0
    /// How many bytes of the outbox the pending ones stand for.
    private var plainCount = 0
    /// Whether the handshake is done.
    private(set) var isOpen = false
    /// Whether not even a first byte has come.
    var isUntouched = true
    private var hasEnded = false

    /// Begins to wait for a client's handshake.
    init(_ context: TLSServerContext) {
        session = TLSSession(server: context)
    }

    /// How many bytes wait for the socket.
    var pendingCount: Int { pending.count - sentOfPending }

    /// Whether the client went on with the keys of an earlier session.
    var isResumed: Bool { session.isResumed }

    /// Decrypts what has come, as far as `plain` has room for another record.
    ///
    /// - Parameter plain: at least as long as a record, which has 16 KiB at most.
    /// - Returns: how many bytes were written, and what keeps it from more: nil if only the room.
    func read(
        _ input: inout UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer
    ) -> (count: Int, obstacle: Obstacle?) {
        isUntouched = false
        var count = 0
        while plain.count - count >= SecureChannel.recordLimit {
            let room = UnsafeMutableRawBufferPointer(rebasing: plain[count...])
            let reading = session.read(&input, into: room, output: &pending)
            switch reading {
            case .bytes(let more): count += more
            case .needsInput:
                isOpen = isOpen || session.isOpen
                return (count, .needsInput)
            case .ended: return (count, .ended)
            case .failed(let failure): return (count, .failed(failure))
            }
        }
        isOpen = true
        return (count, nil)
    }

    /// What keeps a channel from giving more bytes.
    enum Obstacle: Equatable {
        /// More must come first.
        case needsInput
        /// The client sends no more.
        case ended
        /// The session is broken.
        case failed(TLSFailure)
    }

    static let recordLimit = 16 << 10

    /// Encrypts bytes that stay in the outbox until `takeSentCount` tells that they are sent.
    ///
    /// - Precondition: nothing is pending, and the handshake is done.
    /// - Returns: false when the session is broken.
    func write(_ plain: UnsafeRawBufferPointer) -> Bool {
        precondition(pendingCount == 0, "bytes are encrypted while others wait")
        // A record has 22 to 29 bytes beside its content.
        pending.reserveCapacity(plain.count + (plain.count >> 14 + 1) * 32)
        plainCount = plain.count
        return session.write(plain, output: &pending) == nil
    }

    /// Says that nothing more will come; what is pending goes first.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        session.end(output: &pending)
    }

    /// Sends what is pending, with one call.
    ///
    /// - Precondition: something is.
    func flush(to descriptor: Int32, by poller: any Poller) -> Socket.Transfer {
        let result = pending.withUnsafeBytes { bytes in
            poller.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sentOfPending...]))
        }
        if case .bytes(let count) = result { sentOfPending += count }
        if sentOfPending == pending.count {
            pending = []
            sentOfPending = 0
        }
        return result
    }

    /// How many bytes of the outbox have been sent since the last call, once nothing is pending.
    func takeSentCount() -> Int {
        guard pendingCount == 0 else { return 0 }
        defer { plainCount = 0 }
        return plainCount
    }
}

@available(*, unavailable)
extension SecureChannel: Sendable {}
