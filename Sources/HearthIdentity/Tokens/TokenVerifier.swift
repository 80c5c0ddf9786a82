// From the text of a token to the user it stands for.
import HearthCore

/// Verifies users' tokens: who signed them, for whom they are, and whether their time is now.
///
/// A pure value: keys and modes are given at the beginning, time at each call. It keeps nothing; see
/// `TokenCache`. Source: accounts.md §5, rest-api.md §12, wire-protocol.md §12.
public struct TokenVerifier: Sendable {
    /// What a token has at most.
    public static let byteLimit = 8_192

    private let issuers: [TokenIssuer]
    private let acceptsUnsigned: Bool

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - issuers: whose tokens are taken; an empty list takes no signed ones.
    ///   - acceptsUnsigned: whether a token that no configured issuer answers for is believed as it is,
    ///     whatever its signature, `alg` and times say. For the emulator only: everybody can make one.
    /// - Throws: `RepeatedIssuer` if two issuers have the same name, as an issuer has one algorithm.
    public init(issuers: [TokenIssuer], acceptsUnsigned: Bool = false) throws(RepeatedIssuer) {
        for (index, issuer) in issuers.enumerated() {
            guard !issuers[..<index].contains(where: issuer.hasName(of:)) else { throw RepeatedIssuer() }
        }
        self.issuers = issuers
        self.acceptsUnsigned = acceptsUnsigned
    }

    /// Verifies `text` at `now`, in milliseconds since 1970.
    ///
    /// - Throws: the first reason why not. That its time is over is only told of a token whose signature is
    ///   right.
    /// - Complexity: some 30 to 100 µs, most of it for the signature; at most `TokenKeys.unnamedLimit` times
    ///   that.
    public func verify(_ text: String, at now: Int64) throws(TokenRefusal) -> VerifiedToken {
        let token = try CompactToken(text)
        let claims = try token.claims()
        let isUnsigned = token.algorithm == "none"
        if let issuer = issuers.first(where: { $0.isNamed(in: claims) }), !(isUnsigned && acceptsUnsigned) {
            guard !isUnsigned else { throw .unsigned }
            try issuer.keys.check(token)
            return try issuer.check(claims, at: now)
        }
        guard acceptsUnsigned else { throw isUnsigned ? .unsigned : .unknownIssuer }
        return try believe(claims)
    }

    /// Takes the claims of an unsigned token as they are, once they are an ID token's: times are not compared
    /// with anything, since SDKs make emulator tokens that ran out in 1970 (wire-protocol.md §1.3).
    private func believe(_ claims: [String: Claims]) throws(TokenRefusal) -> VerifiedToken {
        let reading = ClaimsReading(claims: claims)
        guard !reading.isMeant(for: [TokenVerifier.customTokenAudience]),
            !(claims["iss"]?.text ?? "").hasPrefix(TokenVerifier.sessionCookieIssuer)
        else { throw .otherPurpose }
        let uid = try reading.uid(["sub", "user_id"])
        return VerifiedToken(
            uid: uid, auth: Auth(user: uid, provider: reading.provider, token: claims),
            issuedAt: try reading.time("iat"), signedInAt: try reading.time("auth_time"), expiresAt: nil,
            refusedFrom: nil)
    }

    /// What custom tokens are meant for: to be exchanged for an ID token, not to be one (accounts.md §6).
    private static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// How the issuer of session cookies begins (accounts.md §9).
    private static let sessionCookieIssuer = "https://session.firebase.google.com/"
}

/// Two configured issuers have the same name.
public struct RepeatedIssuer: Error, Equatable, CustomStringConvertible {
    /// One sentence with what to do about it.
    public var description: String {
        "an issuer of tokens is configured twice; give each just one algorithm, and all of its keys together"
    }
}

extension TokenIssuer {
    fileprivate func hasName(of other: TokenIssuer) -> Bool {
        switch (form, other.form) {
        case (.identity(let left, _), .identity(let right, _)): left.utf8.elementsEqual(right.utf8)
        case (.legacy, .legacy): true
        default: false
        }
    }
}

extension Auth {
    /// The variable of a user; a provider that is not known stays out.
    init(user uid: String, provider: String?, token: [String: Claims]) {
        var variable: [String: Claims] = ["uid": .leaf(.string(uid)), "token": .object(token)]
        variable["provider"] = provider.map { .leaf(.string($0)) }
        self.init(variable: variable)
    }
}
