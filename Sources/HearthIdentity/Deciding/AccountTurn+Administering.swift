// What the administrator alone may do (accounts.md §9).
import HearthCore
import HearthCrypto

extension AccountTurn {
    private static let listLimit: Int64 = 1_000
    private static let listDefault: Int64 = 20
    private static let queryLimit: Int64 = 500

    mutating func administer() throws(AccountStop) -> AccountOutcome {
        switch call.operation {
        case .batchGet: return try listAccounts()
        case .batchCreate: return try importAccounts()
        case .batchDelete: return try deleteAccounts()
        case .query: return try queryAccounts()
        case .createSessionCookie: return try makeCookie()
        case .listSigners: return listSigners()
        case .createSigner, .deleteSigner: return try changeSigner()
        default: throw .refused(.notFound)
        }
    }

    /// `accounts:signUp` by the administrator: no tokens.
    mutating func createAccount() throws(AccountStop) -> AccountOutcome {
        let localID = try text("localId", orEmpty: true)
        guard localID == nil || !body.has("idToken") else { throw .refused(.unexpectedUserID) }
        if let localID {
            guard localID.utf8.count <= ClaimsReading.uidByteLimit else {
                throw .refused(AccountRefusal("INVALID_LOCAL_ID"))
            }
            guard tree.account(localID) == nil else { throw .refused(AccountRefusal("DUPLICATE_LOCAL_ID")) }
        }
        var account = localID.map(newAccount) ?? Account(localID: freshLocalID(), createdAt: now)
        if let given = try text("email") {
            let email = try canonical(given)
            guard tree.account(email: email) == nil else { throw .refused(.emailExists) }
            account.email = email
            account.initialEmail = email
        }
        account.displayName = try text("displayName", orEmpty: true)
        account.photoURL = try text("photoUrl", orEmpty: true)
        account.isEmailVerified = try flag("emailVerified") ?? false
        account.isDisabled = try flag("disabled") ?? false
        if let password = try text("password", orEmpty: true) {
            try check(password, email: account.email)
            setPassword(try record(of: password), of: &account)
            account.validSince = now / 1_000
        }
        tree.put(account)
        var outcome = answer(
            "SignupNewUserResponse",
            [
                "localId": .text(account.localID), "email": .text(account.email),
                "displayName": .text(account.displayName),
            ])
        outcome.events = [AccountEvent(kind: .registered, localID: account.localID)]
        return outcome
    }

    mutating func updateByAdministrator() throws(AccountStop) -> AccountOutcome {
        var change = AccountChange(try subject())
        if let given = try text("email", orEmpty: true) {
            let email = try canonical(given)
            if email != change.account.email {
                guard tree.account(email: email) == nil else { throw .refused(.emailExists) }
                change.setEmail(email, isVerified: false)
            }
        }
        if let password = try text("password", orEmpty: true) {
            try check(password, email: change.account.email)
            setPassword(try record(of: password), of: &change.account)
            change.hasNewPassword = true
            change.endsTokens = true
        }
        try deleteAttributes(&change)
        try changeProfile(&change)
        if let isVerified = try flag("emailVerified") { change.account.isEmailVerified = isVerified }
        if let isDisabled = try flag("disableUser") { change.account.isDisabled = isDisabled }
        if let time = try integer("createdAt") { change.account.createdAt = time }
        if let time = try integer("lastLoginAt") { change.account.lastLoginAt = time }
        try changeClaims(&change)
        let validSince = try integer("validSince")
        if validSince != nil { change.endsTokens = true }
        keep(&change)
        if let validSince {
            change.account.validSince = validSince
            change.account.tokensFrom = max(change.account.tokensFrom, validSince)
            tree.put(change.account)
        }
        return changed(change)
    }

    private func changeClaims(_ change: inout AccountChange) throws(AccountStop) {
        guard let text = try text("customAttributes") else { return }
        guard !text.isEmpty else {
            change.account.customAttributes = nil
            return
        }
        do throws(AccountRefusal) {
            try CustomAttributes.check(text)
        } catch {
            throw .refused(error)
        }
        change.account.customAttributes = text == "{}" ? nil : text
    }

    private func listAccounts() throws(AccountStop) -> AccountOutcome {
        let count = try integer("maxResults") ?? AccountTurn.listDefault
        guard 1...AccountTurn.listLimit ~= count else {
            throw .refused(.invalidPayload("maxResults must be 1 to \(AccountTurn.listLimit)."))
        }
        let token = try text("nextPageToken", orEmpty: true)
        let users = Array(tree.accounts(after: token).prefix(Int(count)))
        let next = users.count == Int(count) ? users.last?.localID : nil
        return answer(
            "DownloadAccountResponse",
            [
                "users": users.isEmpty ? .null : .list(users.map(\.record)),
                "nextPageToken": .text(next),
            ])
    }

    private func queryAccounts() throws(AccountStop) -> AccountOutcome {
        let count = Claims.decimal(Int64(tree.accountCount))
        guard try flag("returnUserInfo") ?? true else {
            return answer("QueryUserInfoResponse", ["recordsCount": count])
        }
        let limit = min(try integer("limit") ?? AccountTurn.queryLimit, AccountTurn.queryLimit)
        let offset = try integer("offset") ?? 0
        guard limit >= 0, offset >= 0, offset <= Int64(Int32.max) else {
            throw .refused(.invalidPayload("limit and offset must not be negative."))
        }
        let sort = try text("sortBy", orEmpty: true) ?? "USER_ID"
        guard ["USER_ID", "SORT_BY_FIELD_UNSPECIFIED", "0", "1"].contains(sort) else {
            throw .refused(.invalidPayload("Users can be sorted by USER_ID alone."))
        }
        let isDescending = ["DESC", "2"].contains(try text("order") ?? "")
        let users: [Account]
        if isDescending {
            users = Array(Array(tree.accounts()).reversed().dropFirst(Int(offset)).prefix(Int(limit)))
        } else {
            users = Array(tree.accounts().dropFirst(Int(offset)).prefix(Int(limit)))
        }
        return answer(
            "QueryUserInfoResponse",
            [
                "recordsCount": .decimal(Int64(users.count)),
                "userInfo": users.isEmpty ? .null : .list(users.map(\.record)),
            ])
    }

    private mutating func deleteAccounts() throws(AccountStop) -> AccountOutcome {
        let localIDs = try texts("localIds")
        guard 1...Int(AccountTurn.listLimit) ~= localIDs.count else {
            throw .refused(AccountRefusal("LOCAL_ID_LIST_EXCEEDS_LIMIT"))
        }
        let isForced = try flag("force") ?? false
        var errors: [Claims] = []
        var outcome = answer("BatchDeleteResponse")
        for (index, localID) in localIDs.enumerated() {
            guard let account = tree.account(localID) else { continue }
            guard isForced || account.isDisabled else {
                errors.append(
                    .object([
                        "index": .integer(Int64(index)), "localId": .text(localID),
                        "message": .text("NOT_DISABLED : Disable the account before batch deletion."),
                    ]))
                continue
            }
            tree.remove(account, now: now)
            outcome.endedUsers.append(localID)
            outcome.events.append(AccountEvent(kind: .removed, localID: localID))
        }
        outcome.answer = .json(errors.isEmpty ? [:] : ["errors": .list(errors)])
        return outcome
    }

    private func makeCookie() throws(AccountStop) -> AccountOutcome {
        guard body.has("idToken") else { throw .refused(.missingIDToken) }
        let seconds = try integer("validDuration") ?? 14 * 24 * 3_600
        guard 300...1_209_600 ~= seconds else { throw .refused(AccountRefusal("INVALID_DURATION")) }
        let (_, token) = try caller()
        guard var claims = token.claims.members else { throw .refused(.invalidIDToken) }
        claims["iat"] = .integer(now / 1_000)
        claims["exp"] = .integer(now / 1_000 + seconds)
        claims["iss"] = .text(settings.cookieIssuer)
        var outcome = AccountOutcome(answer: .json([:]))
        outcome.token = TokenPlan(claims: claims, refreshToken: "", form: .cookie)
        return outcome
    }

    private func listSigners() -> AccountOutcome {
        let signers = tree.signers.map {
            Claims.object(["name": .text($0.name), "createdAt": .decimal($0.createdAt)])
        }
        return AccountOutcome(answer: .json(["signers": .list(signers)]))
    }

    /// Keeps the public key of somebody who may sign custom tokens, or forgets it.
    private mutating func changeSigner() throws(AccountStop) -> AccountOutcome {
        guard let name = try text("name", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_NAME"))
        }
        guard name.utf8.count <= 128, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .refused(AccountRefusal("INVALID_NAME : 1 to 128 visible characters of ASCII."))
        }
        guard call.operation == .createSigner else {
            guard tree.signer(name) != nil else { throw .refused(AccountRefusal("SIGNER_NOT_FOUND")) }
            tree.putSigner(name, publicKey: nil, now: now)
            return AccountOutcome(answer: .json([:]))
        }
        guard tree.signer(name) == nil else { throw .refused(AccountRefusal("DUPLICATE_NAME")) }
        guard let pem = try text("publicKey", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_PUBLIC_KEY"))
        }
        do throws(TokenKeysFault) {
            _ = try TokenKeys(pem: pem)
        } catch {
            throw .refused(AccountRefusal("INVALID_PUBLIC_KEY : \(error)"))
        }
        tree.putSigner(name, publicKey: pem, now: now)
        return AccountOutcome(answer: .json(["name": .text(name)]))
    }
}
