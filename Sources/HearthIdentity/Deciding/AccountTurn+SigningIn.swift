// Registering and signing in (accounts.md §3).
import HearthCore
import HearthCrypto

extension AccountTurn {
    /// What a password is checked against when there is nothing to check it against, so that the time tells
    /// nothing. It is nobody's.
    private var nobodysRecord: String {
        let cost = settings.passwordCost
        return "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)"
            + "$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43)
    }

    mutating func signUp() throws(AccountStop) -> AccountOutcome {
        guard !call.isAdministrator else { return try createAccount() }
        guard !body.has("localId") else { throw .refused(.unexpectedUserID) }
        guard body.has("idToken") || body.has("email") || body.has("password") else {
            return try signInAnonymously()
        }
        guard let given = try text("email") else { throw .refused(.missingEmail) }
        guard let password = try text("password", orEmpty: true) else { throw .refused(.missingPassword) }
        guard settings.allowsSignUp else { throw .refused(.operationNotAllowed) }
        let email = try canonical(given)
        guard tree.account(email: email) == nil else { throw .refused(.emailExists) }
        try check(password, email: email)
        if call.idToken != nil { return try link(email, password) }
        let record = try record(of: password)
        var account = Account(localID: freshLocalID(), createdAt: now)
        account.email = email
        account.initialEmail = email
        account.displayName = try text("displayName", orEmpty: true)
        setPassword(record, of: &account)
        account.validSince = now / 1_000
        account.lastLoginAt = now
        tree.put(account)
        return signedUp(account, .registered)
    }

    /// Gives the caller's account, anonymous so far, an address and a password.
    private mutating func link(_ email: String, _ password: String) throws(AccountStop) -> AccountOutcome {
        var (account, token) = try caller()
        if account.email != nil { try requireRecentLogin(account, token) }
        guard settings.isEmulator || account.email == nil || account.email == email else {
            throw .refused(.verifyNewEmail)
        }
        setPassword(try record(of: password), of: &account)
        account.email = email
        account.initialEmail = account.initialEmail ?? email
        account.isEmailVerified = false
        account.lastLoginAt = now
        if let name = try text("displayName", orEmpty: true) { account.displayName = name }
        endAll(of: &account)
        tree.voidCodes(of: account.localID)
        tree.put(account)
        var outcome = signedUp(account, .passwordChanged)
        outcome.endedUsers = [account.localID]
        return outcome
    }

    private mutating func signedUp(_ account: Account, _ event: AccountEvent.Kind) -> AccountOutcome {
        var outcome = answer(
            "SignupNewUserResponse",
            [
                "localId": .text(account.localID), "email": .text(account.email),
                "displayName": .text(account.displayName),
            ])
        outcome.token = beginSession(of: account, provider: Provider.password)
        outcome.events = [AccountEvent(kind: event, localID: account.localID)]
        return outcome
    }

    mutating func setPassword(_ record: String, of account: inout Account) {
        account.password = record
        account.passwordUpdatedAt = now
    }

    private mutating func signInAnonymously() throws(AccountStop) -> AccountOutcome {
        guard settings.allowsAnonymous else { throw .refused(AccountRefusal("ADMIN_ONLY_OPERATION")) }
        var account = Account(localID: freshLocalID(), createdAt: now)
        account.lastLoginAt = now
        tree.put(account)
        var outcome = answer("SignupNewUserResponse", ["localId": .text(account.localID)])
        outcome.token = beginSession(of: account, provider: Provider.anonymous)
        outcome.events = [AccountEvent(kind: .registered, localID: account.localID)]
        return outcome
    }

    mutating func signInWithPassword() throws(AccountStop) -> AccountOutcome {
        guard let given = try text("email") else { throw .refused(.missingEmail) }
        let email = try canonical(given)
        guard let password = try text("password", orEmpty: true) else { throw .refused(.missingPassword) }
        guard var account = tree.account(email: email), let record = account.password else {
            let isKnown = tree.account(email: email) != nil
            if hidesEmails { _ = try matches(password, nobodysRecord) }
            throw .refused(
                hidesEmails
                    ? .invalidCredentials : AccountRefusal(isKnown ? "INVALID_PASSWORD" : "EMAIL_NOT_FOUND"))
        }
        if account.isDisabled, settings.isEmulator { throw .refused(.userDisabled) }
        guard password.utf8.count <= AccountSettings.passwordByteLimit, try matches(password, record) else {
            throw .refused(hidesEmails ? .invalidCredentials : AccountRefusal("INVALID_PASSWORD"))
        }
        guard !account.isDisabled else { throw .refused(.userDisabled) }
        if let known = PasswordRecord(text: record), known.cost.isWeaker(than: settings.passwordCost) {
            account.password = try self.record(of: password)
        }
        account.lastLoginAt = now
        tree.put(account)
        var outcome = answer(
            "VerifyPasswordResponse",
            [
                "registered": .bool(true), "localId": .text(account.localID), "email": .text(email),
                "displayName": .text(account.displayName ?? ""),
            ])
        outcome.token = beginSession(of: account, provider: Provider.password)
        outcome.events = [AccountEvent(kind: .signedIn, localID: account.localID)]
        return outcome
    }

    mutating func signInWithCustomToken() throws(AccountStop) -> AccountOutcome {
        guard let text = try text("token", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_CUSTOM_TOKEN"))
        }
        let token: CustomToken
        do throws(AccountRefusal) {
            token =
                settings.isEmulator
                ? try CustomToken(believing: text)
                : try CustomToken(verifying: text, at: now, publicKey: tree.signer)
        } catch {
            throw .refused(error)
        }
        let known = tree.account(token.uid)
        var account = known ?? newAccount(token.uid)
        guard !account.isDisabled else { throw .refused(.userDisabled) }
        account.hasCustomAuth = true
        account.lastLoginAt = now
        tree.put(account)
        var outcome = answer("VerifyCustomTokenResponse", ["isNewUser": .bool(known == nil)])
        outcome.token = beginSession(of: account, provider: Provider.custom, claims: token.claims)
        outcome.events = [
            AccountEvent(kind: known == nil ? .registered : .signedIn, localID: account.localID)
        ]
        return outcome
    }

    /// An account with a chosen uid. Somebody may have had that uid before, whose tokens are not good here.
    func newAccount(_ localID: String) -> Account {
        var account = Account(localID: localID, createdAt: now)
        if !settings.isEmulator { account.tokensFrom = tree.removalFloor }
        return account
    }

    mutating func signInWithEmailLink() throws(AccountStop) -> AccountOutcome {
        guard settings.allowsEmailLinks else { throw .refused(.operationNotAllowed) }
        guard let given = try text("email", orEmpty: true) else { throw .refused(.missingEmail) }
        let email = try canonical(given)
        let (key, code) = try usableCode()
        guard code.kind == .signIn else { throw .refused(.invalidCode) }
        guard code.email == email else {
            throw .refused(
                AccountRefusal(
                    "INVALID_EMAIL : The email provided does not match the sign-in email address."))
        }
        let known = tree.account(email: email)
        var account: Account
        if call.idToken != nil {
            account = try caller().account
            if let known, known.localID != account.localID { throw .refused(.emailExists) }
        } else {
            account = known ?? Account(localID: freshLocalID(), createdAt: now)
        }
        guard !account.isDisabled else { throw .refused(.userDisabled) }
        tree.remove(code, key)
        account.initialEmail = account.initialEmail ?? email
        account.email = email
        account.isEmailVerified = true
        account.hasEmailLink = true
        account.lastLoginAt = now
        tree.put(account)
        let isNew = known == nil && call.idToken == nil
        var outcome = answer(
            "EmailLinkSigninResponse",
            ["email": .text(email), "localId": .text(account.localID), "isNewUser": .bool(isNew)])
        outcome.token = beginSession(of: account, provider: Provider.password)
        outcome.events = [AccountEvent(kind: isNew ? .registered : .signedIn, localID: account.localID)]
        return outcome
    }

    mutating func createAuthURI() throws(AccountStop) -> AccountOutcome {
        guard !body.has("providerId") else { throw .refused(.notImplemented) }
        guard let given = try text("identifier", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_IDENTIFIER"))
        }
        guard let uri = try text("continueUri", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_CONTINUE_URI"))
        }
        let email: String
        do throws(AccountStop) {
            email = try canonical(given)
        } catch {
            throw .refused(AccountRefusal("INVALID_IDENTIFIER"))
        }
        guard AbsoluteAddress(uri) != nil else { throw .refused(AccountRefusal("INVALID_CONTINUE_URI")) }
        var fields: [String: Claims] = ["sessionId": .text(try text("sessionId") ?? freshSessionID())]
        if !hidesEmails {
            let account = tree.account(email: email)
            var methods: [Claims] = []
            if account?.password != nil { methods.append(.text("password")) }
            if account?.hasEmailLink ?? false { methods.append(.text("emailLink")) }
            fields["registered"] = .bool(account != nil)
            fields["allProviders"] = .list(methods.isEmpty ? [] : [.text(Provider.password)])
            fields["signinMethods"] = .list(methods)
        }
        return answer("CreateAuthUriResponse", fields)
    }

    private mutating func freshSessionID() -> String { String(freshLocalID().prefix(27)) }
}

extension AccountRefusal {
    /// An address that is there already changes by way of the new one alone.
    static let verifyNewEmail = AccountRefusal(
        "OPERATION_NOT_ALLOWED : Please verify the new email before changing email.")
}
