// What an address of the identity services asks for: the one table of them.

/// What a call asks for, by its address. Source: accounts.md §1, §9.
public enum AccountOperation: Hashable, Sendable {
    case signUp, signInWithPassword, signInWithCustomToken, signInWithEmailLink, createAuthURI
    case lookup, update, delete, sendCode, resetPassword
    /// Ends the session of a refresh token; ours.
    case signOut
    /// Lists the sessions of an account; ours.
    case sessions
    /// Ends one session of an account; ours.
    case endSession
    /// Gives a new ID token for a refresh token.
    case refresh
    case projectConfiguration, passwordPolicy, recaptchaConfiguration
    /// Revokes a token of another provider, of which there are none.
    case revokeProviderToken
    /// Ways of signing in that are not offered.
    case notOffered
    /// What the emulator does not do either.
    case notImplemented
    case batchCreate, batchDelete, batchGet, query, createSessionCookie
    /// Makes, lists and removes those who may sign custom tokens; ours.
    case createSigner, listSigners, deleteSigner
    /// Begins with a new signing key; ours.
    case rotateKeys
    case clearAccounts, listCodes, listVerificationCodes, readEmulator, changeEmulator, greet
    /// The page that a link in a mail leads to, and the form on it.
    case actionPage, actionForm
    /// The keys that tokens are signed with.
    case publishedKeys

    /// Whether it needs the administrator, whoever else may use the same address otherwise.
    var isAdministrative: Bool {
        switch self {
        case .batchCreate, .batchDelete, .batchGet, .query, .createSessionCookie, .createSigner, .listSigners,
            .deleteSigner, .rotateKeys:
            true
        default: false
        }
    }

    /// Whether anybody may ask without a key.
    public var needsNoKey: Bool {
        switch self {
        case .actionPage, .actionForm, .publishedKeys: true
        case _ where isEmulatorsOnly: true
        default: false
        }
    }

    /// Whether there may be more accounts afterwards.
    public var addsAccounts: Bool {
        switch self {
        case .signUp, .signInWithCustomToken, .signInWithEmailLink, .batchCreate: true
        default: false
        }
    }

    /// Whether it exists in emulator mode alone.
    var isEmulatorsOnly: Bool {
        switch self {
        case .clearAccounts, .listCodes, .listVerificationCodes, .readEmulator, .changeEmulator, .greet: true
        default: false
        }
    }
}

/// An address of the identity services.
public struct AccountAddress: Hashable, Sendable {
    /// What is asked for.
    public let operation: AccountOperation
    /// The project that the address names; nil where it names none.
    public let project: String?

    /// The method of a request, as far as it matters.
    public enum Method: Sendable {
        case get, post, patch, delete
    }

    /// Finds what a decoded path stands for.
    ///
    /// - Throws: 404 for an unknown address, 405 for a known one with another method.
    public init(path: String, method: Method) throws(AccountRefusal) {
        let short = AccountAddress.withoutHost(path)
        let (rest, project) = AccountAddress.withoutProject(short)
        let entries = AccountAddress.table.filter { $0.path == rest && $0.needsProject == (project != nil) }
        guard !entries.isEmpty else {
            guard AccountAddress.isNotOffered(rest) else { throw .notFound }
            self.init(operation: .notOffered, project: project)
            return
        }
        guard let entry = entries.first(where: { $0.method == method }) else { throw .methodNotAllowed }
        self.init(operation: entry.operation, project: project)
    }

    private init(operation: AccountOperation, project: String?) {
        self.operation = operation
        self.project = project
    }

    private struct Entry {
        let method: Method
        let path: String
        let needsProject: Bool
        let operation: AccountOperation

        init(
            _ method: Method, _ path: String, _ operation: AccountOperation, needsProject: Bool = false
        ) {
            self.method = method
            self.path = path
            self.operation = operation
            self.needsProject = needsProject
        }
    }

    /// `/identitytoolkit.googleapis.com/v1/…` and the like become `/v1/…`; the old names become new ones.
    private static func withoutHost(_ path: String) -> String {
        for host in ["/identitytoolkit.googleapis.com", "/securetoken.googleapis.com"] {
            if path.hasPrefix(host + "/") { return String(path.dropFirst(host.count)) }
        }
        let old = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
        guard path.hasPrefix(old) else { return path }
        return oldNames[String(path.dropFirst(old.count))] ?? path
    }

    /// `/v1/projects/P/accounts:lookup` becomes `/v1/accounts:lookup` and P.
    private static func withoutProject(_ path: String) -> (path: String, project: String?) {
        for version in ["/v1", "/v2", "/emulator/v1"] {
            let start = version + "/projects/"
            guard path.hasPrefix(start) else { continue }
            let tail = path.dropFirst(start.count)
            let project = tail.prefix { $0 != "/" && $0 != ":" }
            guard !project.isEmpty, project.count < tail.count else { continue }
            return (version + tail.dropFirst(project.count), String(project))
        }
        return (path, nil)
    }

    private static func isNotOffered(_ path: String) -> Bool {
        [
            "/v1/accounts:signInWithIdp", "/v1/accounts:signInWithPhoneNumber",
            "/v1/accounts:sendVerificationCode", "/v2/accounts/mfa", "/v2/accounts/passkey",
            "/v1/accounts:signInWithGameCenter", "/v1/accounts:verifyIosClient",
        ].contains { path.hasPrefix($0) }
    }

    private static let oldNames = [
        "createAuthUri": "/v1/accounts:createAuthUri", "deleteAccount": "/v1/accounts:delete",
        "emailLinkSignin": "/v1/accounts:signInWithEmailLink", "getAccountInfo": "/v1/accounts:lookup",
        "getOobConfirmationCode": "/v1/accounts:sendOobCode", "getProjectConfig": "/v1/projects",
        "getRecaptchaParam": "/v1/recaptchaParams", "resetPassword": "/v1/accounts:resetPassword",
        "setAccountInfo": "/v1/accounts:update", "signupNewUser": "/v1/accounts:signUp",
        "verifyAssertion": "/v1/accounts:signInWithIdp",
        "verifyCustomToken": "/v1/accounts:signInWithCustomToken",
        "verifyPassword": "/v1/accounts:signInWithPassword", "signOutUser": "/v1/signOutUser",
    ]

    private static let jwkPath =
        "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    private static let table: [Entry] = users + administrators + emulators

    private static let users: [Entry] = [
        Entry(.post, "/v1/accounts:signUp", .signUp),
        Entry(.post, "/v1/accounts:signInWithPassword", .signInWithPassword),
        Entry(.post, "/v1/accounts:signInWithCustomToken", .signInWithCustomToken),
        Entry(.post, "/v1/accounts:signInWithEmailLink", .signInWithEmailLink),
        Entry(.post, "/v1/accounts:createAuthUri", .createAuthURI),
        Entry(.post, "/v1/accounts:lookup", .lookup), Entry(.post, "/v1/accounts:update", .update),
        Entry(.post, "/v1/accounts:delete", .delete), Entry(.post, "/v1/accounts:sendOobCode", .sendCode),
        Entry(.post, "/v1/accounts:resetPassword", .resetPassword),
        Entry(.post, "/v1/accounts:signOut", .signOut), Entry(.post, "/v1/accounts:sessions", .sessions),
        Entry(.post, "/v1/accounts:endSession", .endSession), Entry(.post, "/v1/token", .refresh),
        Entry(.get, "/v1/projects", .projectConfiguration),
        Entry(.get, "/v2/passwordPolicy", .passwordPolicy),
        Entry(.get, "/v2/recaptchaConfig", .recaptchaConfiguration),
        Entry(.get, "/v1/recaptchaParams", .notImplemented),
        Entry(.post, "/v1/signOutUser", .notImplemented),
        Entry(.post, "/v2/accounts:revokeToken", .revokeProviderToken),
        Entry(.get, "/emulator/action", .actionPage), Entry(.post, "/emulator/action", .actionForm),
        Entry(.get, "/__/auth/action", .actionPage), Entry(.post, "/__/auth/action", .actionForm),
        Entry(.get, "/.well-known/jwks.json", .publishedKeys), Entry(.get, jwkPath, .publishedKeys),
    ]

    private static let administrators: [Entry] = [
        Entry(.post, "/v1/accounts", .signUp, needsProject: true),
        Entry(.post, "/v1/accounts:signUp", .signUp, needsProject: true),
        Entry(.post, "/v1/accounts:lookup", .lookup, needsProject: true),
        Entry(.post, "/v1/accounts:update", .update, needsProject: true),
        Entry(.post, "/v1/accounts:delete", .delete, needsProject: true),
        Entry(.post, "/v1/accounts:sendOobCode", .sendCode, needsProject: true),
        Entry(.post, "/v1/accounts:sessions", .sessions, needsProject: true),
        Entry(.post, "/v1/accounts:endSession", .endSession, needsProject: true),
        Entry(.post, "/v1/accounts:batchDelete", .batchDelete, needsProject: true),
        Entry(.get, "/v1/accounts:batchGet", .batchGet, needsProject: true),
        Entry(.post, "/v1/accounts:batchCreate", .batchCreate, needsProject: true),
        Entry(.post, "/v1/accounts:query", .query, needsProject: true),
        Entry(.post, "/v1:queryAccounts", .query, needsProject: true),
        Entry(.post, "/v1:createSessionCookie", .createSessionCookie, needsProject: true),
        Entry(.post, "/v1/signers", .createSigner, needsProject: true),
        Entry(.get, "/v1/signers", .listSigners, needsProject: true),
        Entry(.delete, "/v1/signers", .deleteSigner, needsProject: true),
        Entry(.post, "/v1:rotateKeys", .rotateKeys, needsProject: true),
    ]

    private static let emulators: [Entry] = [
        Entry(.get, "/", .greet),
        Entry(.delete, "/emulator/v1/accounts", .clearAccounts, needsProject: true),
        Entry(.get, "/emulator/v1/oobCodes", .listCodes, needsProject: true),
        Entry(.get, "/emulator/v1/verificationCodes", .listVerificationCodes, needsProject: true),
        Entry(.get, "/emulator/v1/config", .readEmulator, needsProject: true),
        Entry(.patch, "/emulator/v1/config", .changeEmulator, needsProject: true),
    ]
}
