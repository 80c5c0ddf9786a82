// Why a call of the accounts is not done, in the words that SDKs know.

/// Why a call is not done; nothing has changed then. Source: accounts.md §1, §10.
public struct AccountRefusal: Error, Equatable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The code, or `CODE : readable text`.
    public let message: String
    /// The name of the status, as `INVALID_ARGUMENT`, where the contract has one.
    public let statusName: String?
    /// After how many seconds trying again makes sense, if it does.
    public var retryAfterSeconds: Int?
    /// Whether the answer must be plain text without JSON: SDKs would end the session otherwise.
    public var isPlain = false

    init(_ message: String, status: Int = 400, statusName: String? = nil) {
        self.message = message
        self.status = status
        self.statusName = statusName
    }

    /// The code alone, for logs.
    public var code: String { String(message.prefix { $0 != " " }) }
}

extension AccountRefusal {
    static func invalidPayload(_ reason: String) -> AccountRefusal {
        AccountRefusal("Invalid JSON payload received. \(reason)", statusName: "INVALID_ARGUMENT")
    }

    static func weakPassword(atLeast count: Int) -> AccountRefusal {
        AccountRefusal("WEAK_PASSWORD : Password should be at least \(count) characters")
    }

    static func passwordRequirement(_ text: String) -> AccountRefusal {
        AccountRefusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [\(text)]")
    }

    static func forbiddenClaim(_ name: String) -> AccountRefusal {
        AccountRefusal("FORBIDDEN_CLAIM : \(name)")
    }

    static func invalidCustomToken(_ reason: String) -> AccountRefusal {
        AccountRefusal("INVALID_CUSTOM_TOKEN : \(reason)")
    }

    static let emailExists = AccountRefusal("EMAIL_EXISTS")
    static let invalidEmail = AccountRefusal("INVALID_EMAIL")
    static let missingEmail = AccountRefusal("MISSING_EMAIL")
    static let missingPassword = AccountRefusal("MISSING_PASSWORD")
    static let missingIDToken = AccountRefusal("MISSING_ID_TOKEN")
    static let missingLocalID = AccountRefusal("MISSING_LOCAL_ID")
    static let missingCode = AccountRefusal("MISSING_OOB_CODE")
    static let invalidCode = AccountRefusal("INVALID_OOB_CODE")
    static let expiredCode = AccountRefusal("EXPIRED_OOB_CODE")
    static let invalidCredentials = AccountRefusal("INVALID_LOGIN_CREDENTIALS")
    static let invalidIDToken = AccountRefusal("INVALID_ID_TOKEN")
    static let tokenExpired = AccountRefusal("TOKEN_EXPIRED")
    static let userNotFound = AccountRefusal("USER_NOT_FOUND")
    static let userDisabled = AccountRefusal("USER_DISABLED")
    static let operationNotAllowed = AccountRefusal("OPERATION_NOT_ALLOWED")
    static let insufficientPermission = AccountRefusal("INSUFFICIENT_PERMISSION")
    static let loginTooOld = AccountRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    static let unexpectedUserID = AccountRefusal("UNEXPECTED_PARAMETER : User ID")
    static let invalidClaims = AccountRefusal("INVALID_CLAIMS")
    static let tenants = AccountRefusal("UNSUPPORTED_TENANT_OPERATION")

    /// Nothing stands at this address.
    public static let notFound = AccountRefusal("Not Found", status: 404, statusName: "NOT_FOUND")
    /// The address is known, the method is not.
    public static let methodNotAllowed = AccountRefusal(
        "Method Not Allowed", status: 405, statusName: "METHOD_NOT_ALLOWED")
    /// What the emulator does not do either.
    static let notImplemented = AccountRefusal(
        "NOT_IMPLEMENTED", status: 501, statusName: "UNIMPLEMENTED")
    /// A call without key and credential.
    public static let missingKey = AccountRefusal(
        "The request is missing a valid API key.", status: 403, statusName: "PERMISSION_DENIED")
    /// A key that the operator has not allowed.
    public static let unknownKey = AccountRefusal(
        "API key not valid. Please pass a valid API key.", statusName: "INVALID_ARGUMENT")
    /// A bearer token that is nobody's.
    public static let unauthenticated = AccountRefusal(
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or "
            + "other valid authentication credential.", status: 401, statusName: "UNAUTHENTICATED")
    /// A call for the administrator, by somebody else.
    static let administratorOnly = AccountRefusal(
        "Only the administrator may do this.", status: 403, statusName: "PERMISSION_DENIED")

    /// Too much was tried; `seconds` from now it may be tried again.
    static func tooManyAttempts(retryAfterSeconds seconds: Int) -> AccountRefusal {
        var refusal = AccountRefusal(
            "TOO_MANY_ATTEMPTS_TRY_LATER : Too many attempts; try again later or reset the password.")
        refusal.retryAfterSeconds = max(1, seconds)
        return refusal
    }

    /// The server cannot do it now, for no reason of the caller's: never JSON, so that nobody is signed out.
    public static func unavailable(_ reason: String, retryAfterSeconds seconds: Int = 1) -> AccountRefusal {
        var refusal = AccountRefusal(reason, status: 503, statusName: "UNAVAILABLE")
        refusal.retryAfterSeconds = max(1, seconds)
        refusal.isPlain = true
        return refusal
    }

    /// More passwords wait to be hashed than the server lets wait.
    public static let busy = tooManyAttempts(retryAfterSeconds: 2)
}
