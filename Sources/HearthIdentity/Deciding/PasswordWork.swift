// What of a call must be done elsewhere: passwords are hashed on workers.
public import HearthCrypto

/// Slow work that a decision needs the result of.
public enum PasswordWork: Sendable, Hashable {
    /// Whether a stored record is that of a password.
    case check(password: String, record: String)
    /// A new record of a password, for this user alone: equal passwords have different salts.
    case make(password: String, localID: String)
}

/// What was found out for a call so far. It holds passwords, so it lives no longer than the call.
public struct PasswordFindings: Sendable {
    private var checks: [PasswordWork: Bool] = [:]
    private var records: [PasswordWork: String] = [:]

    /// Nothing is known yet.
    public init() {}

    /// Does `work`; it takes 0.1 to 1 s at the usual cost.
    public mutating func perform(_ work: PasswordWork, cost: PasswordCost) {
        switch work {
        case .check(let password, let record):
            checks[work] = PasswordRecord(text: record)?.matches(password) ?? false
        case .make(let password, _):
            records[work] = PasswordRecord(of: password, cost: cost).text
        }
    }

    func result(of work: PasswordWork) -> Bool? { checks[work] }

    func record(of work: PasswordWork) -> String? { records[work] }
}

extension PasswordFindings: CustomStringConvertible, CustomReflectable {
    /// Nothing of the passwords.
    public var description: String { "findings about passwords" }

    /// Shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
