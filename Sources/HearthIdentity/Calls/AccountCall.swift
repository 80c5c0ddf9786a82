// One call of the accounts, with everything that is known about it before anything is looked up.

/// A call on its way to be decided.
public struct AccountCall: Sendable {
    /// What is asked for.
    public let operation: AccountOperation
    /// The fields of the body, or of the query string where there is no body.
    public let body: AccountBody
    /// Whether the administrator asks.
    public let isAdministrator: Bool
    /// What the call's `idToken` stands for, checked by the keys but not held against the account yet; nil if
    /// there is none.
    public let idToken: Result<VerifiedToken, TokenRefusal>?
    /// The address that the call came from, where an IPv6 network of 64 bits counts as one.
    public let visitor: String
    /// What the client says it is, cut to a length that can be shown in a list of sessions.
    public let client: String
    /// The language that mails are to be in, as `de`; nil if the client does not say.
    public let language: String?
    /// The key of the app, for links.
    public let key: String?

    /// Puts a call together.
    public init(
        _ operation: AccountOperation, _ body: AccountBody, isAdministrator: Bool = false,
        idToken: Result<VerifiedToken, TokenRefusal>? = nil, from origin: Origin = Origin()
    ) {
        self.operation = operation
        self.body = body
        self.isAdministrator = isAdministrator
        self.idToken = idToken
        visitor = origin.visitor
        client = origin.client
        language = origin.language
        key = origin.key
    }

    /// Where a call comes from.
    public struct Origin: Sendable {
        /// See `AccountCall.visitor`.
        public var visitor: String
        /// See `AccountCall.client`.
        public var client: String
        /// See `AccountCall.language`.
        public var language: String?
        /// See `AccountCall.key`.
        public var key: String?

        /// What the client says it is has at most so many characters.
        static let clientLimit = 120

        /// Describes a caller.
        public init(
            visitor: String = "", client: String = "", language: String? = nil, key: String? = nil
        ) {
            self.visitor = visitor
            self.client = String(
                String(client.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
                    .prefix(Origin.clientLimit))
            self.language = language.flatMap(Origin.language)
            self.key = key
        }

        /// `de-CH,de;q=0.9` is `de`.
        private static func language(_ text: String) -> String? {
            let tag = text.prefix { $0.isASCII && $0.isLetter }.lowercased()
            return 2...3 ~= tag.count ? tag : nil
        }
    }

    /// The `idToken` of a call's body, to be verified.
    public static func idTokenText(of body: AccountBody) throws(AccountRefusal) -> String? {
        try body.someText("idToken")
    }
}
