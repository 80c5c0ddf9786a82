// The accounts as a function: a tree, a call, a moment and chance give writes and an answer.
public import HearthCore

/// What came of a call.
public enum AccountDecision: Sendable {
    /// It is done once the writes are.
    case answered(AccountOutcome)
    /// It is not done, and nothing changes.
    case refused(AccountRefusal)
    /// It cannot be decided before this work is done; then it is to be decided anew, on the newest tree.
    case needs(PasswordWork)
}

/// Decides calls. Pure: the same arguments give the same decision.
public enum Accounts {
    /// Decides a call.
    ///
    /// - Parameters:
    ///   - root: the private tree as it is now.
    ///   - findings: what was found out about passwords for this call so far.
    ///   - now: milliseconds since 1970, never less than in an earlier write.
    ///   - random: where uids, refresh tokens and codes come from.
    /// - Complexity: O(log n) in the number of accounts for a user's call, and one signature checked for
    ///   custom tokens; O(what is listed or removed) for the administrator's.
    public static func decide<Random: RandomNumberGenerator>(
        _ call: AccountCall, in root: Node, settings: AccountSettings, findings: PasswordFindings,
        now: Int64, random: inout Random
    ) -> AccountDecision {
        var turn = AccountTurn(
            call: call, settings: settings, findings: findings, now: now, tree: AccountTree(root),
            random: Chance(base: random))
        // What was drawn stays drawn.
        defer { if let advanced = turn.random.base as? Random { random = advanced } }
        do throws(AccountStop) {
            var outcome = try turn.decide()
            outcome.edits = turn.tree.edits
            return .answered(outcome)
        } catch {
            switch error {
            case .refused(let refusal): return .refused(refusal)
            case .needs(let work): return .needs(work)
            }
        }
    }

    /// Whether a token of this server's own is still good: its user is there, not disabled, and has ended
    /// neither its session nor all.
    ///
    /// - Complexity: O(log n).
    public static func accepts(_ token: VerifiedToken, in root: Node) -> Bool {
        let tree = AccountTree(root)
        guard let account = tree.account(token.uid), !account.isDisabled else { return false }
        return account.accepts(issuedAt: token.issuedAt) && tree.hasSession(of: token)
    }
}

/// Why the way of a call ends before its answer.
enum AccountStop: Error {
    case refused(AccountRefusal)
    case needs(PasswordWork)
}

/// Any generator as one type.
struct Chance: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}

/// One call while it is being decided.
struct AccountTurn {
    let call: AccountCall
    let settings: AccountSettings
    let findings: PasswordFindings
    /// Milliseconds since 1970.
    let now: Int64
    var tree: AccountTree
    var random: Chance

    var body: AccountBody { call.body }
    /// Whether nobody must learn which addresses have accounts.
    var hidesEmails: Bool { !settings.isEmulator || tree.hidesEmails }

    init(
        call: AccountCall, settings: AccountSettings, findings: PasswordFindings, now: Int64,
        tree: AccountTree, random: Chance
    ) {
        self.call = call
        self.settings = settings
        self.findings = findings
        self.now = now
        self.tree = tree
        self.random = random
    }

    mutating func decide() throws(AccountStop) -> AccountOutcome {
        try checkAdmission()
        switch call.operation {
        case .signUp: return try signUp()
        case .signInWithPassword: return try signInWithPassword()
        case .signInWithCustomToken: return try signInWithCustomToken()
        case .signInWithEmailLink: return try signInWithEmailLink()
        case .createAuthURI: return try createAuthURI()
        case .lookup: return try lookup()
        case .update: return try update()
        case .delete: return try delete()
        case .sendCode: return try sendCode()
        case .resetPassword: return try resetPassword()
        case .refresh: return try refresh()
        case .signOut, .sessions, .endSession: return try actOnSessions()
        case .actionPage, .actionForm: return try actOnPage()
        case .clearAccounts, .listCodes, .listVerificationCodes, .readEmulator, .changeEmulator, .greet:
            return try actOnEmulator()
        case .projectConfiguration, .passwordPolicy, .recaptchaConfiguration, .revokeProviderToken:
            return tellSettings()
        case .notOffered: throw .refused(.operationNotAllowed)
        case .notImplemented: throw .refused(.notImplemented)
        default: return try administer()
        }
    }

    private func checkAdmission() throws(AccountStop) {
        guard settings.isEmulator || !call.operation.isEmulatorsOnly else { throw .refused(.notFound) }
        if call.operation.isAdministrative, !call.isAdministrator { throw .refused(.administratorOnly) }
        guard try text("tenantId", orEmpty: true) == nil else { throw .refused(.tenants) }
        if !call.isAdministrator, try text("targetProjectId", orEmpty: true) != nil {
            throw .refused(
                AccountRefusal(
                    "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."))
        }
    }
}

extension AccountTurn {
    /// A field; an empty one counts as absent if `orEmpty` says so.
    func text(_ name: String, orEmpty: Bool = false) throws(AccountStop) -> String? {
        do throws(AccountRefusal) {
            return orEmpty ? try body.someText(name) : try body.text(name)
        } catch {
            throw .refused(error)
        }
    }

    func flag(_ name: String) throws(AccountStop) -> Bool? {
        do throws(AccountRefusal) {
            return try body.bool(name)
        } catch {
            throw .refused(error)
        }
    }

    func integer(_ name: String) throws(AccountStop) -> Int64? {
        do throws(AccountRefusal) {
            return try body.integer(name)
        } catch {
            throw .refused(error)
        }
    }

    func texts(_ name: String) throws(AccountStop) -> [String] {
        do throws(AccountRefusal) {
            return try body.texts(name)
        } catch {
            throw .refused(error)
        }
    }

    /// A checked address.
    func canonical(_ email: String) throws(AccountStop) -> String {
        do throws(AccountRefusal) {
            return try EmailAddress.canonical(email, settings: settings)
        } catch {
            throw .refused(error)
        }
    }

    /// Checks a new password.
    func check(_ password: String, email: String?) throws(AccountStop) {
        do throws(AccountRefusal) {
            try PasswordRules.check(password, email: email, settings: settings)
        } catch {
            throw .refused(error)
        }
    }

    /// The record of a new password, once it is made.
    ///
    /// - Parameter localID: whose it is; a new account without a uid of its own yet leaves it out.
    func record(of password: String, for localID: String = "") throws(AccountStop) -> String {
        let work = PasswordWork.make(password: password, localID: localID)
        guard let record = findings.record(of: work) else { throw .needs(work) }
        return record
    }

    /// Whether a password is that of a record, once that is found out.
    func matches(_ password: String, _ record: String) throws(AccountStop) -> Bool {
        let work = PasswordWork.check(password: password, record: record)
        guard let result = findings.result(of: work) else { throw .needs(work) }
        return result
    }

    /// Who asks, by the `idToken` of the call. Source: accounts.md §10.
    func caller(orIfMissing refusal: AccountRefusal = .missingIDToken) throws(AccountStop) -> (
        account: Account, token: VerifiedToken
    ) {
        let token: VerifiedToken
        switch call.idToken {
        case nil: throw .refused(refusal)
        case .failure(.expired): throw .refused(.tokenExpired)
        case .failure: throw .refused(.invalidIDToken)
        case .success(let verified): token = verified
        }
        guard let account = tree.account(token.uid) else { throw .refused(.userNotFound) }
        guard account.accepts(issuedAt: token.issuedAt), tree.hasSession(of: token) else {
            throw .refused(.tokenExpired)
        }
        guard !account.isDisabled else { throw .refused(.userDisabled) }
        return (account, token)
    }

    /// Has a dangerous change wait for a new sign-in if the last one is long ago.
    func requireRecentLogin(_ account: Account, _ token: VerifiedToken) throws(AccountStop) {
        guard !settings.isEmulator, account.hasCredential else { return }
        guard now - (token.signedInAt ?? 0) <= settings.recentLogin else { throw .refused(.loginTooOld) }
    }

    /// A uid that nobody has: 28 letters and digits.
    mutating func freshLocalID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        while true {
            let localID = String((0..<28).map { _ in letters[Int.random(in: 0..<62, using: &random)] })
            if tree.account(localID) == nil { return localID }
        }
    }

    /// An answer of JSON.
    func answer(_ kind: String, _ fields: [String: Claims] = [:]) -> AccountOutcome {
        var fields = fields.filter { !$0.value.isNull }
        fields["kind"] = .text("identitytoolkit#" + kind)
        return AccountOutcome(answer: .json(fields))
    }
}
