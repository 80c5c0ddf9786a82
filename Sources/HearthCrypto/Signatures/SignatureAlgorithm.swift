// Which signatures of key pairs are made and checked.

/// An algorithm for signatures by a private key, under its name in tokens (RFC 7518 §3.1).
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// RSA with PKCS #1 v1.5 padding and SHA-256; a signature is as long as the modulus.
    case rs256 = "RS256"
    /// ECDSA on the curve P-256 with SHA-256; a signature is r and s, 32 bytes each, big-endian.
    case es256 = "ES256"
}
