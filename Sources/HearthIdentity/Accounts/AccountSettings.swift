// What an operator decides about accounts.
public import HearthCrypto

/// How accounts behave. Times are in milliseconds unless they say otherwise. Source: accounts.md §14.
public struct AccountSettings: Sendable {
    /// The project that tokens carry.
    public var project: String
    /// Whether the operator has chosen the project.
    public var hasProject = true
    /// Whether everything is as in the official emulator: nothing is secret.
    public var isEmulator: Bool
    /// Whether somebody may register with address and password.
    public var allowsSignUp = true
    /// Whether somebody may sign in without showing anything.
    public var allowsAnonymous = true
    /// Whether somebody may sign in with a link sent by mail.
    public var allowsEmailLinks = true
    /// What a password has at least, in UTF-16 units.
    public var passwordLength = 6
    /// Whether the commonest passwords are refused.
    public var refusesCommonPasswords = true
    /// What hashing a password costs.
    public var passwordCost: PasswordCost
    /// How long after signing in the dangerous changes are possible.
    public var recentLogin: Int64 = 5 * 60_000
    /// After how long without use a session ends.
    public var sessionLifetime: Int64 = 180 * 24 * 3_600_000
    /// Where links in mails lead to, as `https://chat.example`, without a slash at the end.
    public var publicBase: String
    /// Where links in mails lead to instead of the server's own page; nil for that page.
    public var actionPage: String?
    /// Hosts that a link may go on to, beside this machine and the host of `publicBase`.
    public var authorizedDomains: [String] = []
    /// The keys that apps may show; nil for any.
    public var allowedKeys: Set<String>?
    /// What mails call the app.
    public var appName: String

    /// Accounts of a project.
    public init(project: String, isEmulator: Bool = false, publicBase: String = "http://127.0.0.1:9000") {
        self.project = project
        self.isEmulator = isEmulator
        self.publicBase = publicBase
        passwordCost = isEmulator ? .light : .usual
        appName = project
    }

    /// The longest password in bytes of UTF-8.
    static let passwordByteLimit = 4_096
    /// How long an ID token is good, in seconds.
    static let idTokenSeconds: Int64 = 3_600
    /// How many sessions an account has at most; the ones unused for longest make room.
    static let sessionLimit = 100
    /// How often bookkeeping is written, at most.
    static let bookkeepingInterval: Int64 = 3_600_000

    /// Who makes the ID tokens.
    public var issuer: String { "https://securetoken.google.com/\(project)" }
    /// Who makes the session cookies.
    var cookieIssuer: String { "https://session.firebase.google.com/\(project)" }
}
