// A key that OpenSSL holds.
import COpenSSL

/// Owns one reference to a key of OpenSSL and gives it back at the end.
final class KeyHandle: Sendable {
    // Safe to share between threads: a key is never changed once it is here, OpenSSL locks what it caches
    // inside and counts references atomically.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes over the reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Reads a public key in the form that certificates hold (RFC 5280 §4.1.2.7); nothing may follow it.
    static func publicKey(_ der: [UInt8]) -> KeyHandle? {
        read(der) { d2i_PUBKEY(nil, &$0, $1) }.map(KeyHandle.init(owning:))
    }

    /// Reads the public key out of a certificate, whose own signature and dates are not looked at.
    static func certificate(_ der: [UInt8]) -> KeyHandle? {
        guard let certificate = read(der, by: { d2i_X509(nil, &$0, $1) }) else { return nil }
        defer { X509_free(certificate) }
        guard let key = X509_get_pubkey(certificate) else {
            ERR_clear_error()
            return nil
        }
        return KeyHandle(owning: key)
    }

    /// Reads a private key that is not encrypted: PKCS #8, or the older forms of RSA and EC.
    static func privateKey(_ der: [UInt8]) -> KeyHandle? {
        read(der) { d2i_AutoPrivateKey(nil, &$0, $1) }.map(KeyHandle.init(owning:))
    }

    /// The public half in the form that certificates hold.
    var publicBytes: [UInt8] {
        bytes { i2d_PUBKEY(pointer, $0) }
    }

    /// The value of a named part of the key, big-endian without leading zeros; nil if it has none.
    func number(_ name: String) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else {
            ERR_clear_error()
            return nil
        }
        defer { BN_clear_free(number) }
        let count = (Int(BN_num_bits(number)) + 7) / 8
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = Int(BN_bn2bin(number, buffer.baseAddress))
        }
    }

    /// The name of the curve, for instance `prime256v1`, which is P-256; nil for other keys.
    var curve: String? {
        var name = [CChar](repeating: 0, count: 80)
        var length = 0
        guard EVP_PKEY_get_utf8_string_param(pointer, "group", &name, name.count, &length) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Asks an encoder of OpenSSL for the length, then for the bytes.
    func bytes(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = Int(encode(nil))
        precondition(count > 0, "OpenSSL could not write out a key that it holds")
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var end = buffer.baseAddress
            written = Int(encode(&end))
        }
    }

    /// Calls a decoder of OpenSSL, which must take in all of `der`.
    private static func read(
        _ der: [UInt8], by decode: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        let (result, isAll): (OpaquePointer?, Bool) = der.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            let result = decode(&place, buffer.count)
            return (result, place == buffer.baseAddress.map { $0 + buffer.count })
        }
        guard let result, isAll else {
            ERR_clear_error()
            return nil
        }
        return result
    }
}
