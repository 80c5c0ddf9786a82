// Sessions: beginning, going on with, listing and ending them.
import HearthCore

extension AccountTurn {
    /// Begins a session of `account` and plans its first ID token.
    ///
    /// - Parameter signedInAt: when the user signed in, if not now.
    mutating func beginSession(
        of account: Account, provider: String, claims: [String: Claims] = [:], signedInAt: Int64? = nil
    ) -> TokenPlan {
        let token = Session.freshToken(using: &random)
        let session = Session(
            localID: account.localID, provider: provider, signedInAt: signedInAt ?? now, claims: claims,
            usedAt: now, client: call.client)
        prune(sessionsOf: account.localID)
        let key = Session.key(of: token)
        tree.put(session, key)
        return TokenPlan(
            claims: IDToken.claims(account, session, key, now: now, settings: settings), refreshToken: token,
            form: .signIn)
    }

    /// Ends the sessions of an account that nobody has used for long, and the oldest of too many.
    private mutating func prune(sessionsOf localID: String) {
        let known = tree.sessions(of: localID).sorted { $0.session.usedAt > $1.session.usedAt }
        for (index, entry) in known.enumerated() {
            let isOver = now - entry.session.usedAt > settings.sessionLifetime
            if isOver || index >= AccountSettings.sessionLimit - 1 { tree.remove(entry.session, entry.key) }
        }
    }

    /// Ends all that is signed in as `account`; emulators end nothing (accounts.md §14).
    mutating func endAll(of account: inout Account) {
        account.endTokens(at: now, settings: settings)
        if !settings.isEmulator { tree.endSessions(of: account.localID) }
    }

    /// `token`: a new ID token for a refresh token (accounts.md §7).
    mutating func refresh() throws(AccountStop) -> AccountOutcome {
        guard let grant = try text("grantType", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_GRANT_TYPE"))
        }
        guard grant == "refresh_token" else { throw .refused(AccountRefusal("INVALID_GRANT_TYPE")) }
        guard let token = try text("refreshToken", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_REFRESH_TOKEN"))
        }
        let key = Session.key(of: token)
        guard var session = tree.session(key) else {
            throw .refused(refusal(of: token, key))
        }
        guard var account = tree.account(session.localID) else { throw .refused(.userNotFound) }
        guard !account.isDisabled else { throw .refused(.userDisabled) }
        guard now - session.usedAt <= settings.sessionLifetime else { throw .refused(.tokenExpired) }
        if now - session.usedAt >= AccountSettings.bookkeepingInterval {
            session.usedAt = now
            tree.put(session, key)
        }
        if now - (account.lastRefreshAt ?? 0) >= AccountSettings.bookkeepingInterval {
            account.lastRefreshAt = now
            tree.put(account)
        }
        var outcome = AccountOutcome(answer: .json([:]))
        outcome.token = TokenPlan(
            claims: IDToken.claims(account, session, key, now: now, settings: settings), refreshToken: token,
            form: .refresh)
        return outcome
    }

    /// Why there is no session: an ended one is told apart from what never was one by its form alone.
    private func refusal(of token: String, _ key: Key) -> AccountRefusal {
        guard !settings.isEmulator, Session.isToken(token) else {
            return AccountRefusal("INVALID_REFRESH_TOKEN")
        }
        return tree.isRemoved(key) ? .userNotFound : .tokenExpired
    }

    /// Signing out, and the list of sessions: ours.
    mutating func actOnSessions() throws(AccountStop) -> AccountOutcome {
        switch call.operation {
        case .signOut: return try signOut()
        case .sessions: return try listSessions()
        default: return try endSession()
        }
    }

    /// Ends the session of a refresh token. One that is not there is as good as ended.
    private mutating func signOut() throws(AccountStop) -> AccountOutcome {
        guard let token = try text("refreshToken", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_REFRESH_TOKEN"))
        }
        var outcome = AccountOutcome(answer: .json([:]))
        let key = Session.key(of: token)
        guard let session = tree.session(key) else { return outcome }
        tree.remove(session, key)
        outcome.endedUsers = [session.localID]
        outcome.events = [AccountEvent(kind: .signedOut, localID: session.localID)]
        return outcome
    }

    private func listSessions() throws(AccountStop) -> AccountOutcome {
        let account = try subject()
        let sessions = tree.sessions(of: account.localID)
            .sorted { ($0.session.usedAt, $0.key) > ($1.session.usedAt, $1.key) }
            .map { entry in
                Claims.object(present: [
                    "sessionId": .text(entry.key.text), "providerId": .text(entry.session.provider),
                    "signedInAt": .decimal(entry.session.signedInAt),
                    "lastUsedAt": .decimal(entry.session.usedAt),
                    "client": entry.session.client.isEmpty ? .null : .text(entry.session.client),
                ])
            }
        return AccountOutcome(
            answer: .json(["localId": .text(account.localID), "sessions": .list(sessions)]))
    }

    private mutating func endSession() throws(AccountStop) -> AccountOutcome {
        let account = try subject()
        guard let id = try text("sessionId", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_SESSION_ID"))
        }
        let entry = tree.sessions(of: account.localID).first { $0.key.text == id }
        guard let entry else { throw .refused(AccountRefusal("SESSION_NOT_FOUND")) }
        tree.remove(entry.session, entry.key)
        var outcome = AccountOutcome(answer: .json([:]))
        outcome.endedUsers = [account.localID]
        outcome.events = [AccountEvent(kind: .signedOut, localID: account.localID)]
        return outcome
    }

    /// Whom a call is about: the user who asks, or whom the administrator names.
    func subject() throws(AccountStop) -> Account {
        guard call.isAdministrator, call.idToken == nil else { return try caller().account }
        guard let localID = try text("localId", orEmpty: true) else { throw .refused(.missingLocalID) }
        guard let account = tree.account(localID) else { throw .refused(.userNotFound) }
        return account
    }
}
