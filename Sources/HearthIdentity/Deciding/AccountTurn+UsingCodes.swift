// What a code does when somebody brings it (accounts.md §8).
import HearthCore

extension AccountTurn {
    /// The code of the call, if it can still be used.
    func usableCode() throws(AccountStop) -> (key: Key, code: OneTimeCode) {
        guard let text = try text("oobCode", orEmpty: true) else { throw .refused(.missingCode) }
        return try usable(text)
    }

    func usable(_ text: String) throws(AccountStop) -> (key: Key, code: OneTimeCode) {
        let key = Digest.key(of: text)
        guard let code = tree.code(key) else { throw .refused(.invalidCode) }
        if let end = code.expiresAt, end <= now { throw .refused(.expiredCode) }
        return (key, code)
    }

    /// The account of a code, if the code still means it.
    private func account(of code: OneTimeCode) throws(AccountStop) -> Account {
        guard let account = code.localID.flatMap({ tree.account($0) }) else { throw .refused(.invalidCode) }
        // The address that a recovery goes back to is not the present one; all other codes are void with it.
        guard code.kind == .recoverEmail || account.email == code.email else { throw .refused(.invalidCode) }
        return account
    }

    /// `accounts:resetPassword`: tells about a code, or sets a new password by it.
    mutating func resetPassword() throws(AccountStop) -> AccountOutcome {
        let (key, code) = try usableCode()
        guard let password = try text("newPassword", orEmpty: true) else { return tell(code) }
        guard code.kind == .resetPassword else { throw .refused(.invalidCode) }
        return try reset(key, code, password)
    }

    private func tell(_ code: OneTimeCode) -> AccountOutcome {
        answer(
            "ResetPasswordResponse",
            [
                "requestType": .text(code.kind.rawValue),
                "email": code.kind == .signIn ? .null : .text(code.email),
                "newEmail": .text(code.newEmail),
            ])
    }

    /// Sets a new password; a too weak one leaves the code as it is.
    mutating func reset(
        _ key: Key, _ code: OneTimeCode, _ password: String
    ) throws(AccountStop) -> AccountOutcome {
        var change = AccountChange(try account(of: code))
        try check(password, email: code.email)
        setPassword(try record(of: password), of: &change.account)
        change.hasNewPassword = true
        change.endsTokens = true
        change.account.isEmailVerified = true
        tree.remove(code, key)
        keep(&change)
        var outcome = tell(code)
        outcome.endedUsers = [change.account.localID]
        outcome.events = [AccountEvent(kind: .passwordReset, localID: change.account.localID)]
        return outcome
    }

    /// `accounts:update` with a code instead of a token.
    mutating func applyCode() throws(AccountStop) -> AccountOutcome {
        let (key, code) = try usableCode()
        return changed(try apply(key, code))
    }

    /// Does what a code is for, unless that needs a password or signs somebody in.
    mutating func apply(_ key: Key, _ code: OneTimeCode) throws(AccountStop) -> AccountChange {
        guard code.kind != .signIn, code.kind != .resetPassword else { throw .refused(.invalidCode) }
        var change = AccountChange(try account(of: code))
        switch code.kind {
        case .verifyEmail: change.account.isEmailVerified = true
        case .changeEmail:
            try takeEmail(code.newEmail ?? code.email, &change)
            change.recoveryEmail = code.email
        case .recoverEmail: try takeEmail(code.email, &change)
        case .signIn, .resetPassword: preconditionFailure("these were refused above")
        }
        tree.remove(code, key)
        keep(&change)
        return change
    }

    private func takeEmail(_ email: String, _ change: inout AccountChange) throws(AccountStop) {
        if let other = tree.account(email: email), other.localID != change.account.localID {
            throw .refused(.emailExists)
        }
        change.setEmail(email, isVerified: true)
    }

    /// The page of a link in a mail, and the form on it.
    mutating func actOnPage() throws(AccountStop) -> AccountOutcome {
        guard let kind = CodeKind(mode: try text("mode") ?? "") else {
            throw .refused(AccountRefusal("Invalid mode"))
        }
        let continueURL = try continueURL()
        if settings.isEmulator { return try actAtOnce(kind, continueURL) }
        do throws(AccountStop) {
            return try answerPage(kind, continueURL)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            return AccountOutcome(answer: .page(.useless(reason: refusal.code)))
        }
    }

    /// Where the link goes on to, if it may.
    private func continueURL() throws(AccountStop) -> String? {
        guard let url = try text("continueUrl", orEmpty: true), let address = AbsoluteAddress(url) else {
            return nil
        }
        return settings.isEmulator || address.isAuthorized(by: settings) ? url : nil
    }

    private mutating func answerPage(
        _ kind: CodeKind, _ continueURL: String?
    ) throws(AccountStop) -> AccountOutcome {
        let (key, code) = try usableCode()
        guard code.kind == kind else { throw .refused(.invalidCode) }
        if kind != .signIn { _ = try account(of: code) }
        let question = ActionPage.Question(
            mode: kind.mode, code: try text("oobCode") ?? "", email: code.email, newEmail: code.newEmail,
            continueURL: continueURL)
        guard call.operation == .actionForm else {
            return AccountOutcome(answer: .page(.question(question)))
        }
        return try answerForm(question, key, code)
    }

    private mutating func answerForm(
        _ question: ActionPage.Question, _ key: Key, _ code: OneTimeCode
    ) throws(AccountStop) -> AccountOutcome {
        let done = AccountOutcome.Answer.page(
            .done(mode: question.mode, continueURL: question.continueURL))
        switch code.kind {
        case .signIn:
            // The app itself goes on with it, in the browser that asked for the link.
            return AccountOutcome(answer: .page(.question(question)))
        case .resetPassword:
            var outcome: AccountOutcome
            do throws(AccountStop) {
                outcome = try reset(key, code, try text("newPassword") ?? "")
            } catch {
                guard case .refused(let refusal) = error, refusal.code != "INVALID_OOB_CODE" else {
                    throw error
                }
                return AccountOutcome(answer: .page(.again(question, reason: refusal.message)))
            }
            outcome.answer = done
            return outcome
        case .verifyEmail, .changeEmail, .recoverEmail:
            let change = try apply(key, code)
            var outcome = changed(change)
            outcome.answer = done
            if let email = change.recoveryEmail {
                outcome.mails += planCode(.recoverEmail, change.account, email: email, newEmail: nil).mails
            }
            return outcome
        }
    }

    /// What an emulator does with a link: at once, and in JSON.
    private mutating func actAtOnce(
        _ kind: CodeKind, _ continueURL: String?
    ) throws(AccountStop) -> AccountOutcome {
        let text = try text("oobCode", orEmpty: true) ?? ""
        if kind == .signIn {
            guard let continueURL else {
                throw .refused(
                    AccountRefusal(
                        "Missing continueUrl; the app goes on with the link in the page of that address"))
            }
            return AccountOutcome(answer: .redirect(try signInAddress(continueURL, text)))
        }
        let (key, code) = try usable(text)
        guard code.kind == kind else { throw .refused(.invalidCode) }
        var outcome: AccountOutcome
        if kind == .resetPassword {
            guard let password = try self.text("newPassword", orEmpty: true) else {
                throw .refused(
                    AccountRefusal("Missing newPassword; append &newPassword=… to the link to set one"))
            }
            outcome = try reset(key, code, password)
        } else {
            outcome = changed(try apply(key, code))
        }
        if let continueURL {
            outcome.answer = .redirect(continueURL)
        } else {
            let words = Claims.object([
                "success": .text("The action is done."), "email": .text(code.newEmail ?? code.email),
            ])
            outcome.answer = .json(["authEmulator": words])
        }
        return outcome
    }

    private func signInAddress(_ continueURL: String, _ code: String) throws(AccountStop) -> String {
        let parameters = [
            ("mode", CodeKind.signIn.mode), ("lang", try text("lang") ?? "en"), ("oobCode", code),
            ("apiKey", try text("apiKey") ?? "hearth"),
        ]
        let query = parameters.map { "\($0.0)=\(PercentEncoding.text($0.1))" }.joined(separator: "&")
        return continueURL + (continueURL.contains("?") ? "&" : "?") + query
    }
}
