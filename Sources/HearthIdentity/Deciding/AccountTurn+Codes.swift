// Codes by mail: making, asking about and using them (accounts.md §8).
import HearthCore
import HearthCrypto

extension AccountTurn {
    mutating func sendCode() throws(AccountStop) -> AccountOutcome {
        guard let kind = CodeKind(requestType: try text("requestType") ?? ""), kind != .recoverEmail else {
            throw .refused(AccountRefusal("MISSING_REQ_TYPE"))
        }
        let returnsLink = try flag("returnOobLink") ?? false
        guard call.isAdministrator || !returnsLink else { throw .refused(.insufficientPermission) }
        try checkContinueURL()
        let plan: CodePlan
        switch kind {
        case .resetPassword: plan = try planReset()
        case .verifyEmail: plan = try planVerification(returnsLink: returnsLink)
        case .changeEmail: plan = try planChange()
        case .signIn: plan = try planSignIn()
        case .recoverEmail: preconditionFailure("codes for recovery are made by the server alone")
        }
        var fields: [String: Claims] = ["email": .text(plan.email)]
        if returnsLink {
            fields["oobCode"] = .text(plan.code)
            fields["oobLink"] = .text(plan.link)
        }
        var outcome = answer("GetOobConfirmationCodeResponse", fields)
        outcome.mails = returnsLink ? [] : plan.mails
        outcome.events = plan.code.map { _ in [AccountEvent(kind: .codeMade, localID: plan.localID)] } ?? []
        return outcome
    }

    private func checkContinueURL() throws(AccountStop) {
        guard let url = try text("continueUrl", orEmpty: true) else { return }
        guard let address = AbsoluteAddress(url) else {
            throw .refused(AccountRefusal("INVALID_CONTINUE_URI"))
        }
        guard settings.isEmulator || address.isAuthorized(by: settings) else {
            throw .refused(
                AccountRefusal(
                    "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project; see --authorized-domain"))
        }
    }

    private mutating func planReset() throws(AccountStop) -> CodePlan {
        guard let given = try text("email", orEmpty: true) else { throw .refused(.missingEmail) }
        let email = try canonical(given)
        guard let account = tree.account(email: email) else {
            guard hidesEmails else { throw .refused(AccountRefusal("EMAIL_NOT_FOUND")) }
            return planNothing(.resetPassword, email: email)
        }
        guard !account.isDisabled || !hidesEmails else { return planNothing(.resetPassword, email: email) }
        return planCode(.resetPassword, account, email: email, newEmail: nil)
    }

    private mutating func planVerification(returnsLink: Bool) throws(AccountStop) -> CodePlan {
        let account: Account
        if call.isAdministrator, returnsLink, call.idToken == nil {
            guard let given = try text("email", orEmpty: true) else { throw .refused(.missingEmail) }
            guard let named = tree.account(email: try canonical(given)) else {
                throw .refused(.userNotFound)
            }
            account = named
        } else {
            account = try caller(orIfMissing: .invalidIDToken).account
        }
        guard let email = account.email else { throw .refused(.missingEmail) }
        return planCode(.verifyEmail, account, email: email, newEmail: nil)
    }

    private mutating func planChange() throws(AccountStop) -> CodePlan {
        guard let given = try text("newEmail", orEmpty: true) else {
            throw .refused(AccountRefusal("MISSING_NEW_EMAIL"))
        }
        let account: Account
        if call.isAdministrator, call.idToken == nil {
            guard let own = try text("email", orEmpty: true) else { throw .refused(.missingEmail) }
            guard let named = tree.account(email: try canonical(own)) else { throw .refused(.userNotFound) }
            account = named
        } else {
            let (own, token) = try caller()
            try requireRecentLogin(own, token)
            account = own
        }
        let newEmail = try canonical(given)
        guard let email = account.email else { throw .refused(.missingEmail) }
        guard tree.account(email: newEmail) == nil else {
            guard hidesEmails else { throw .refused(.emailExists) }
            var plan = planNothing(.changeEmail, email: email)
            plan.mails = [order(.addressTaken, to: newEmail, email: newEmail, link: nil)]
            return plan
        }
        return planCode(.changeEmail, account, email: email, newEmail: newEmail)
    }

    private mutating func planSignIn() throws(AccountStop) -> CodePlan {
        guard let given = try text("email", orEmpty: true) else { throw .refused(.missingEmail) }
        let email = try canonical(given)
        guard settings.allowsEmailLinks else { throw .refused(.operationNotAllowed) }
        return planCode(.signIn, nil, email: email, newEmail: nil)
    }

    /// Makes a code that nobody gets and nothing belongs to: what is written takes the same time.
    private mutating func planNothing(_ kind: CodeKind, email: String) -> CodePlan {
        _ = planCode(kind, nil, email: email, newEmail: nil)
        return CodePlan(email: email)
    }

    /// Makes a code and the mail that carries it.
    mutating func planCode(
        _ kind: CodeKind, _ account: Account?, email: String, newEmail: String?
    ) -> CodePlan {
        let text = OneTimeCode.fresh(isEmulator: settings.isEmulator, using: &random)
        let link = link(kind, text)
        var listed: OneTimeCode.Listed?
        if settings.isEmulator {
            listed = OneTimeCode.Listed(code: text, link: link, sequence: tree.nextSequence())
        }
        let code = OneTimeCode(
            kind: kind, localID: account?.localID, email: email, newEmail: newEmail,
            expiresAt: settings.isEmulator ? nil : now + kind.lifetime, listed: listed)
        tree.put(code, Digest.key(of: text), now: now)
        let mail = MailOrder(
            kind: MailOrder.Kind(kind), recipient: newEmail ?? email, email: email, newEmail: newEmail,
            displayName: account?.displayName, link: link, language: call.language)
        return CodePlan(
            email: email, code: text, link: link, localID: account?.localID,
            mails: [mail])
    }

    private func order(_ kind: MailOrder.Kind, to recipient: String, email: String, link: String?)
        -> MailOrder
    {
        MailOrder(
            kind: kind, recipient: recipient, email: email, newEmail: nil, displayName: nil, link: link,
            language: call.language)
    }

    private func link(_ kind: CodeKind, _ code: String) -> String {
        var parameters = [
            ("mode", kind.mode), ("lang", call.language ?? "en"), ("oobCode", code),
            ("apiKey", call.key ?? "hearth"),
        ]
        // It was checked before, or is not there in calls that make a code by themselves.
        if let url = (try? body.someText("continueUrl")) ?? nil { parameters.append(("continueUrl", url)) }
        let base = settings.actionPage ?? settings.publicBase + "/emulator/action"
        let query = parameters.map { "\($0.0)=\(PercentEncoding.text($0.1))" }.joined(separator: "&")
        return base + (base.contains("?") ? "&" : "?") + query
    }
}

/// A code that was made, or that nobody is to notice was not.
struct CodePlan {
    let email: String
    var code: String?
    var link: String?
    var localID: String?
    var mails: [MailOrder] = []
}

extension MailOrder.Kind {
    init(_ kind: CodeKind) {
        switch kind {
        case .resetPassword: self = .resetPassword
        case .verifyEmail: self = .verifyEmail
        case .changeEmail: self = .verifyAndChangeEmail
        case .signIn: self = .signIn
        case .recoverEmail: self = .recoverEmail
        }
    }
}

/// Text in the query strings of links.
enum PercentEncoding {
    /// Everything but letters, digits and `-._~` is encoded.
    static func text(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
