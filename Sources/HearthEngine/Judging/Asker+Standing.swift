// Whether somebody has to be judged at all.

public import HearthCore

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
    ) throws(Refusal) -> (rules: StandingRules, auth: Auth?)? {
        guard case .client(let auth, let isLocal) = self else { return nil }
        if let rules { return (rules, auth) }
        guard isLocal else { throw .permissionDenied }
        return nil
    }
}
