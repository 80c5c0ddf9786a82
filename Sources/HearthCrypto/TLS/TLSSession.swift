// One end of an encrypted connection: bytes of the network in, bytes of the application out, and back.
import COpenSSL

/// A TLS session of 1.2 or 1.3 that knows no socket: whoever holds it moves the bytes.
///
///     network ─▶ read ─▶ application          read: also answers for the network (handshake, alerts)
///     network ◀─ write ◀─ application
///
/// The handshake happens inside `read`, with the first bytes of the client. Between two calls a session holds
/// no buffer, unless a record has come in part. It belongs to one thread at a time.
public struct TLSSession: ~Copyable {
    /// What came of reading.
    public enum Reading: Equatable, Sendable {
        /// So many bytes for the application were written, at least one; there may be more.
        case bytes(Int)
        /// All input is used up, and more is needed.
        case needsInput
        /// The other side has said that it will send no more.
        case ended
        /// The session is broken; an alert for the other side may have been written.
        case failed(TLSFailure)
    }

    private let session: OpaquePointer
    private let end: OpaquePointer

    /// Begins a server's end.
    public init(server context: TLSServerContext) {
        self.init(of: context.pointer)
        SSL_set_accept_state(session)
    }

    init(of context: OpaquePointer) {
        guard let session = SSL_new(context) else {
            fatalError("OpenSSL cannot begin a session; memory may have run out")
        }
        self.session = session
        end = TLSTransferMethod.makeEnd()
        SSL_set_bio(session, end, end)
    }

    deinit {
        SSL_free(session)
    }

    /// Whether the handshake is done, so that the application may write.
    public var isOpen: Bool { SSL_is_init_finished(session) == 1 }

    /// Whether keys of an earlier session were used again instead of a full handshake.
    public var isResumed: Bool { SSL_session_reused(session) == 1 }

    /// The protocol's name, for instance `TLSv1.3`; meaningful once the session is open.
    public var version: String { SSL_get_version(session).map { String(cString: $0) } ?? "" }

    /// The application's protocol that both sides chose (ALPN), for instance `http/1.1`; nil for none.
    public var applicationProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &start, &count)
        guard let start, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Takes in bytes of the network and hands out bytes of the application.
    ///
    /// - Parameters:
    ///   - input: what has come; what is used is removed from its front. The session keeps no pointer to it.
    ///   - plain: where bytes for the application go; not empty.
    ///   - output: what must go to the other side is appended.
    public mutating func read(
        _ input: inout UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer,
        output: inout [UInt8]
    ) -> Reading {
        var count = 0
        let code = transferring(&input, &output) { session in
            SSL_read_ex(session, plain.baseAddress, plain.count, &count)
        }
        switch code {
        case SSL_ERROR_NONE: return .bytes(count)
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(failure())
        }
    }

    /// Encrypts all of `plain` and appends it to `output`.
    ///
    /// - Precondition: the session is open and has not been ended from here.
    /// - Returns: a failure when the session is broken; nil otherwise.
    public mutating func write(_ plain: UnsafeRawBufferPointer, output: inout [UInt8]) -> TLSFailure? {
        guard !plain.isEmpty else { return nil }
        var none = UnsafeRawBufferPointer(start: nil, count: 0)
        var count = 0
        let code = transferring(&none, &output) { session in
            SSL_write_ex(session, plain.baseAddress, plain.count, &count)
        }
        // Without partial writes it is all or nothing, and the output takes everything.
        return code == SSL_ERROR_NONE ? nil : failure()
    }

    /// Begins the handshake from the client's end.
    public mutating func begin(output: inout [UInt8]) -> TLSFailure? {
        var none = UnsafeRawBufferPointer(start: nil, count: 0)
        let code = transferring(&none, &output) { SSL_do_handshake($0) }
        return code == SSL_ERROR_NONE || code == SSL_ERROR_WANT_READ ? nil : failure()
    }

    /// Says that nothing more will come from here (`close_notify`); what the other side still sends can be
    /// read. Nothing is said before the handshake is done, or after a failure.
    public mutating func end(output: inout [UInt8]) {
        guard isOpen else { return }
        var none = UnsafeRawBufferPointer(start: nil, count: 0)
        // A session that is already broken can say nothing, and need not.
        _ = transferring(&none, &output) { SSL_shutdown($0) < 0 ? -1 : 1 }
        ERR_clear_error()
    }

    /// Runs one call of OpenSSL over a transfer and returns what `SSL_get_error` says of it.
    private func transferring(
        _ input: inout UnsafeRawBufferPointer, _ output: inout [UInt8], _ call: (OpaquePointer) -> Int32
    ) -> Int32 {
        var transfer = TLSTransfer(input: input, output: [])
        swap(&transfer.output, &output)
        // An error that another call left behind would be taken for one of this.
        ERR_clear_error()
        let code = withUnsafeMutablePointer(to: &transfer) { pointer in
            BIO_set_data(end, pointer)
            defer { BIO_set_data(end, nil) }
            return SSL_get_error(session, call(session))
        }
        swap(&transfer.output, &output)
        input = transfer.input
        return code
    }

    private func failure() -> TLSFailure {
        let verdict = SSL_get_verify_result(session)
        if verdict != X509_V_OK, let text = X509_verify_cert_error_string(verdict) {
            ERR_clear_error()
            return .untrusted(String(cString: text))
        }
        return .broken(TLSFailure.takeReason())
    }
}

@available(*, unavailable)
extension TLSSession: Sendable {}

extension TLSSession {
    /// Begins a client's end; `begin` must follow.
    ///
    /// - Parameter host: a name or a numeric address, which the server's certificate must be for.
    public init(client context: TLSClientContext, host: String) {
        self.init(of: context.pointer)
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
        if !isAddress {
            guard SSL_set1_host(session, host) == 1 else {
                fatalError("OpenSSL cannot note a host name; memory may have run out")
            }
            var name = Array(host.utf8CString)
            // A name that is too long to be sent is not sent, and then no certificate is for it.
            _ = SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, &name)
        }
        ERR_clear_error()
        SSL_set_connect_state(session)
    }
}
