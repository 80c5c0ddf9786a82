// Small things that servers ask about accounts.
public import HearthCore

extension Accounts {
    /// The fields of an answer as JSON text.
    public static func json(_ fields: [String: Claims]) -> [UInt8] { Claims.object(fields).json }

    /// The address of an account, nil if it has none or is not there.
    public static func email(of localID: String, in root: Node) -> String? {
        AccountTree(root).account(localID)?.email
    }
}

extension AccountRefusal {
    /// Accounts are not kept here.
    public static func unoffered(_ reason: String) -> AccountRefusal {
        AccountRefusal("OPERATION_NOT_ALLOWED : \(reason)", status: 501, statusName: "UNIMPLEMENTED")
    }

    /// The pages of other providers, which browsers load into frames: plain text.
    public static let noProvider: AccountRefusal = {
        var refusal = AccountRefusal("Signing in with other providers is not offered here.", status: 404)
        refusal.isPlain = true
        return refusal
    }()

    /// A request that the server does not take, whatever it asks.
    public static func turnedAway(_ reason: String, status: Int) -> AccountRefusal {
        AccountRefusal(reason, status: status, statusName: status == 403 ? "PERMISSION_DENIED" : nil)
    }
}
