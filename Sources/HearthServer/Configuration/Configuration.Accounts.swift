// What an operator decides about accounts.

extension Configuration {
    /// How users' accounts behave, and how mails reach them. Which project they are of says
    /// `Configuration.tokens`.
    public struct Accounts: Sendable, Equatable {
        /// Whether attempts are counted and bounded; never in emulator mode.
        public var hasLimits = true
        /// Whether anybody may register with address and password.
        public var allowsSignUp = true
        /// Whether anybody may sign in anonymously.
        public var allowsAnonymous = true
        /// What a password has at least, in UTF-16 units: 6 to 128.
        public var passwordLength = 6
        /// Whether hashing a password is made quick, as in emulators: for tests alone, since stolen hashes
        /// are soon guessed then.
        public var hasQuickHashes = false
        /// The app's own page that links in mails lead to; nil for the server's.
        public var actionPage: String?
        /// Hosts that links may go on to afterwards, beside this machine and that of
        /// `Configuration.publicURL`.
        public var authorizedDomains: [String] = []
        /// The keys that apps may show; empty for any.
        public var allowedKeys: [String] = []
        /// What mails call the app; nil for the name of the project.
        public var appName: String?
        /// Whom mails are from, an address alone.
        public var mailSender = "noreply@localhost"
        /// The program that takes mails on its standard input, with its arguments; empty for none: mails are
        /// then just written to the folder `outbox` of the data directory.
        public var mailCommand: [String] = []
        /// A folder with the words of mails; nil for the usual ones.
        public var mailTemplates: String?

        /// Accounts for everybody, mails to the folder.
        public init() {}
    }
}
