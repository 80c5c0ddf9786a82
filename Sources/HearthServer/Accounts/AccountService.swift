// What serves accounts beside the loops: settings, keys, limits, slow threads, mails.
import HearthCore
import HearthCrypto
import HearthIdentity
import HearthStorage
import Synchronization

/// The accounts of one server. Safe to use from any thread.
final class AccountService: Sendable {
    let settings: AccountSettings
    /// Nil in emulators, which sign nothing.
    let keys: KeyRing?
    let hashing: HashingPool
    let postbox: Postbox
    /// Why accounts are not offered; nil if they are.
    let unavailable: String?
    private let hasLimits: Bool
    /// The project that was named last to an emulator whose operator has named none.
    private let namedProject = Mutex<String?>(nil)
    private let limits = Mutex(AccountLimits())

    init(
        _ settings: AccountSettings, keys: KeyRing?, postbox: Postbox, hashing: HashingPool, hasLimits: Bool,
        unavailable: String?
    ) {
        self.settings = settings
        self.keys = keys
        self.postbox = postbox
        self.hasLimits = hasLimits
        self.unavailable = unavailable
        self.hashing = hashing
    }

    /// The settings for a call whose address names `project`. An emulator that was started without one is of
    /// whichever project its apps say.
    func settings(naming project: String?) -> AccountSettings {
        guard settings.isEmulator, !settings.hasProject else { return settings }
        let named = namedProject.withLock { named in
            if let project { named = project }
            return named
        }
        var settings = settings
        if let named { settings.project = named }
        return settings
    }

    /// Charges a call for being tried.
    func admit(_ call: AccountCall, at now: Int64) throws(AccountRefusal) {
        guard hasLimits else { return }
        try limits.withLock { limits throws(AccountRefusal) in try limits.admit(call, at: now) }
    }

    /// Notes how a call that was admitted came out.
    func note(_ call: AccountCall, _ refusal: AccountRefusal?) {
        guard hasLimits else { return }
        limits.withLock { $0.note(call, refusal) }
    }

    /// Lets an account be tried again whose password was set anew.
    func unlock(_ email: String) {
        limits.withLock { $0.unlock(email) }
    }

    /// Ends the threads; mails that wait stay in their folder.
    func stop() {
        hashing.stop()
        postbox.stop()
    }
}

extension Services {
    /// Whether a verified token still stands for somebody: one of this server's own is held against its
    /// account, those of others are not this server's to end.
    func accepts(_ token: VerifiedToken) -> Bool {
        guard !configuration.isEmulator, accounts.unavailable == nil,
            token.claims.member("iss").text == accounts.settings.issuer
        else { return true }
        guard let root = namespaces.accounts?.newest()?.state.root else { return false }
        return Accounts.accepts(token, in: root)
    }
}
