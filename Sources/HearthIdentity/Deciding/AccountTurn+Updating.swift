// Looking up, changing and deleting accounts (accounts.md §2, §4).
import HearthCore

extension AccountTurn {
    mutating func lookup() throws(AccountStop) -> AccountOutcome {
        let found: [Account]
        if call.isAdministrator, call.idToken == nil {
            found = try namedAccounts()
        } else {
            found = [try caller().account]
        }
        // SDKs need the field to be absent where nobody was found.
        let records: Claims = found.isEmpty ? .null : .list(found.map(\.record))
        return answer("GetAccountInfoResponse", ["users": records])
    }

    /// The accounts that the administrator names by uid or address, each once.
    private func namedAccounts() throws(AccountStop) -> [Account] {
        var found: [Account] = []
        for localID in try texts("localId") {
            if let account = tree.account(localID) { found.append(account) }
        }
        for email in try texts("email") {
            if let account = tree.account(email: email.lowercased()) { found.append(account) }
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.localID).inserted }
    }

    mutating func update() throws(AccountStop) -> AccountOutcome {
        guard body.has("idToken") || body.has("oobCode") || call.isAdministrator else {
            throw .refused(AccountRefusal("INVALID_REQ_TYPE : Unsupported request parameters."))
        }
        guard call.isAdministrator || !body.has("customAttributes") else {
            throw .refused(.insufficientPermission)
        }
        if body.has("oobCode") { return try applyCode() }
        if body.has("idToken") { return try updateByUser() }
        return try updateByAdministrator()
    }

    private mutating func updateByUser() throws(AccountStop) -> AccountOutcome {
        let (old, token) = try caller()
        guard !body.has("disableUser") else { throw .refused(.operationNotAllowed) }
        var change = AccountChange(old)
        try changeEmail(&change, by: token)
        try changePassword(&change)
        try deleteAttributes(&change)
        try changeProfile(&change)
        if change.endsTokens { try requireRecentLogin(old, token) }
        let provider = change.hasNewPassword ? Provider.password : token.provider ?? Provider.password
        return finish(&change, provider: provider, of: token)
    }

    /// An address and password that are there change only after the new address was shown to be theirs.
    private mutating func changeEmail(
        _ change: inout AccountChange, by token: VerifiedToken
    ) throws(AccountStop) {
        guard let given = try text("email", orEmpty: true) else { return }
        let email = try canonical(given)
        guard email != change.account.email else { return }
        guard settings.isEmulator || change.account.email == nil else { throw .refused(.verifyNewEmail) }
        guard tree.account(email: email) == nil else { throw .refused(.emailExists) }
        if token.provider != Provider.anonymous { change.recoveryEmail = change.account.email }
        change.setEmail(email, isVerified: false)
    }

    private mutating func changePassword(_ change: inout AccountChange) throws(AccountStop) {
        guard let password = try text("password", orEmpty: true) else { return }
        try check(password, email: change.account.email)
        setPassword(try record(of: password), of: &change.account)
        change.hasNewPassword = true
        change.endsTokens = true
    }

    func deleteAttributes(_ change: inout AccountChange) throws(AccountStop) {
        let names = try texts("deleteAttribute").map { $0.uppercased() }
        let providers = try texts("deleteProvider")
        // Android sends numbers: 1 EMAIL, 2 DISPLAY_NAME, 4 PHOTO_URL, 5 PASSWORD (accounts.md §1).
        func isNamed(_ name: String, _ number: String) -> Bool {
            names.contains(name) || names.contains(number)
        }
        if isNamed("DISPLAY_NAME", "2") { change.account.displayName = nil }
        if isNamed("PHOTO_URL", "4") { change.account.photoURL = nil }
        let removesEmail = isNamed("EMAIL", "1") || providers.contains(Provider.password)
        if removesEmail || isNamed("PASSWORD", "5") {
            change.account.password = nil
            change.account.passwordUpdatedAt = nil
            change.endsTokens = true
        }
        if removesEmail {
            change.account.email = nil
            change.account.isEmailVerified = false
            change.account.hasEmailLink = false
        }
    }

    func changeProfile(_ change: inout AccountChange) throws(AccountStop) {
        if let name = try text("displayName") { change.account.displayName = name.isEmpty ? nil : name }
        if let url = try text("photoUrl") { change.account.photoURL = url.isEmpty ? nil : url }
        for text in [change.account.displayName, change.account.photoURL] {
            guard (text?.utf8.count ?? 0) <= AccountChange.textByteLimit else {
                throw .refused(.invalidPayload("A profile field is too long."))
            }
        }
    }

    /// Keeps a user's change, and plans the tokens that go on with it.
    private mutating func finish(
        _ change: inout AccountChange, provider: String, of token: VerifiedToken
    ) -> AccountOutcome {
        let signedInAt = change.hasNewPassword ? nil : token.signedInAt
        keep(&change)
        var outcome = changed(change)
        if change.hasNewPassword || change.hasNewEmail {
            outcome.token = beginSession(of: change.account, provider: provider, signedInAt: signedInAt)
        }
        if let email = change.recoveryEmail {
            outcome.mails += planCode(.recoverEmail, change.account, email: email, newEmail: nil).mails
        }
        return outcome
    }

    /// Writes a change, with all that follows from it for what is signed in and for codes.
    mutating func keep(_ change: inout AccountChange) {
        if change.endsTokens {
            endAll(of: &change.account)
            tree.voidCodes(of: change.account.localID, [.resetPassword])
        }
        if change.hasNewEmail {
            tree.voidCodes(of: change.account.localID, [.verifyEmail, .changeEmail])
            change.account.initialEmail = change.account.initialEmail ?? change.old.email
        }
        tree.put(change.account)
    }

    /// The answer to a change.
    func changed(_ change: AccountChange) -> AccountOutcome {
        let account = change.account
        var outcome = answer(
            "SetAccountInfoResponse",
            [
                "localId": .text(account.localID), "email": .text(account.email),
                "emailVerified": .bool(account.isEmailVerified), "displayName": .text(account.displayName),
                "photoUrl": .text(account.photoURL), "providerUserInfo": .list(account.providers),
                "newEmail": change.hasNewEmail ? .text(account.email) : .null,
                "passwordHash": .text(account.password.map { _ in Account.redactedPassword }),
            ])
        if change.endsTokens || account.isDisabled { outcome.endedUsers = [account.localID] }
        outcome.events = change.events
        return outcome
    }

    mutating func delete() throws(AccountStop) -> AccountOutcome {
        let account: Account
        if call.isAdministrator, call.idToken == nil {
            account = try subject()
        } else {
            let (own, token) = try caller()
            try requireRecentLogin(own, token)
            account = own
        }
        tree.remove(account, now: now)
        var outcome = answer("DeleteAccountResponse")
        outcome.endedUsers = [account.localID]
        outcome.events = [AccountEvent(kind: .removed, localID: account.localID)]
        return outcome
    }
}

/// An account while it is changed, with what follows from the change.
struct AccountChange {
    /// How long a name or an address of a picture may be.
    static let textByteLimit = 8_192

    let old: Account
    var account: Account
    /// Whether what was signed in before ends.
    var endsTokens = false
    var hasNewPassword = false
    var hasNewEmail = false
    /// The address that is told of the change, so that its owner can take it back.
    var recoveryEmail: String?

    init(_ account: Account) {
        old = account
        self.account = account
    }

    mutating func setEmail(_ email: String, isVerified: Bool) {
        account.email = email
        account.isEmailVerified = isVerified
        hasNewEmail = true
        endsTokens = true
    }

    /// What the log is to say.
    var events: [AccountEvent] {
        var kinds: [AccountEvent.Kind] = []
        if hasNewPassword { kinds.append(.passwordChanged) }
        if hasNewEmail { kinds.append(.emailChanged) }
        if account.isDisabled != old.isDisabled { kinds.append(account.isDisabled ? .disabled : .enabled) }
        if account.isEmailVerified, !old.isEmailVerified { kinds.append(.emailVerified) }
        if kinds.isEmpty, endsTokens { kinds.append(.revoked) }
        return kinds.map { AccountEvent(kind: $0, localID: account.localID) }
    }
}
