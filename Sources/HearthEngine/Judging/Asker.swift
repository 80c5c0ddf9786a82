// Who asks, and whether the rules have a say in it.

public import HearthCore
import HearthRules

/// Who asks, as far as it matters for what may be done.
public enum Asker: Hashable, Sendable {
    /// Rules do not judge him.
    case administrator
    /// Everybody else, signed in or not. Where no rules were ever stored, only those may who have come
    /// over an address that this machine's programs alone can reach: for them `isLocal` is true.
    case client(Auth?, isLocal: Bool)
}

extension Asker {
    /// Whether nothing has to be judged because everything is allowed.
    ///
    /// - Parameter rules: those in force; nil if none were ever stored.
    public func mayDoEverything(under rules: StandingRules?) -> Bool {
        switch self {
        case .administrator: true
        case .client(_, let isLocal): rules == nil && isLocal
        }
    }

    /// What has to be judged; nil where everything is allowed.
    ///
    /// - Throws: `permissionDenied` where nothing is.
    func standing(
        under rules: StandingRules?
    ) throws(Refusal) -> (rules: RuleSet, auth: Auth?)? {
        guard case .client(let auth, let isLocal) = self else { return nil }
        if let rules { return (rules.set, auth) }
        guard isLocal else { throw .permissionDenied }
        return nil
    }
}
