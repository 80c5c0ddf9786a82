// Who a server is: its certificates and its private key, as they stand in files.
import COpenSSL

/// One certificate that OpenSSL holds.
final class TLSCertificate {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }

    /// Reads all certificates of a PEM text, in their order; other blocks are left out.
    static func all(in pem: [UInt8]) throws(TLSIdentityFault) -> [TLSCertificate] {
        let labels = ["CERTIFICATE", "X509 CERTIFICATE"]
        let blocks = try TLSIdentity.blocks(in: pem, or: .noCertificate).filter { labels.contains($0.label) }
        guard !blocks.isEmpty else { throw .noCertificate }
        var certificates: [TLSCertificate] = []
        for block in blocks {
            let pointer = block.bytes.withUnsafeBufferPointer { bytes in
                var place = bytes.baseAddress
                return d2i_X509(nil, &place, bytes.count)
            }
            guard let pointer else {
                ERR_clear_error()
                throw .damagedCertificate
            }
            certificates.append(TLSCertificate(owning: pointer))
        }
        return certificates
    }

    /// From when until when it is valid, in seconds since 1970.
    func validity() throws(TLSIdentityFault) -> ClosedRange<Int64> {
        guard let from = TLSCertificate.seconds(of: X509_get0_notBefore(pointer)),
            let until = TLSCertificate.seconds(of: X509_get0_notAfter(pointer)), from <= until
        else { throw .damagedCertificate }
        return from...until
    }

    private static func seconds(of time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            ERR_clear_error()
            return nil
        }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}

/// A chain of certificates with the private key of the first.
struct TLSIdentity {
    let leaf: TLSCertificate
    private let others: [TLSCertificate]
    private let key: KeyHandle

    init(chain: [UInt8], key: [UInt8]) throws(TLSIdentityFault) {
        let certificates = try TLSCertificate.all(in: chain)
        self.key = try TLSIdentity.privateKey(in: key)
        leaf = certificates[0]
        others = Array(certificates.dropFirst())
        guard X509_check_private_key(leaf.pointer, self.key.pointer) == 1 else {
            ERR_clear_error()
            throw .otherKey
        }
    }

    /// Has a context show the chain and sign with the key.
    func install(in context: OpaquePointer) throws(TLSIdentityFault) {
        ERR_clear_error()
        guard SSL_CTX_use_certificate(context, leaf.pointer) == 1,
            SSL_CTX_use_PrivateKey(context, key.pointer) == 1
        else { throw .notUsable(reason: TLSFailure.takeReason()) }
        for certificate in others {
            // The 1 has OpenSSL take a reference of its own.
            let pointer = UnsafeMutableRawPointer(certificate.pointer)
            guard SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, pointer) == 1 else {
                throw .notUsable(reason: TLSFailure.takeReason())
            }
        }
    }

    private static func privateKey(in pem: [UInt8]) throws(TLSIdentityFault) -> KeyHandle {
        let labels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]
        let all = try blocks(in: pem, or: .noKey)
        if all.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) { throw .encryptedKey }
        guard let block = all.first(where: { labels.contains($0.label) }) else { throw .noKey }
        guard let key = KeyHandle.privateKey(block.bytes) else { throw .damagedKey }
        return key
    }

    static func blocks(
        in pem: [UInt8], or missing: TLSIdentityFault
    ) throws(TLSIdentityFault) -> [PEMBlock] {
        do throws(KeyFault) {
            return try PEMBlock.blocks(in: String(decoding: pem, as: UTF8.self))
        } catch .noBlock {
            throw missing
        } catch {
            throw .damagedBlock
        }
    }
}

/// Why certificates and a key are no identity; nothing of the key is in the text.
public enum TLSIdentityFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// No certificate stands in the text that should have some.
    case noCertificate
    /// A certificate that cannot be read.
    case damagedCertificate
    /// No private key stands in the text that should have one.
    case noKey
    /// The key needs a passphrase.
    case encryptedKey
    /// A private key that cannot be read.
    case damagedKey
    /// A PEM block that does not end, is no base64, or has headers as encrypted keys of old have.
    case damagedBlock
    /// The key is not the one of the first certificate.
    case otherKey
    /// OpenSSL does not take them, for instance because the key is too short.
    case notUsable(reason: String)

    /// Whether it is the key's text that is wrong, not the certificates'; nil if that is not known.
    public var isOfKey: Bool? {
        switch self {
        case .noCertificate, .damagedCertificate: false
        case .noKey, .encryptedKey, .damagedKey: true
        case .damagedBlock, .otherKey, .notUsable: nil
        }
    }

    /// One sentence with what to do about it.
    public var description: String {
        switch self {
        case .noCertificate:
            "there is no certificate in it; it begins with a line -----BEGIN CERTIFICATE-----"
        case .damagedCertificate: "a certificate in it is damaged; fetch it again from its authority"
        case .noKey: "there is no private key in it; it begins with a line -----BEGIN PRIVATE KEY-----"
        case .encryptedKey:
            "the private key has a passphrase; write it out without one: openssl pkey -in FILE -out FILE"
        case .damagedKey: "the private key in it is damaged or of an unknown kind; make a new one"
        case .damagedBlock: "a PEM block is damaged or encrypted; write it out again, without a passphrase"
        case .otherKey:
            "the private key is not that of the first certificate; give the key that it was made with, "
                + "and put the server's own certificate before those of the authorities"
        case .notUsable(let reason):
            "they cannot be used (\(reason)); RSA keys need 2048 bits or more, or use one on P-256"
        }
    }
}
