// What a token is good for once it is verified.
public import HearthCore

/// Who a token stands for, and until when. Times are in milliseconds since 1970.
public struct VerifiedToken: Sendable, Hashable {
    /// The user, also `auth.uid`: 1 to 128 bytes.
    public let uid: String
    /// What rules see.
    public let auth: Auth
    /// When it was made (`iat`), which must not lie before the user's `validSince`; nil if it does not say,
    /// as unsigned ones may.
    public let issuedAt: Int64?
    /// When its user signed in (`auth_time`), nil if it does not say.
    public let signedInAt: Int64?
    /// When its time is over (`exp`), nil if that is not looked at (unsigned tokens).
    public let expiresAt: Int64?
    /// The first moment at which it is refused: `expiresAt` and the leeway for clocks that differ. Streams
    /// that run on this token end then. Nil if it never expires.
    public let refusedFrom: Int64?

    /// The way of signing in: `password`, `anonymous`, `custom`, …; nil if the token does not say.
    public var provider: String? { auth.variable.member("provider").text }

    /// All claims of the token.
    public var claims: Claims { auth.variable.member("token") }

    /// Whether its time is not over at `now`.
    public func isCurrent(at now: Int64) -> Bool {
        refusedFrom.map { now < $0 } ?? true
    }
}

extension VerifiedToken {
    /// The times of a signed token.
    struct Times {
        let issuedAt: Int64
        let signedInAt: Int64?
        let expiresAt: Int64
    }

    init(uid: String, auth: Auth, times: Times, leeway: Int64) {
        self.init(
            uid: uid, auth: auth, issuedAt: times.issuedAt, signedInAt: times.signedInAt,
            expiresAt: times.expiresAt, refusedFrom: times.expiresAt + leeway)
    }
}
