// What is to be told to whom by mail.

/// A mail to be written and sent. It holds a link with a code in it, so it must never reach a log.
public struct MailOrder: Sendable, Equatable {
    /// What the mail is about; the raw value names its template.
    public enum Kind: String, Sendable, CaseIterable {
        case resetPassword, verifyEmail, verifyAndChangeEmail, signIn, recoverEmail
        /// Somebody wanted to register, or to take over, an address that has an account already.
        case addressTaken
    }

    /// What it is about.
    public let kind: Kind
    /// Whom it goes to.
    public let recipient: String
    /// The address of the account, which the text may name.
    public let email: String
    /// The address to change to, if there is one.
    public let newEmail: String?
    /// What the user is called, if that is known.
    public let displayName: String?
    /// The link, nil where there is none to follow.
    public let link: String?
    /// The language to write in, as `de`; nil for the usual one.
    public let language: String?
}

extension MailOrder: CustomStringConvertible, CustomReflectable {
    /// The kind alone: neither address nor link.
    public var description: String { "a mail of kind \(kind.rawValue)" }

    /// Shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
