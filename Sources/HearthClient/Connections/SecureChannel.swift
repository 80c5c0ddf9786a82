// What stands between a socket and a client that speaks TLS.

import Glibc
internal import HearthCrypto

/// The encrypted side of one connection.
final class SecureChannel {
    private var session: TLSSession
    private var pending: [UInt8] = []
    private var sentOfPending = 0
    private let server: String
    /// Where encrypted bytes are received.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// How many bytes were encrypted that do not count as sent yet.
    private var promised = 0
    /// Whether the server has said that it sends no more.
    private(set) var hasEnded = false

    init(_ address: ServerAddress, _ trust: Trust) {
        server = address.description
        session = TLSSession(client: trust.context, host: address.host)
    }

    deinit {
        scratch.deallocate()
    }

    /// Whether the handshake is done.
    var isOpen: Bool { session.isOpen }

    /// Begins the handshake.
    func begin() throws(ClientError) {
        if let failure = session.begin(output: &pending) { throw error(failure) }
    }

    /// What came of decrypting.
    enum Reading: Equatable {
        case bytes(Int)
        /// More must come first.
        case nothing
        /// The server has said that it sends no more.
        case end
    }

    /// Decrypts one record of what has come.
    func read(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ClientError) -> Reading {
        switch session.read(&input, into: room, output: &pending) {
        case .bytes(let count): return .bytes(count)
        case .needsInput: return .nothing
        case .ended:
            hasEnded = true
            return .end
        case .failed(let failure): throw error(failure)
        }
    }

    /// Encrypts the beginning of `bytes`, unless that was done before and is not all sent.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ClientError) {
        guard promised == 0, !bytes.isEmpty else { return }
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(64 << 10))
        if let failure = session.write(piece, output: &pending) { throw error(failure) }
        promised = piece.count
    }

    /// Offers what is encrypted to the socket; `took` tells how many bytes of the application are sent by
    /// that, once it has taken everything.
    ///
    /// - Returns: nil when the connection is gone.
    func flush(to descriptor: Int32) -> Connection.SendOutcome? {
        while sentOfPending < pending.count {
            let outcome = pending.withUnsafeBytes { bytes in
                Connection.push(UnsafeRawBufferPointer(rebasing: bytes[sentOfPending...]), to: descriptor)
            }
            guard case .took(let count)? = outcome else { return outcome }
            sentOfPending += count
        }
        pending = []
        sentOfPending = 0
        defer { promised = 0 }
        return .took(promised)
    }

    private func error(_ failure: TLSFailure) -> ClientError {
        switch failure {
        case .untrusted(let reason):
            .insecure(
                server: server,
                reason: "its certificate is not believed (\(reason)); if it is of an authority of yours, "
                    + "name that one's certificate with --ca")
        case .broken(let reason):
            .insecure(server: server, reason: "\(reason); does it speak TLS at this port?")
        }
    }
}

extension Connection {
    /// Goes through the handshake, in as many rounds as it takes.
    func shakeHands(over channel: SecureChannel, atMost patience: Duration) throws(ClientError) {
        try channel.begin()
        while !channel.isOpen {
            try flush(channel, atMost: patience)
            guard try takeIn(during: .connecting) == .nothing else {
                throw .cutOff(server: server, during: .connecting)
            }
            guard !channel.isOpen else { break }
            try flush(channel, atMost: patience)
            _ = try wait(for: POLLIN, during: .connecting, atMost: patience)
        }
        try flush(channel, atMost: patience)
    }

    private func flush(_ channel: SecureChannel, atMost patience: Duration) throws(ClientError) {
        while true {
            switch channel.flush(to: descriptor) {
            case .took: return
            case .full: _ = try wait(for: POLLOUT, during: .connecting, atMost: patience)
            case .closed, nil: throw .cutOff(server: server, during: .connecting)
            }
        }
    }

    /// Decrypts what has come, without waiting.
    func takeIn(
        through channel: SecureChannel, during step: ClientError.Step
    ) throws(ClientError) -> Arrival {
        let before = unread.count
        guard !channel.hasEnded else { return .end }
        guard let count = try receive(into: channel.scratch, during: step) else { return .nothing }
        // An end that the server did not say may be somebody else's doing.
        guard count > 0 else { throw .cutOff(server: server, during: step) }
        var input = UnsafeRawBufferPointer(rebasing: channel.scratch[..<count])
        while true {
            makeRoom()
            let room = UnsafeMutableRawBufferPointer(rebasing: storage[unread.upperBound...])
            switch try channel.read(&input, into: room) {
            case .bytes(let count): unread = unread.lowerBound..<unread.upperBound + count
            case .nothing: return unread.count > before ? .bytes : .nothing
            case .end: return unread.count > before ? .bytes : .end
            }
        }
    }

    /// Offers bytes to the socket, encrypted; they count as taken once the socket has all that they became.
    func offer(
        _ bytes: UnsafeRawBufferPointer, through channel: SecureChannel
    ) throws(ClientError) -> SendOutcome {
        try channel.write(bytes)
        guard let outcome = channel.flush(to: descriptor) else {
            throw .cutOff(server: server, during: .sending)
        }
        return outcome
    }
}
