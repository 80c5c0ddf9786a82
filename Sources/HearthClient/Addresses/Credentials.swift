// Who asks.

/// What a request carries to say who asks. It never stands in an error or a log.
public enum Credentials: Equatable, Sendable {
    /// Nobody in particular.
    case none
    /// The administrator's token, or an access token of a service account; goes into the Authorization
    /// header.
    case administrator(token: String)
    /// A user's ID token; goes into the query as `auth`, as Firebase's clients send it.
    case user(token: String)

    /// Tells the two kinds of token apart: an ID token has exactly two dots, as JSON Web Tokens do.
    ///
    /// Returns nil for a text that no token can be: empty, or with blanks or characters beyond ASCII.
    public init?(token: String) {
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        let dots = token.utf8.count { $0 == UInt8(ascii: ".") }
        self = dots == 2 ? .user(token: token) : .administrator(token: token)
    }
}
