// The page that a link in a mail leads to: plain HTML without scripts.
import HearthIdentity

extension ActionPage {
    /// The status of the answer that carries it.
    var status: Int {
        switch self {
        case .question, .done: 200
        case .useless, .again: 400
        }
    }

    /// The whole page. Whatever comes from outside is escaped.
    var html: [UInt8] {
        let body: String
        switch self {
        case .question(let question): body = ActionPage.form(question, nil)
        case .again(let question, let reason): body = ActionPage.form(question, reason)
        case .done(let mode, let address): body = ActionPage.done(mode, address)
        case .useless(let reason): body = ActionPage.useless(reason)
        }
        return Array((ActionPage.head + body + "</main>\n</html>\n").utf8)
    }

    private static let head = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Your account</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f4f1ec; color: #22201d }
        main { max-width: 26rem; margin: 4rem auto; padding: 2rem; background: #fff; border-radius: .75rem }
        h1 { font-size: 1.25rem; margin-top: 0 }
        input, button { font: inherit; padding: .6rem; width: 100%; box-sizing: border-box }
        input, button { margin-top: .5rem }
        button { background: #a33b12; color: #fff; border: 0; border-radius: .5rem }
        .wrong { color: #a01818 }
        </style>
        <main>

        """

    private static func form(_ question: Question, _ wrong: String?) -> String {
        let email = escaped(question.email)
        let newEmail = escaped(question.newEmail ?? "")
        let (title, text, button) =
            switch question.mode {
            case "resetPassword":
                ("A new password", "Choose a new password for \(email).", "Set the password")
            case "verifyEmail": ("Your address", "Is \(email) your address?", "Yes, it is")
            case "verifyAndChangeEmail":
                ("Your new address", "Use \(newEmail) from now on, instead of \(email)?", "Use it")
            case "recoverEmail":
                ("Your old address", "Use \(email) for your account again?", "Use it again")
            default:
                ("Signing in", "Open this link in the app that you asked for it.", "")
            }
        let field =
            question.mode == "resetPassword"
            ? "<label>New password <input type=\"password\" name=\"newPassword\" required "
                + "autocomplete=\"new-password\"></label>\n" : ""
        let notice = wrong.map { "<p class=\"wrong\" role=\"alert\">\(escaped(readable($0)))</p>\n" } ?? ""
        guard !button.isEmpty else { return "<h1>\(title)</h1>\n<p>\(text)</p>\n" }
        return """
            <h1>\(title)</h1>
            <p>\(text)</p>
            \(notice)<form method="post" action="action">
            <input type="hidden" name="mode" value="\(escaped(question.mode))">
            <input type="hidden" name="oobCode" value="\(escaped(question.code))">
            <input type="hidden" name="continueUrl" value="\(escaped(question.continueURL ?? ""))">
            \(field)<button>\(button)</button>
            </form>

            """
    }

    private static func done(_ mode: String, _ address: String?) -> String {
        let text =
            switch mode {
            case "resetPassword": "Your new password is set. You can sign in with it now."
            case "verifyEmail": "Thank you: your address is confirmed."
            default: "Your account uses this address now. Sign in again where you were signed in."
            }
        let link = address.map { "<p><a href=\"\(escaped($0))\" rel=\"noreferrer\">Go on</a></p>\n" } ?? ""
        return "<h1>Done</h1>\n<p>\(text)</p>\n\(link)"
    }

    private static func useless(_ reason: String) -> String {
        let text =
            reason == "EXPIRED_OOB_CODE"
            ? "The time of this link is over."
            : "This link was used already, or is not whole."
        return "<h1>This link does nothing any more</h1>\n<p>\(text) Ask the app for a new one.</p>\n"
    }

    /// What follows the code of an error, for people.
    private static func readable(_ reason: String) -> String {
        guard let colon = reason.firstIndex(of: ":") else { return "That does not work." }
        return String(reason[reason.index(after: colon)...].drop { $0 == " " })
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
