// Connections that speak TLS: decrypted before anything else sees them, encrypted after everything else.
import HearthCrypto
import HearthWire

extension Loop {
    /// How many steps of handshakes are taken in one turn, so that those who are connected do not wait for a
    /// crowd that comes: the computing for one takes up to a millisecond.
    static let handshakesPerTurn = 8
    /// How many bytes of the outbox are encrypted at once.
    private static let pieceBytes = 64 << 10
    /// How many pieces of one connection are sent in a turn.
    private static let piecesPerTurn = 4
    /// How many bytes of the protocol itself may wait for a client before it is not served any more. A
    /// client can make the server write such bytes without taking any.
    private static let pendingLimit = 256 << 10

    /// Reads what the socket has, once, and acts on what it says.
    func receive(_ connection: Connection, through channel: SecureChannel) {
        if !channel.isOpen {
            // The poller tells of it again.
            guard handshakeSteps < Loop.handshakesPerTurn else { return }
            handshakeSteps += 1
        }
        switch poller.receive(connection.token.descriptor, into: scratch) {
        case .bytes(let count):
            decrypt(UnsafeRawBufferPointer(rebasing: scratch[..<count]), of: connection, channel)
        case .wouldBlock: break
        case .ended: clientEnded(connection)
        case .failed: close(connection)
        }
    }

    private func decrypt(
        _ bytes: UnsafeRawBufferPointer, of connection: Connection, _ channel: SecureChannel
    ) {
        // A handshake begins with 22, a request with a letter.
        if channel.isUntouched, let first = bytes.first, (0x41...0x5A).contains(first) {
            return answerInClear(connection)
        }
        var input = bytes
        while true {
            let (count, obstacle) = channel.read(&input, into: plain)
            if count > 0 {
                take(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(plain)[..<count]),
                    from: connection)
                guard self.connection(connection.token) != nil else { return }
            }
            switch obstacle {
            case nil: continue
            case .needsInput:
                if channel.pendingCount > Loop.pendingLimit { close(connection) }
            case .ended: clientEnded(connection)
            case .failed(let failure): giveUp(connection, channel, failure)
            }
            return
        }
    }

    /// Tells a client that speaks no TLS what to do.
    private func answerInClear(_ connection: Connection) {
        connection.secure = nil
        refuse(
            connection,
            HTTPParseError(
                status: 400, message: "This port speaks TLS alone: begin the address with https:// or wss://."
            ))
    }

    private func giveUp(_ connection: Connection, _ channel: SecureChannel, _ failure: TLSFailure) {
        if !channel.isOpen { services.metrics.handshakesFailed.add() }
        services.log.debug("connection broken", ("reason", "\(failure)"))
        close(connection)
    }

    /// Encrypts and sends what may leave, as far as the socket takes it.
    ///
    /// - Returns: false when the connection is gone.
    func send(_ connection: Connection, through channel: SecureChannel) -> Bool {
        let descriptor = connection.token.descriptor
        for _ in 0..<Loop.piecesPerTurn {
            if channel.pendingCount > 0 {
                switch channel.flush(to: descriptor, by: poller) {
                case .bytes:
                    // A handshake has its time, whatever goes on in it.
                    if channel.isOpen { noteProgress(connection) }
                case .wouldBlock: return true
                case .ended, .failed: return false
                }
                guard channel.pendingCount == 0 else { return true }
                connection.outbox.drop(channel.takeSentCount())
            }
            guard channel.isOpen, connection.outbox.byteCount > 0 else { return true }
            let piece = UnsafeMutableRawBufferPointer(rebasing: plain[..<Loop.pieceBytes])
            let count = connection.outbox.copyFront(into: piece)
            guard channel.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]))
            else { return false }
        }
        return true
    }

    /// Whether the end has been said, and the socket has taken that; to be asked again until it has.
    func hasSaidEnd(_ connection: Connection, through channel: SecureChannel) -> Bool {
        channel.end()
        guard channel.pendingCount > 0 else { return true }
        // What goes wrong here is found out when the socket is looked at next.
        _ = channel.flush(to: connection.token.descriptor, by: poller)
        return channel.pendingCount == 0
    }

    /// Says the end on a connection that is about to be closed, where that is true and goes at once.
    func bidFarewell(_ connection: Connection) {
        guard let channel = connection.secure else { return }
        // A client must not take what it got for the whole of an answer.
        if connection.outbox.byteCount == 0 { channel.end() }
        guard channel.pendingCount > 0 else { return }
        // The connection ends anyway.
        _ = channel.flush(to: connection.token.descriptor, by: poller)
    }
}
