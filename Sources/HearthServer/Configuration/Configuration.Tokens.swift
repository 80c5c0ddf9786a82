// Whose tokens users may show.

extension Configuration {
    /// Whose tokens users may show with `auth=`. Without keys no signed token is taken.
    public struct Tokens: Sendable, Equatable {
        /// The project that tokens must be meant for (`aud`).
        public var project: String?
        /// Who must have made them (`iss`); nil means `https://securetoken.google.com/<project>`.
        public var issuer: String?
        /// A file with the issuer's public keys: a JWK set, certificates by key ID as JSON, or PEM.
        public var publicKeysFile: String?
        /// A file with the secret that the issuer signs with by HS256; a line end after it does not count.
        public var secretFile: String?
        /// A file with the secret of legacy tokens, which name neither issuer nor project.
        public var legacySecretFile: String?

        /// Takes no tokens.
        public init() {}
    }
}
