// Who asks.
import HearthCore
import HearthEngine
import HearthIdentity

/// Who asks.
enum Caller: Sendable {
    /// May do everything.
    case administrator
    /// The administrator, judged as this user.
    case standIn(Auth?)
    /// The bearer of a verified token.
    case user(VerifiedToken)
    /// Somebody who shows nothing.
    case anybody
}

extension Caller {
    /// Whether it is the administrator, and as himself.
    var isAdministrator: Bool {
        if case .administrator = self { return true }
        return false
    }

    /// Whether a refusal may be explained to him.
    var mayBeExplained: Bool {
        if case .standIn = self { return true }
        return false
    }

    /// Who is judged.
    ///
    /// - Parameter isLocal: whether the request has come over an address that this machine's programs alone
    ///   can reach, and from none of others' pages.
    func asker(isLocal: Bool) -> Asker {
        switch self {
        case .administrator: .administrator
        case .standIn(let auth): .client(auth, isLocal: isLocal)
        case .user(let token): .client(token.auth, isLocal: isLocal)
        case .anybody: .client(nil, isLocal: isLocal)
        }
    }

    /// The first moment at which it is nobody any more, in ms since 1970; nil if that never comes.
    var refusedFrom: Int64? {
        guard case .user(let token) = self else { return nil }
        return token.refusedFrom
    }
}
