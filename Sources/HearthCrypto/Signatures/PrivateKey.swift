// Making key pairs and signing with them.
import COpenSSL

/// A private key that signs: for the server's own tokens, and for tests.
///
/// It may be used by many threads at once. Signing takes about 0.9 ms with RSA of 2,048 bits and 30 µs on
/// P-256, so RSA belongs on a worker. It has no description, so that it enters no log by mistake.
public struct PrivateKey: Sendable {
    /// The half that checks what this one signs.
    public let publicKey: PublicKey
    private let handle: KeyHandle

    private init(_ handle: KeyHandle) throws(KeyFault) {
        publicKey = try PublicKey(handle)
        self.handle = handle
    }

    /// Makes a new key: RSA of 2,048 bits (takes 0.1 to 1 s) or on P-256 (quick).
    ///
    /// A machine that cannot stops the process, as there is no going on without.
    public static func generate(_ algorithm: SignatureAlgorithm) -> PrivateKey {
        let name = algorithm == .rs256 ? "RSA" : "EC"
        guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else {
            fatalError("OpenSSL offers no keys of kind \(name)")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            algorithm == .rs256
                ? EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048) == 1
                : EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &pointer) == 1, let pointer,
            // A key just made in this kind and size passes its own checks; if not, there is none.
            let key = try? PrivateKey(KeyHandle(owning: pointer))
        else { fatalError("OpenSSL could not make a key of kind \(name)") }
        return key
    }

    /// Reads the first private key of a PEM text: PKCS #8 as `pem` writes it, or the older forms, never
    /// encrypted.
    ///
    /// - Throws: `KeyFault` for anything else.
    public init(pem text: String) throws(KeyFault) {
        let labels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]
        guard let block = try PEMBlock.blocks(in: text).first(where: { labels.contains($0.label) }) else {
            throw .wrongBlock(expected: "PRIVATE KEY")
        }
        guard let handle = KeyHandle.privateKey(block.bytes) else { throw .unreadable }
        try self.init(handle)
    }

    /// The key as PKCS #8 in PEM, not encrypted: a secret, for a file that its owner alone may read.
    public var pem: String {
        guard let info = EVP_PKEY2PKCS8(handle.pointer) else {
            fatalError("OpenSSL cannot write out a private key; memory may have run out")
        }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return PEMBlock(label: "PRIVATE KEY", bytes: handle.bytes { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }).text
    }

    /// Returns the signature over `message` in the form that tokens carry; see `SignatureAlgorithm`.
    ///
    /// On P-256 two signatures over the same message differ.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        let signature = signed(message)
        guard publicKey.algorithm == .es256 else { return signature }
        return PrivateKey.numbers(of: signature)
    }

    private func signed(_ message: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else {
            fatalError("OpenSSL cannot begin to sign; memory may have run out")
        }
        defer { EVP_MD_CTX_free(context) }
        return [UInt8](unsafeUninitializedCapacity: Int(EVP_PKEY_get_size(handle.pointer))) { buffer, count in
            count = buffer.count
            guard EVP_DigestSignInit(context, nil, SHA256.algorithm, nil, handle.pointer) == 1,
                EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count) == 1
            else { fatalError("OpenSSL could not sign; memory may have run out") }
        }
    }

    /// r and s of a signature that OpenSSL made, 32 bytes each.
    private static func numbers(of signature: [UInt8]) -> [UInt8] {
        let parsed: OpaquePointer? = signature.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &place, buffer.count)
        }
        guard let parsed else { preconditionFailure("OpenSSL cannot read its own signature") }
        defer { ECDSA_SIG_free(parsed) }
        return [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = 64
            guard let start = buffer.baseAddress,
                BN_bn2binpad(ECDSA_SIG_get0_r(parsed), start, 32) == 32,
                BN_bn2binpad(ECDSA_SIG_get0_s(parsed), start + 32, 32) == 32
            else { preconditionFailure("r and s of a signature on P-256 have at most 32 bytes") }
        }
    }
}
