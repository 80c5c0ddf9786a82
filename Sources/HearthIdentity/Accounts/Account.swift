// What is kept of one user.

/// A user's record. Times are in milliseconds since 1970 unless they say otherwise. Source: accounts.md §2.
public struct Account: Equatable, Sendable {
    /// The uid: 1 to 128 bytes, never changed.
    public let localID: String
    /// In lower case; nil without address.
    public internal(set) var email: String?
    /// Whether the user has shown that the address is theirs.
    public internal(set) var isEmailVerified = false
    /// The first address of all.
    var initialEmail: String?
    /// What others may see the user as.
    public internal(set) var displayName: String?
    var photoURL: String?
    /// The text of a `PasswordRecord`; nil if the user has no password.
    var password: String?
    var passwordUpdatedAt: Int64?
    /// What SDKs are told: tokens of before are dead. In seconds.
    var validSince: Int64?
    /// Tokens with a smaller `iat` are refused, also those from the same second as the change that ended
    /// them. In seconds.
    var tokensFrom: Int64 = 0
    var createdAt: Int64
    var lastLoginAt: Int64?
    var lastRefreshAt: Int64?
    /// Whether the user may do nothing.
    public internal(set) var isDisabled = false
    /// The custom claims as JSON text.
    var customAttributes: String?
    var hasCustomAuth = false
    var hasEmailLink = false

    init(localID: String, createdAt: Int64) {
        self.localID = localID
        self.createdAt = createdAt
    }

    /// Whether the user can show something to sign in with, rather than being nobody in particular.
    var hasCredential: Bool { password != nil || hasEmailLink || hasCustomAuth }
    /// Whether address and password or link belong together.
    var hasPasswordProvider: Bool { email != nil && (password != nil || hasEmailLink) }
}

extension Account {
    /// Ends what was signed in before: tokens made until now are dead from now on.
    ///
    /// - Parameter now: milliseconds since 1970.
    mutating func endTokens(at now: Int64, settings: AccountSettings) {
        let seconds = now / 1_000
        validSince = max(validSince ?? 0, seconds)
        // The emulator leaves tokens of the same second alive, and its users' tests count on that.
        tokensFrom = settings.isEmulator ? seconds : max(seconds + 1, tokensFrom + 1)
    }

    /// Whether a token made at `issuedAt`, in milliseconds, is still good.
    func accepts(issuedAt: Int64?) -> Bool {
        (issuedAt ?? 0) / 1_000 >= tokensFrom
    }
}
