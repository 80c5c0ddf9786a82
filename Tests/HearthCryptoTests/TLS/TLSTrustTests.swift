// Whom a client believes, and what a server takes for its identity.
import HearthCrypto
import HearthTesting
import Testing

@Suite("Trust in TLS")
struct TLSTrustTests {
    private func outcome(
        _ server: TLSServerContext, _ client: TLSClientContext, host: String
    ) -> TLSSession.Reading {
        let pair = TLSPair(server, client, host: host)
        pair.exchange()
        return pair.client.last
    }

    @Test("is given to the name and the address in the certificate, and to no other")
    func hosts() throws {
        let authority = TestAuthority()
        let server = try authority.serverContext(for: ["chat.example", "*.chat.example", "127.0.0.1"])
        let client = try authority.clientContext()
        for host in ["chat.example", "a.chat.example", "127.0.0.1"] {
            #expect(outcome(server, client, host: host) == .needsInput)
        }
        #expect(
            outcome(server, client, host: "other.example") == .failed(.untrusted("hostname mismatch")))
        #expect(
            outcome(server, client, host: "a.b.chat.example") == .failed(.untrusted("hostname mismatch")))
        #expect(
            outcome(server, client, host: "127.0.0.2") == .failed(.untrusted("IP address mismatch")))
    }

    @Test("is refused to an authority that the client does not know")
    func unknownAuthority() throws {
        let server = try TestAuthority().serverContext()
        for client in [try TestAuthority(named: "another").clientContext(), TLSClientContext()] {
            guard case .failed(.untrusted(let reason)) = outcome(server, client, host: "localhost") else {
                Issue.record("it was believed")
                return
            }
            #expect(reason.contains("issuer certificate"))
        }
    }

    @Test("is refused to a certificate that has expired or is not valid yet")
    func dates() throws {
        let authority = TestAuthority()
        let client = try authority.clientContext()
        let cases: [(ClosedRange<Int64>, String)] = [
            (1_577_836_800...1_600_000_000, "certificate has expired"),
            (2_400_000_000...2_493_072_000, "certificate is not yet valid"),
        ]
        for (validity, reason) in cases {
            let identity = authority.identity(validity: validity)
            let server = try TLSServerContext(
                chain: Array(identity.certificate.utf8), key: Array(identity.key.utf8))
            #expect(server.validity == validity)
            #expect(outcome(server, client, host: "localhost") == .failed(.untrusted(reason)))
        }
    }

    @Test("may be given to a server's own certificate")
    func pinned() throws {
        let identity = TestAuthority().identity()
        let server = try TLSServerContext(
            chain: Array(identity.certificate.utf8), key: Array(identity.key.utf8))
        let client = try TLSClientContext(trusting: Array(identity.certificate.utf8))
        #expect(outcome(server, client, host: "localhost") == .needsInput)
    }

    @Test("is not offered by a server whose files do not fit, with what to do")
    func identityFaults() {
        let authority = TestAuthority()
        let one = authority.identity()
        let other = authority.identity()
        let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
        let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let cases: [(chain: String, key: String, fault: TLSIdentityFault)] = [
            ("", one.key, .noCertificate), ("hello", one.key, .noCertificate),
            (one.key, one.key, .noCertificate), (damaged, one.key, .damagedCertificate),
            (one.certificate, "", .noKey), (one.certificate, one.certificate, .noKey),
            (one.certificate, encrypted, .encryptedKey), (one.certificate, other.key, .otherKey),
            (authority.certificate + one.certificate, one.key, .otherKey),
            (one.certificate, damaged.replacing("CERTIFICATE", with: "PRIVATE KEY"), .damagedKey),
            (one.certificate, one.key.replacing("-----END", with: "----END"), .damagedBlock),
        ]
        for (chain, key, fault) in cases {
            #expect(throws: fault) {
                try TLSServerContext(chain: Array(chain.utf8), key: Array(key.utf8))
            }
            #expect(!fault.description.isEmpty)
        }
    }

    @Test("takes the files in one, and with words around")
    func oneFile() throws {
        let authority = TestAuthority()
        let identity = authority.identity()
        let text = "chain:\n" + identity.certificate + authority.certificate + "key:\n" + identity.key
        let server = try TLSServerContext(chain: Array(text.utf8), key: Array(text.utf8))
        #expect(outcome(server, try authority.clientContext(), host: "localhost") == .needsInput)
    }
}
