// What all sessions of one server, or of one client, have in common.
import COpenSSL

/// A server's certificate, its private key and what it speaks: TLS 1.2 and 1.3 with forward secrecy alone,
/// `http/1.1`, no renegotiation, no compression, no early data; sessions go on by tickets, so that the server
/// keeps none.
///
/// Sessions keep their context alive; it may be used by many threads at once. The keys of its tickets are its
/// own: no session of another context goes on here.
public final class TLSServerContext: Sendable {
    // Safe to share between threads: it is not changed after its beginning, OpenSSL locks what it caches.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// From when and until when the certificate is valid, in seconds since 1970.
    public let validity: ClosedRange<Int64>

    /// - Parameters:
    ///   - chain: the server's certificate, then those that lead to the authority, as PEM.
    ///   - key: the private key of the first one as PEM, not encrypted.
    /// - Throws: `TLSIdentityFault` with what to do.
    public init(chain: [UInt8], key: [UInt8]) throws(TLSIdentityFault) {
        let identity = try TLSIdentity(chain: chain, key: key)
        validity = try identity.leaf.validity()
        let context = TLSContext.make(TLS_server_method())
        do throws(TLSIdentityFault) {
            try identity.install(in: context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        // Tickets alone carry sessions on; without a cache there is nothing to lock or to grow.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        let name = Array("hearth".utf8)
        SSL_CTX_set_session_id_context(context, name, UInt32(name.count))
        SSL_CTX_set_timeout(context, 24 * 3600)
        SSL_CTX_set_alpn_select_cb(context, chooseProtocol, nil)
        pointer = context
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}

/// Whose certificates a client believes.
public final class TLSClientContext: Sendable {
    // Safe to share between threads: it is not changed after its beginning, OpenSSL locks what it caches.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Believes the authorities that the machine believes.
    public init() {
        pointer = TLSContext.makeClient()
        // Without a store of the system no certificate is believed, and the reason says so.
        SSL_CTX_set_default_verify_paths(pointer)
        ERR_clear_error()
    }

    /// Believes these certificates alone, whether they are authorities' or servers' own.
    ///
    /// - Throws: `TLSIdentityFault` for a text without certificates or with a damaged one.
    public init(trusting certificates: [UInt8]) throws(TLSIdentityFault) {
        let trusted = try TLSCertificate.all(in: certificates)
        pointer = TLSContext.makeClient()
        let store = SSL_CTX_get_cert_store(pointer)
        for certificate in trusted {
            guard X509_STORE_add_cert(store, certificate.pointer) == 1 else {
                fatalError("OpenSSL cannot note a certificate; memory may have run out")
            }
        }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}

/// What servers and clients set the same.
enum TLSContext {
    /// With these, a key that is stolen later opens nothing that was said before.
    private static let ciphers = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
        ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """
    /// The same for 1.3, where all of them have it.
    private static let suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let groups = "X25519:P-256:P-384"
    /// The protocols of the application, each after its length.
    static let protocols: [UInt8] = [8] + Array("http/1.1".utf8)

    static func make(_ method: OpaquePointer?) -> OpaquePointer {
        guard let context = SSL_CTX_new(method) else {
            fatalError("OpenSSL offers no TLS: \(TLSFailure.takeReason())")
        }
        SSL_CTX_set_options(context, hearth_tls_options)
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, hearth_tls_mode, nil)
        SSL_CTX_set_security_level(context, 2)
        var names = Array(groups.utf8CString)
        guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
            SSL_CTX_set_cipher_list(context, ciphers) == 1,
            SSL_CTX_set_ciphersuites(context, suites) == 1,
            SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, &names) == 1
        else { fatalError("OpenSSL offers no safe TLS: \(TLSFailure.takeReason())") }
        return context
    }

    static func makeClient() -> OpaquePointer {
        let context = make(TLS_client_method())
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        // Of all functions of OpenSSL this one returns 0 when it is well.
        guard SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) == 0 else {
            fatalError("OpenSSL cannot note a protocol; memory may have run out")
        }
        return context
    }
}

/// Takes `http/1.1` if the client speaks it; a client that names only others is told so (RFC 7301 §3.2).
private func chooseProtocol(
    _ session: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let wanted = TLSContext.protocols.dropFirst()
    var rest = UnsafeBufferPointer(start: offered, count: Int(offeredCount))[...]
    while let first = rest.first {
        let name = rest.dropFirst().prefix(Int(first))
        if name.elementsEqual(wanted), let start = UnsafeBufferPointer(rebasing: name).baseAddress {
            // It points into the client's own list, which OpenSSL keeps for as long as it needs it.
            chosen?.pointee = start
            length?.pointee = first
            return SSL_TLSEXT_ERR_OK
        }
        rest = rest.dropFirst(1 + Int(first))
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
