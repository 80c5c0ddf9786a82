// Why a token is not taken.

/// Why a token is not taken. The reason is for logs; the client is told `clientText`. Neither contains a
/// part of the token.
public enum TokenRefusal: String, Error, Equatable, Sendable, CaseIterable {
    /// Longer than `TokenVerifier.byteLimit`.
    case tooLong = "it is too long"
    /// Not three parts between dots.
    case malformed = "it has not three parts"
    /// A part that is no base64url, or has padding or stray bits.
    case badEncoding = "a part of it is no base64url"
    /// A header that is no JSON object with an algorithm, or is of another type than JWT.
    case badHeader = "its header is not a JWT's"
    /// A header that demands extensions to be understood.
    case critical = "its header demands an extension"
    /// Claims that are no JSON object, have a name twice or a value of the wrong kind.
    case badClaims = "its claims cannot be read"
    /// An unsigned token, where those are not accepted.
    case unsigned = "it is not signed"
    /// Signed by another algorithm than its issuer's.
    case wrongAlgorithm = "it is not signed by its issuer's algorithm"
    /// From an issuer that is not configured.
    case unknownIssuer = "its issuer is not configured"
    /// A key ID that the issuer's keys do not have.
    case unknownKey = "its key ID is not among its issuer's keys"
    /// The signature does not belong to the token.
    case badSignature = "its signature is wrong"
    /// Meant for another project.
    case wrongAudience = "it is meant for another audience"
    /// A token for another purpose, such as a custom token or a session cookie.
    case otherPurpose = "it is not an ID token"
    /// Its time is over.
    case expired = "its time is over"
    /// Its time, or the signing in it speaks of, lies ahead: one of the clocks is wrong.
    case notYetValid = "it is from the future; check the clocks"
    /// It names no user, an empty one, one of more than 128 bytes, or two.
    case badSubject = "it does not name one user"

    /// What the client is told, to the letter that clients know (rest-api.md §11).
    public var clientText: String {
        self == .expired ? "Auth token is expired" : "Could not parse auth token."
    }
}

extension TokenRefusal: CustomStringConvertible {
    /// For logs.
    public var description: String { "the token is refused: \(rawValue)" }
}
