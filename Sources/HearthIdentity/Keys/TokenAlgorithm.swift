// The algorithms of signed tokens.
public import HearthCrypto

/// How the tokens of an issuer are signed, under the names of RFC 7518 §3.1. Nothing else is ever accepted.
public enum TokenAlgorithm: String, Sendable, CaseIterable {
    /// RSA with PKCS #1 v1.5 padding and SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// HMAC with SHA-256: issuer and verifier share a secret.
    case hs256 = "HS256"

    /// The algorithm of tokens signed by keys for `signatures`.
    public init(_ signatures: SignatureAlgorithm) {
        switch signatures {
        case .rs256: self = .rs256
        case .es256: self = .es256
        }
    }
}
