// Two ends of a TLS session with no network between them: bytes go where the test has them go.
import HearthCrypto
import HearthTesting

/// One end, with all that it has to say and all that it has heard.
final class TLSEnd {
    var session: TLSSession
    /// What the other end has not got yet.
    var output: [UInt8] = []
    /// What the application got.
    var heard: [UInt8] = []
    /// What it met last that were no bytes.
    var last: TLSSession.Reading = .needsInput

    init(_ session: consuming TLSSession) {
        self.session = session
    }

    var isOpen: Bool { session.isOpen }
    var isResumed: Bool { session.isResumed }

    /// Takes in bytes until they are used up, or the session is.
    ///
    /// - Parameter room: how many bytes of the application are taken at once.
    func take(_ bytes: [UInt8], room: Int = 16 << 10) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + room, alignment: 16)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        var input = UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
        let plain = UnsafeMutableRawBufferPointer(rebasing: copy[bytes.count...])
        while true {
            last = session.read(&input, into: plain, output: &output)
            guard case .bytes(let count) = last else { return }
            heard += plain[..<count]
        }
    }

    /// Says something to the other end.
    func say(_ bytes: [UInt8]) -> TLSFailure? {
        bytes.withUnsafeBytes { session.write($0, output: &output) }
    }

    /// What the other end is to get, once.
    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }
}

/// A client and a server that know each other's authority.
struct TLSPair {
    let client: TLSEnd
    let server: TLSEnd

    init(_ server: TLSServerContext, _ client: TLSClientContext, host: String = "localhost") {
        self.client = TLSEnd(TLSSession(client: client, host: host))
        self.server = TLSEnd(TLSSession(server: server))
        let failure = self.client.session.begin(output: &self.client.output)
        precondition(failure == nil, "a client cannot begin: \(String(describing: failure))")
    }

    /// Carries bytes to and fro until nobody has anything to say.
    func exchange() {
        while !client.output.isEmpty || !server.output.isEmpty {
            server.take(client.takeOutput())
            client.take(server.takeOutput())
        }
    }
}

extension TestAuthority {
    /// A server's context with a certificate of this authority.
    func serverContext(
        for hosts: [String] = ["localhost", "127.0.0.1"], _ algorithm: SignatureAlgorithm = .es256
    ) throws(TLSIdentityFault) -> TLSServerContext {
        let identity = identity(for: hosts, algorithm)
        return try TLSServerContext(chain: Array(identity.certificate.utf8), key: Array(identity.key.utf8))
    }

    /// A client's context that believes this authority alone.
    func clientContext() throws(TLSIdentityFault) -> TLSClientContext {
        try TLSClientContext(trusting: Array(certificate.utf8))
    }
}
