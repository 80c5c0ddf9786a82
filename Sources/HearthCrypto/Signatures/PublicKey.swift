// Checking signatures with the public half of a key pair.
import COpenSSL

/// A public key that signatures are checked with: RSA of 2,048 to 8,192 bits, or on the curve P-256.
///
/// It may be used by many threads at once. Checking one signature takes some 30 µs for RSA of 2,048 bits and
/// 90 µs on P-256.
public struct PublicKey: Sendable {
    /// How long an RSA modulus may be: shorter ones can be broken, longer ones cost too much to check.
    public static let modulusBits = 2_048...8_192

    /// The only algorithm this key is used for.
    public let algorithm: SignatureAlgorithm
    /// The key in the form that certificates hold (RFC 5280 §4.1.2.7), in one fixed encoding.
    public let subjectPublicKeyInfo: [UInt8]

    let handle: KeyHandle

    /// Checks what `handle` holds.
    init(_ handle: KeyHandle) throws(KeyFault) {
        if EVP_PKEY_is_a(handle.pointer, "RSA") == 1 {
            try PublicKey.checkRSA(handle)
            algorithm = .rs256
        } else if EVP_PKEY_is_a(handle.pointer, "EC") == 1, handle.curve == "prime256v1" {
            algorithm = .es256
        } else {
            throw .wrongKind
        }
        self.handle = handle
        subjectPublicKeyInfo = handle.publicBytes
    }

    /// Makes an RSA key from its numbers, big-endian, as a JWK holds them (`n`, `e`).
    ///
    /// - Throws: `KeyFault` for a size or an exponent that is not safe.
    public init(modulus: [UInt8], exponent: [UInt8]) throws(KeyFault) {
        // Checked before OpenSSL sees it, so that no text can make it compute with huge numbers.
        let limit = PublicKey.modulusBits.upperBound / 8
        let digits = modulus.drop { $0 == 0 }
        guard digits.count <= limit else { throw .modulusSize(bits: digits.count * 8) }
        guard exponent.drop(while: { $0 == 0 }).count <= 8 else { throw .weakExponent }
        let numbers = DER.sequence(DER.integer(digits), DER.integer(exponent))
        try self.init(subjectPublicKeyInfo: DER.sequence(DER.rsaEncryption, DER.bitString(numbers)))
    }

    /// Makes a key on P-256 from the coordinates of its point as a JWK holds them: 32 bytes, big-endian.
    ///
    /// - Throws: `KeyFault` for another length, and for a point that is not on the curve.
    public init(x: [UInt8], y: [UInt8]) throws(KeyFault) {
        for coordinate in [x, y] where coordinate.count != 32 {
            throw .coordinateSize(byteCount: coordinate.count)
        }
        try self.init(subjectPublicKeyInfo: DER.sequence(DER.p256, DER.bitString([0x04] + x + y)))
    }

    /// Reads a key in the form that certificates hold.
    ///
    /// - Throws: `KeyFault` for anything else, and for bytes that follow it.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(KeyFault) {
        guard let handle = KeyHandle.publicKey(der) else { throw .unreadable }
        try self.init(handle)
    }

    /// Reads all keys of a PEM text: `PUBLIC KEY` blocks and the keys of `CERTIFICATE` blocks.
    ///
    /// A certificate is only a wrapping here: its issuer, its dates and its own signature are not checked, as
    /// whoever configures it says that it is trusted.
    /// - Throws: `KeyFault` for a text without such blocks, and if one of them is no key or of another kind.
    public static func keys(inPEM text: String) throws(KeyFault) -> [PublicKey] {
        var keys: [PublicKey] = []
        for block in try PEMBlock.blocks(in: text) {
            let handle: KeyHandle?
            switch block.label {
            case "PUBLIC KEY": handle = KeyHandle.publicKey(block.bytes)
            case "CERTIFICATE": handle = KeyHandle.certificate(block.bytes)
            default: throw .wrongBlock(expected: "PUBLIC KEY or CERTIFICATE")
            }
            guard let handle else { throw .unreadable }
            keys.append(try PublicKey(handle))
        }
        return keys
    }

    /// The key as a PEM text.
    public var pem: String {
        PEMBlock(label: "PUBLIC KEY", bytes: subjectPublicKeyInfo).text
    }

    private static func checkRSA(_ handle: KeyHandle) throws(KeyFault) {
        let bits = Int(EVP_PKEY_get_bits(handle.pointer))
        guard modulusBits.contains(bits) else { throw .modulusSize(bits: bits) }
        guard let exponent = handle.number("e"), let last = exponent.last else { throw .unreadable }
        guard last & 1 == 1, exponent != [1], exponent.count <= 8 else { throw .weakExponent }
    }
}

extension PublicKey {
    /// Returns whether `signature` was made over `message` by the private half of this key.
    ///
    /// A signature of any other length than the algorithm's, and r or s outside of the curve's order, is
    /// simply wrong.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch algorithm {
        case .rs256:
            guard signature.count == Int(EVP_PKEY_get_size(handle.pointer)) else { return false }
            return check(signature, of: message)
        case .es256:
            guard signature.count == 64 else { return false }
            let numbers = DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...]))
            return check(numbers, of: message)
        }
    }

    private func check(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else {
            fatalError("OpenSSL cannot begin to check a signature; memory may have run out")
        }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, SHA256.algorithm, nil, handle.pointer) == 1 else {
            fatalError("OpenSSL cannot check signatures with a key that it took; memory may have run out")
        }
        let result = EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // Anything but 1 is a wrong signature; its reasons would otherwise pile up in the thread's queue.
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}

extension PublicKey {
    /// The numbers of a key, big-endian, as a JWK holds them.
    public enum Numbers: Equatable, Sendable {
        /// Without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
    }

    /// The numbers of this key, to publish it as a JWK.
    public var numbers: Numbers {
        func number(_ name: String) -> [UInt8] {
            guard let number = handle.number(name) else {
                preconditionFailure("a key of this algorithm has the number '\(name)'")
            }
            return number
        }
        func coordinate(_ name: String) -> [UInt8] {
            let digits = number(name)
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
        return switch algorithm {
        case .rs256: .rsa(modulus: number("n"), exponent: number("e"))
        case .es256: .p256(x: coordinate("qx"), y: coordinate("qy"))
        }
    }
}
