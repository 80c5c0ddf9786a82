// The options of `serve` about users' accounts.

import HearthServer

/// Declares and reads what decides how accounts behave.
enum AccountOptions {
    static let mailCommand = Option.value(
        "mail-command", "CMD",
        "hands mails to CMD, as 'sendmail -t'; without it they lie in DIR/outbox")
    static let mailFrom = Option.value(
        "mail-from", "ADDRESS", "whom mails are from; noreply@localhost if not given")
    static let mailTemplates = Option.value(
        "mail-templates", "DIR", "takes the words of mails from DIR, as resetPassword.txt")
    static let appName = Option.value("app-name", "NAME", "what mails call the app")
    static let actionPage = Option.value(
        "action-page", "URL", "the app's own page that links in mails lead to, instead of the server's")
    static let authorizedDomain = Option.value(
        "authorized-domain", "HOST", "lets links in mails go on to pages of HOST; may be repeated",
        isRepeatable: true)
    static let apiKey = Option.value(
        "api-key", "KEY", "takes only apps that show this key; may be repeated; any key if not given",
        isRepeatable: true)
    static let noSignUp = Option.flag("no-sign-up", "lets nobody register but through the administrator")
    static let noAnonymous = Option.flag("no-anonymous", "lets nobody sign in without showing anything")
    static let passwordLength = Option.value(
        "password-length", "N", "what a new password has at least; 6 if not given")
    static let noAccountLimits = Option.flag(
        "no-account-limits", "does not bound how often accounts are tried; for tests alone")

    static let all = [
        mailCommand, mailFrom, mailTemplates, appName, actionPage, authorizedDomain, apiKey,
        noSignUp, noAnonymous, passwordLength, noAccountLimits,
    ]

    /// What the options say.
    static func accounts(_ invocation: Invocation) throws(CommandFailure) -> Configuration.Accounts {
        var accounts = Configuration.Accounts()
        accounts.actionPage = try url(actionPage, invocation)
        accounts.mailCommand = (invocation.value(of: mailCommand) ?? "").split(separator: " ").map(
            String.init)
        if let sender = invocation.value(of: mailFrom) { accounts.mailSender = sender }
        accounts.mailTemplates = invocation.value(of: mailTemplates)
        accounts.appName = invocation.value(of: appName)
        accounts.authorizedDomains = invocation.values(of: authorizedDomain)
        accounts.allowedKeys = invocation.values(of: apiKey)
        accounts.allowsSignUp = !invocation.has(noSignUp)
        accounts.allowsAnonymous = !invocation.has(noAnonymous)
        accounts.hasLimits = !invocation.has(noAccountLimits)
        if let length = try invocation.integer(of: passwordLength, in: 6...128) {
            accounts.passwordLength = length
        }
        return accounts
    }

    private static func url(_ option: Option, _ invocation: Invocation) throws(CommandFailure) -> String? {
        guard let text = invocation.value(of: option) else { return nil }
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            throw .misused("\(option.spelling) is an address like https://chat.example, not '\(text)'")
        }
        return text
    }
}
