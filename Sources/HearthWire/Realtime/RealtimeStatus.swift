// How a request of the realtime protocol ended.

/// The statuses that clients tell apart, as they are spelled. Source: wire-protocol.md §5.3.
public enum RealtimeStatus: String, Sendable {
    case ok
    /// The rules do not allow it.
    case permissionDenied = "permission_denied"
    /// A transaction expected something else: the client runs it again.
    case dataStale = "datastale"
    /// What a listen or a get asks for is too large to be sent.
    case tooBig = "too_big"
    /// The server cannot do it now.
    case unavailable
    /// The token is wrong.
    case invalidToken = "invalid_token"
    /// The token was good.
    case expiredToken = "expired_token"
    /// The value or the place is nothing that the tree takes.
    case invalidData = "invalid_data"
    /// Anything else.
    case error
}

/// Why a request is not done, as it is told.
public struct RealtimeRefusal: Error, Hashable, Sendable {
    /// What the client goes by.
    public let status: RealtimeStatus
    /// What people read.
    public let text: String

    /// Puts a refusal together.
    public init(_ status: RealtimeStatus, _ text: String) {
        self.status = status
        self.text = text
    }

    /// The answer to what the rules do not allow. It says no more.
    public static let permissionDenied = Self(.permissionDenied, "Permission denied")
    /// The answer to a transaction that expected something else.
    public static let dataStale = Self(.dataStale, "Transaction hash does not match")
}
