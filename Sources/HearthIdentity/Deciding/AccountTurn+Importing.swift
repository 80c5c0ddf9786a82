// Taking over accounts from elsewhere (accounts.md §9, batchCreate).
import HearthCore
import HearthCrypto

extension AccountTurn {
    private static let importLimit = 1_000

    mutating func importAccounts() throws(AccountStop) -> AccountOutcome {
        let users: [AccountBody]
        do throws(AccountRefusal) {
            users = try body.objects("users")
        } catch {
            throw .refused(error)
        }
        guard !users.isEmpty else { throw .refused(AccountRefusal("MISSING_USER_ACCOUNT")) }
        guard users.count <= AccountTurn.importLimit else {
            throw .refused(AccountRefusal("MAXIMUM_USER_COUNT_EXCEEDED"))
        }
        let overwrites = try flag("allowOverwrite") ?? false
        var errors: [Claims] = []
        var outcome = answer("UploadAccountResponse")
        for (index, user) in users.enumerated() {
            do throws(AccountStop) {
                let account = try imported(user, overwrites: overwrites)
                if tree.account(account.localID) != nil { outcome.endedUsers.append(account.localID) }
                tree.put(account)
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                errors.append(
                    .object(["index": .integer(Int64(index)), "message": .text(refusal.message)]))
            }
        }
        if case .json(var fields) = outcome.answer, !errors.isEmpty {
            fields["error"] = .list(errors)
            outcome.answer = .json(fields)
        }
        outcome.events = [AccountEvent(kind: .imported, localID: nil)]
        return outcome
    }

    private func imported(_ user: AccountBody, overwrites: Bool) throws(AccountStop) -> Account {
        let reading = AccountTurn(
            call: AccountCall(call.operation, user, isAdministrator: true), settings: settings,
            findings: findings, now: now, tree: tree, random: random)
        guard let localID = try reading.text("localId", orEmpty: true) else {
            throw .refused(.missingLocalID)
        }
        guard localID.utf8.count <= ClaimsReading.uidByteLimit else {
            throw .refused(AccountRefusal("INVALID_LOCAL_ID"))
        }
        let old = tree.account(localID)
        guard old == nil || overwrites else {
            throw .refused(AccountRefusal("localId belongs to an existing account - can not overwrite."))
        }
        var account = newAccount(localID)
        account.createdAt = try reading.integer("createdAt") ?? now
        account.lastLoginAt = try reading.integer("lastLoginAt")
        account.tokensFrom = max(account.tokensFrom, old?.tokensFrom ?? 0)
        account.validSince = try reading.integer("validSince")
        account.displayName = try reading.text("displayName", orEmpty: true)
        account.photoURL = try reading.text("photoUrl", orEmpty: true)
        account.isEmailVerified = try reading.flag("emailVerified") ?? false
        account.isDisabled = try reading.flag("disabled") ?? false
        try importEmail(reading, &account)
        try importClaims(reading, &account)
        if let password = try reading.text("rawPassword", orEmpty: true) {
            try check(password, email: account.email)
            account.password = try record(of: password, for: localID)
            account.passwordUpdatedAt = now
        } else if user.has("passwordHash") {
            throw .refused(
                AccountRefusal("INVALID_HASH_ALGORITHM : Hashes of others are not taken; send rawPassword."))
        }
        return account
    }

    private func importEmail(_ reading: AccountTurn, _ account: inout Account) throws(AccountStop) {
        guard let given = try reading.text("email", orEmpty: true) else { return }
        let email = try canonical(given)
        if let other = tree.account(email: email), other.localID != account.localID {
            throw .refused(AccountRefusal("email exists in other account in database"))
        }
        account.email = email
        account.initialEmail = email
    }

    private func importClaims(_ reading: AccountTurn, _ account: inout Account) throws(AccountStop) {
        guard let text = try reading.text("customAttributes", orEmpty: true) else { return }
        do throws(AccountRefusal) {
            try CustomAttributes.check(text)
        } catch {
            throw .refused(error)
        }
        account.customAttributes = text
    }
}
