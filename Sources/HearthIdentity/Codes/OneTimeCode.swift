// What is kept of a code that was sent by mail.
import HearthCore
import HearthCrypto

/// What a code is for; the raw value is its name in calls.
enum CodeKind: String, CaseIterable, Sendable {
    case resetPassword = "PASSWORD_RESET"
    case verifyEmail = "VERIFY_EMAIL"
    case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case signIn = "EMAIL_SIGNIN"
    case recoverEmail = "RECOVER_EMAIL"

    /// The `requestType` of a call: a name, or a number as Android sends it.
    init?(requestType text: String) {
        switch text {
        case "1": self = .resetPassword
        case "4": self = .verifyEmail
        case "5": self = .recoverEmail
        case "6": self = .signIn
        case "7": self = .changeEmail
        default: self.init(rawValue: text)
        }
    }

    /// What links say.
    var mode: String {
        switch self {
        case .resetPassword: "resetPassword"
        case .verifyEmail: "verifyEmail"
        case .changeEmail: "verifyAndChangeEmail"
        case .signIn: "signIn"
        case .recoverEmail: "recoverEmail"
        }
    }

    /// The kind of a link.
    init?(mode: String) {
        guard let kind = CodeKind.allCases.first(where: { $0.mode == mode }) else { return nil }
        self = kind
    }

    /// How long a code is good, in milliseconds.
    var lifetime: Int64 {
        switch self {
        case .resetPassword: 3_600_000
        case .verifyEmail: 3 * 24 * 3_600_000
        case .changeEmail: 24 * 3_600_000
        case .signIn: 15 * 60_000
        case .recoverEmail: 14 * 24 * 3_600_000
        }
    }
}

/// A code: it works once, for one account or address. The code itself is kept by emulators alone, which list
/// them; else just its digest. Source: accounts.md §8.
struct OneTimeCode: Equatable, Sendable {
    let kind: CodeKind
    /// The account, nil for signing in by link, where there may be none yet.
    let localID: String?
    /// The address of the account when the code was made; the one to go back to for `recoverEmail`.
    let email: String
    /// The address to change to.
    let newEmail: String?
    /// In milliseconds since 1970; nil for never, in emulators.
    let expiresAt: Int64?
    /// What an emulator lists: the code, and its place in the order.
    let listed: Listed?

    struct Listed: Equatable, Sendable {
        let code: String
        let link: String
        let sequence: Int64
    }

    /// Whose codes of a kind there is one of: the account's, or the address's.
    var owner: Key? { OneTimeCode.owner(localID: localID, email: email) }

    static func owner(localID: String?, email: String) -> Key? {
        AccountKey.of(localID.map { "uid:" + $0 } ?? "to:" + email)
    }

    /// A fresh code: 32 random bytes, or as long as the official emulator's.
    static func fresh(isEmulator: Bool, using random: inout some RandomNumberGenerator) -> String {
        String(Base64.url.encode(randomBytes(isEmulator ? 41 : 32, using: &random)).prefix(54))
    }
}

extension OneTimeCode {
    /// Reads a stored code; nil if there is none.
    init?(node: Node) {
        let reader = RecordReader(node: node)
        guard let kind = reader.text(.kind).flatMap(CodeKind.init(rawValue:)), let email = reader.text(.email)
        else {
            return nil
        }
        var listed: Listed?
        if let code = reader.text(.text), let link = reader.text(.link) {
            listed = Listed(code: code, link: link, sequence: reader.integer(.sequence) ?? 0)
        }
        self.init(
            kind: kind, localID: reader.text(.localID), email: email, newEmail: reader.text(.newEmail),
            expiresAt: reader.integer(.expiresAt), listed: listed)
    }

    /// The code as it is stored.
    var node: Node {
        var writer = RecordWriter()
        writer.text(.kind, kind.rawValue)
        writer.text(.localID, localID)
        writer.text(.email, email)
        writer.text(.newEmail, newEmail)
        writer.integer(.expiresAt, expiresAt)
        writer.text(.text, listed?.code)
        writer.text(.link, listed?.link)
        writer.integer(.sequence, listed?.sequence)
        return writer.node
    }
}
