// What ID tokens say.
import HearthCore

/// Puts the claims of ID tokens together. Source: accounts.md §5.
enum IDToken {
    /// The claim that names the session, so that a token dies with it. It is a digest, so nothing can be
    /// gone on with by it.
    static let sessionClaim = "sid"

    /// The claims of a token for `account` in the session that is kept under `key`.
    ///
    /// - Parameter now: in milliseconds since 1970. A token never says that it is from before the moment from
    ///   which the account takes tokens.
    static func claims(
        _ account: Account, _ session: Session, _ key: Key, now: Int64, settings: AccountSettings
    ) -> [String: Claims] {
        var claims = CustomAttributes.members(account.customAttributes) ?? [:]
        claims.merge(session.claims) { _, new in new }
        if claims["name"] == nil { claims["name"] = account.displayName.map { .text($0) } }
        if claims["picture"] == nil { claims["picture"] = account.photoURL.map { .text($0) } }
        let issuedAt = max(now / 1_000, account.tokensFrom)
        let reserved: [String: Claims] = [
            "iss": .text(settings.issuer), "aud": .text(settings.project), "sub": .text(account.localID),
            "user_id": .text(account.localID), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + AccountSettings.idTokenSeconds),
            "auth_time": .integer(session.signedInAt / 1_000), "firebase": provenance(account, session),
        ]
        claims.merge(reserved) { _, new in new }
        for name in ["email", "email_verified", "provider_id", sessionClaim] { claims[name] = nil }
        // Sessions of emulators never end.
        if !settings.isEmulator { claims[sessionClaim] = .text(key.text) }
        if let email = account.email {
            claims["email"] = .text(email)
            claims["email_verified"] = .bool(account.isEmailVerified)
        }
        if session.provider == Provider.anonymous { claims["provider_id"] = .text(Provider.anonymous) }
        return claims
    }

    private static func provenance(_ account: Account, _ session: Session) -> Claims {
        let identities: [String: Claims] = account.email.map { ["email": .list([.text($0)])] } ?? [:]
        return .object(["identities": .object(identities), "sign_in_provider": .text(session.provider)])
    }
}

/// The ways of signing in.
enum Provider {
    static let password = "password"
    static let anonymous = "anonymous"
    static let custom = "custom"
}
