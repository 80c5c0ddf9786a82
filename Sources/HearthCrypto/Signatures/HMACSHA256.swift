// Authentication by a secret that both sides know: HMAC with SHA-256 (RFC 2104).
import COpenSSL

/// HMAC-SHA256, which is `HS256` in tokens.
public enum HMACSHA256 {
    /// Returns the code of `message` under `secret`; both may be empty.
    ///
    /// Compare codes with `constantTimeEqual`, never with `==`.
    public static func code(for message: [UInt8], secret: [UInt8]) -> SHA256.Digest {
        withUnsafeTemporaryAllocation(byteCount: SHA256.Digest.byteCount, alignment: 8) { output in
            // OpenSSL takes a missing secret for "as before", so that an empty one needs an address too.
            let secretBytes = secret.isEmpty ? [0] : secret
            let result = HMAC(
                SHA256.algorithm, secretBytes, Int32(secret.count), message, message.count,
                output.baseAddress, nil)
            precondition(result != nil, "OpenSSL could not compute an HMAC")
            return SHA256.Digest(loading: UnsafeRawBufferPointer(output))
        }
    }
}
