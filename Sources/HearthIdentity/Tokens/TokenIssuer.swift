// Whose tokens are taken, and what must be true of them.
import HearthCore

/// An issuer whose tokens are taken: one algorithm, its keys, and what its tokens must say.
public struct TokenIssuer: Sendable {
    /// By how many milliseconds clocks may differ unless told otherwise (accounts.md §5).
    public static let usualLeeway: Int64 = 30_000
    /// How long a legacy token is good that does not say itself.
    static let legacyLifetime: Int64 = 24 * 3_600_000

    enum Form: Sendable, Equatable {
        case identity(issuer: String, audiences: [String])
        case legacy
    }

    let form: Form
    let keys: TokenKeys
    let leeway: Int64

    /// An issuer of ID tokens.
    ///
    /// - Parameters:
    ///   - issuer: what `iss` must say, not empty.
    ///   - audiences: one of them must be in `aud`; at least one.
    ///   - keys: what it signs with.
    ///   - leeway: by how many milliseconds clocks may differ, 0 to 10 minutes.
    public init(
        issuer: String, audiences: [String], keys: TokenKeys, leeway: Int64 = usualLeeway
    ) {
        precondition(!issuer.isEmpty && !audiences.isEmpty, "an issuer has a name and an audience")
        precondition(0...600_000 ~= leeway, "clocks may differ by at most 10 minutes")
        form = .identity(issuer: issuer, audiences: audiences)
        self.keys = keys
        self.leeway = leeway
    }

    /// The issuer of a project's ID tokens: `iss` is `https://securetoken.google.com/<project>`, `aud` the
    /// project (accounts.md §5).
    public static func project(
        _ project: String, keys: TokenKeys, leeway: Int64 = usualLeeway
    ) -> TokenIssuer {
        TokenIssuer(
            issuer: "https://securetoken.google.com/\(project)", audiences: [project], keys: keys,
            leeway: leeway)
    }

    /// Whoever knows the secret of a database's legacy tokens: `{"v":0,"iat":…,"d":{"uid":…}}`, where `d` is
    /// the variable `auth`. They have neither issuer nor audience, so the secret must serve nothing else.
    ///
    /// - Precondition: `keys` are a secret; legacy tokens know no other.
    public static func legacy(_ keys: TokenKeys, leeway: Int64 = usualLeeway) -> TokenIssuer {
        precondition(keys.algorithm == .hs256, "legacy tokens are signed by a secret")
        return TokenIssuer(form: .legacy, keys: keys, leeway: leeway)
    }

    private init(form: Form, keys: TokenKeys, leeway: Int64) {
        self.form = form
        self.keys = keys
        self.leeway = leeway
    }

    /// Whether a token that says `claims` would be this issuer's, if its signature is right.
    func isNamed(in claims: [String: Claims]) -> Bool {
        switch form {
        case .identity(let issuer, _): claims["iss"] == .leaf(.string(issuer))
        case .legacy: claims["iss"] == nil && claims["v"] != nil && claims["d"] != nil
        }
    }

    /// Checks what a token says whose signature is right.
    func check(_ claims: [String: Claims], at now: Int64) throws(TokenRefusal) -> VerifiedToken {
        let reading = ClaimsReading(claims: claims)
        switch form {
        case .identity(_, let audiences):
            guard reading.isMeant(for: audiences) else { throw .wrongAudience }
            guard let expiresAt = try reading.time("exp") else { throw .badClaims }
            let times = try check(reading, expiresAt: expiresAt, at: now)
            let uid = try reading.uid(["sub", "user_id"])
            guard claims["sub"]?.text != nil else { throw .badSubject }
            let auth = Auth(user: uid, provider: reading.provider, token: claims)
            return VerifiedToken(uid: uid, auth: auth, times: times, leeway: leeway)
        case .legacy:
            return try checkLegacy(reading, at: now)
        }
    }

    /// `d` is the variable, to which provider and token are added where it has none. A token that makes its
    /// bearer an administrator is refused: the administrator's token is another one.
    private func checkLegacy(_ reading: ClaimsReading, at now: Int64) throws(TokenRefusal) -> VerifiedToken {
        guard reading.claims["v"] == .leaf(.integer(0)), case .object(var data)? = reading.claims["d"] else {
            throw .badClaims
        }
        guard reading.claims["admin"].map({ $0 == .leaf(.bool(false)) }) ?? true else { throw .otherPurpose }
        guard let issuedAt = try reading.time("iat") else { throw .badClaims }
        let expiresAt = try reading.time("exp") ?? issuedAt + TokenIssuer.legacyLifetime
        let times = try check(reading, expiresAt: expiresAt, at: now)
        let uid = try ClaimsReading(claims: data).uid(["uid"])
        data["token"] = data["token"] ?? .object(data)
        data["provider"] = data["provider"] ?? .leaf(.string("custom"))
        return VerifiedToken(uid: uid, auth: Auth(variable: data), times: times, leeway: leeway)
    }

    /// Checks the times; a moment may lie ahead by the leeway, and be over for as long.
    private func check(
        _ reading: ClaimsReading, expiresAt: Int64, at now: Int64
    ) throws(TokenRefusal) -> VerifiedToken.Times {
        guard let issuedAt = try reading.time("iat") else { throw .badClaims }
        let signedInAt = try reading.time("auth_time")
        let validFrom = try reading.time("nbf")
        for moment in [issuedAt, signedInAt, validFrom] {
            guard (moment ?? 0) <= now + leeway else { throw .notYetValid }
        }
        guard expiresAt > now - leeway else { throw .expired }
        return VerifiedToken.Times(issuedAt: issuedAt, signedInAt: signedInAt, expiresAt: expiresAt)
    }
}
