// What a call leads to.
public import HearthCore

/// What a call leads to: what is written, what is answered, and what follows.
public struct AccountOutcome: Sendable {
    /// What is answered.
    public enum Answer: Sendable {
        /// A JSON object; the fields of the token come beside these.
        case json([String: Claims])
        /// A page for a person.
        case page(ActionPage)
        /// Somewhere else: an absolute address.
        case redirect(String)
    }

    /// What is answered.
    public var answer: Answer
    /// The token to be signed for the answer.
    public var token: TokenPlan?
    /// What is to be written into the private tree, all or nothing; empty nodes remove.
    public var edits: [(path: Path, node: Node)] = []
    /// What is to be sent once the answer is on its way.
    public var mails: [MailOrder] = []
    /// Whose tokens may be dead now: whoever holds them must be held against the accounts again.
    public var endedUsers: [String] = []
    /// What the log is to say.
    public var events: [AccountEvent] = []
}

/// A token that a call hands out, once it is signed.
public struct TokenPlan: Sendable {
    /// How the answer names it.
    public enum Form: Sendable {
        /// `idToken`, `refreshToken`, `expiresIn`.
        case signIn
        /// `id_token`, `access_token`, `refresh_token`, …
        case refresh
        /// `sessionCookie`.
        case cookie
    }

    /// What the token says.
    let claims: [String: Claims]
    let refreshToken: String
    let form: Form

    /// The JSON to be signed.
    public var payload: [UInt8] { Claims.object(claims).json }

    /// The fields that the answer gets for the signed token.
    public func fields(signed token: String, project: String) -> [String: Claims] {
        let seconds = Claims.text(String(AccountSettings.idTokenSeconds))
        switch form {
        case .signIn:
            return ["idToken": .text(token), "refreshToken": .text(refreshToken), "expiresIn": seconds]
        case .refresh:
            return [
                "id_token": .text(token), "access_token": .text(token), "refresh_token": .text(refreshToken),
                "expires_in": seconds, "token_type": .text("Bearer"), "project_id": .text(project),
                "user_id": claims["sub"] ?? .null,
            ]
        case .cookie: return ["sessionCookie": .text(token)]
        }
    }
}

/// Something that happened to an account, for the log: never with an address, a token or a code.
public struct AccountEvent: Sendable, Equatable {
    /// What happened, in constant words.
    public enum Kind: String, Sendable {
        case registered = "account registered"
        case signedIn = "signed in"
        case signedOut = "signed out"
        case failedToSignIn = "sign-in refused"
        case passwordChanged = "password changed"
        case passwordReset = "password reset"
        case emailChanged = "address changed"
        case emailVerified = "address verified"
        case disabled = "account disabled"
        case enabled = "account enabled"
        case revoked = "sessions ended"
        case removed = "account removed"
        case codeMade = "code made"
        case imported = "accounts imported"
    }

    /// What happened.
    public let kind: Kind
    /// To which account; nil where there is none.
    public let localID: String?
}

/// A page for a person who followed a link.
public enum ActionPage: Sendable, Equatable {
    /// Asks whether to go on: a button, or a field for a new password.
    case question(Question)
    /// It is done; the address to go on to, if there is one.
    case done(mode: String, continueURL: String?)
    /// The link does nothing any more, or never did.
    case useless(reason: String)
    /// The new password does not do; the form again with the reason.
    case again(Question, reason: String)

    /// What is asked.
    public struct Question: Sendable, Equatable {
        /// The mode of the link, as `resetPassword`.
        public let mode: String
        /// The code of the link.
        public let code: String
        /// The address that it is about.
        public let email: String
        /// The address to change to.
        public let newEmail: String?
        /// Where to go on afterwards.
        public let continueURL: String?
    }
}
