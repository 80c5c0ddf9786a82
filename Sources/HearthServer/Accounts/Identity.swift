// Putting the accounts of a server together from its configuration.
import HearthCrypto
import HearthIdentity
import HearthStorage

/// What the accounts need, and what users' tokens are checked with.
struct Identity {
    let accounts: AccountService
    let tokens: TokenCheck

    /// The project of a server whose operator has named none.
    private static let usualProject = "hearth"

    /// What a server has before its accounts.
    struct Surroundings {
        let outside: Outside
        /// Where the server listens.
        let addresses: [SocketAddress]
        let durable: DurableMark
        let workers: Workers

        init(_ outside: Outside, _ addresses: [SocketAddress], _ durable: DurableMark, _ workers: Workers) {
            self.outside = outside
            self.addresses = addresses
            self.durable = durable
            self.workers = workers
        }

        /// The directory with the server's files, nil if it keeps none; or one below it.
        func disk(_ configuration: Configuration, below name: String? = nil) -> (any Disk)? {
            guard case .directory(let path) = configuration.storage else { return nil }
            let disk = outside.disk(path)
            return name.map { outside.disk(disk.path(of: $0)) } ?? disk
        }
    }

    /// - Parameter issuers: whose tokens are taken beside this server's own.
    /// - Throws: `StartFailure` for keys or templates that cannot be used.
    init(
        _ configuration: Configuration, _ issuers: [TokenIssuer], _ surroundings: Surroundings
    ) throws(StartFailure) {
        let settings = Identity.settings(configuration, surroundings.addresses)
        let reason = Identity.obstacle(configuration, settings)
        var keys: KeyRing?
        if configuration.isEmulator || reason != nil {
            tokens = .fixed(try TokenVerifier(issuers, isEmulator: configuration.isEmulator))
        } else {
            let ring = try KeyRing(
                configuration.log, surroundings.disk(configuration), project: settings.project,
                issuers: issuers, clock: surroundings.outside.clock)
            keys = ring
            tokens = .ring(ring)
        }
        let postbox = try Postbox(configuration, appName: settings.appName, surroundings)
        do throws(SystemFailure) {
            accounts = AccountService(
                settings, keys: keys, postbox: postbox, hashing: try HashingPool(surroundings),
                hasLimits: configuration.accounts.hasLimits && !configuration.isEmulator,
                unavailable: reason)
        } catch {
            postbox.stop()
            throw .system(error)
        }
    }

    /// Why there can be no accounts: somebody else makes the tokens of this very project.
    private static func obstacle(_ configuration: Configuration, _ settings: AccountSettings) -> String? {
        let tokens = configuration.tokens
        guard !configuration.isEmulator, tokens.publicKeysFile != nil || tokens.secretFile != nil,
            tokens.issuer ?? settings.issuer == settings.issuer
        else { return nil }
        return "The users of this server are kept elsewhere: it takes the tokens of another issuer."
    }

    private static func settings(
        _ configuration: Configuration, _ addresses: [SocketAddress]
    ) -> AccountSettings {
        let given = configuration.accounts
        let base =
            configuration.publicURL?.description
            ?? (configuration.tls == nil ? "http://" : "https://") + address(addresses)
        var settings = AccountSettings(
            project: configuration.tokens.project ?? usualProject, isEmulator: configuration.isEmulator,
            publicBase: base)
        settings.hasProject = configuration.tokens.project != nil
        settings.allowsSignUp = given.allowsSignUp
        settings.allowsAnonymous = given.allowsAnonymous
        settings.passwordLength = given.passwordLength
        if given.hasQuickHashes { settings.passwordCost = .light }
        settings.actionPage = given.actionPage
        settings.authorizedDomains = given.authorizedDomains
        settings.allowedKeys = given.allowedKeys.isEmpty ? nil : Set(given.allowedKeys)
        if let name = given.appName { settings.appName = name }
        return settings
    }

    /// Where the first listener can be reached from this machine.
    private static func address(_ addresses: [SocketAddress]) -> String {
        guard let first = addresses.first else { return "127.0.0.1:9000" }
        return first.isUnspecified ? "127.0.0.1:\(first.port)" : "\(first)"
    }
}
