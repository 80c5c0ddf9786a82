// Mails of accounts: into the folder, to a command, and the page that their links lead to.
import Foundation
import HearthServer
import Testing

@Suite("A mail of an account")
struct MailDeliveryTests {
    private func mails(_ directory: TemporaryDirectory) -> [String] {
        let folder = directory.path + "/outbox"
        // The folder is made with the first mail.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".eml") }.sorted().map { folder + "/" + $0 }
    }

    /// Waits for something that another thread does, at most half a minute.
    private func wait(until condition: () throws -> Bool) throws {
        let end = Date(timeIntervalSinceNow: 30)
        while try !condition() { try #require(Date() < end, "it does not come") }
    }

    private func code(in mail: String) throws -> String {
        let link = try #require(mail.split(whereSeparator: \.isNewline).first { $0.contains("oobCode=") })
        let start = try #require(link.range(of: "oobCode="))
        return String(link[start.upperBound...].prefix { $0 != "&" })
    }

    @Test("lies in the outbox as a file of its owner's alone; its code works once, and is in no log")
    func outbox() throws {
        let directory = TemporaryDirectory()
        let lines = LogLines()
        let url = try PublicURL("https://chat.example/")
        try withAccountServer({
            $0.storage = .directory(directory.path)
            $0.log = Log(threshold: .debug) { lines.append($0) }
            $0.publicURL = url
        }) { _, app in
            let ann = try app.signUp("ann@chat.example")
            let request = #"{"requestType":"PASSWORD_RESET","email":"ann@chat.example"}"#
            let sent = try app.call("accounts:sendOobCode", request, ["Host-Of-Nobody: x"])
            #expect(sent.text("email") == "ann@chat.example")
            try wait { !mails(directory).isEmpty }
            let file = try #require(mails(directory).first)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let mail = try String(contentsOfFile: file, encoding: .utf8)
            #expect(mail.contains("https://chat.example/emulator/action?mode=resetPassword&"))
            let code = try code(in: mail)
            let body = #"{"oobCode":"\#(code)","newPassword":"neues wort"}"#
            #expect(try app.call("accounts:resetPassword", body).reply.status == 200)
            #expect(try app.call("accounts:resetPassword", body).message == "INVALID_OOB_CODE")
            #expect(try app.signIn("ann@chat.example", "neues wort").reply.status == 200)
            for secret in [
                code, "geheimes wort", "neues wort", ann.text("idToken"), ann.text("refreshToken"),
            ] {
                #expect(!lines.all.contains { $0.contains(secret) })
            }
            #expect(lines.all.contains { $0.contains("mail written") && $0.contains(".eml") })
        }
    }

    @Test("is not written for an address without an account, and the answer is the same")
    func unknown() throws {
        let directory = TemporaryDirectory()
        try withAccountServer({ $0.storage = .directory(directory.path) }) { _, app in
            _ = try app.signUp("ann@chat.example")
            let ask = { (email: String) in
                try app.call("accounts:sendOobCode", #"{"requestType":1,"email":"\#(email)"}"#)
            }
            let nobody = try ask("bob@chat.example")
            let ann = try ask("ann@chat.example")
            #expect(nobody.reply.status == 200)
            #expect(nobody.reply.body.replacing("bob@", with: "ann@") == ann.reply.body)
            try wait { !mails(directory).isEmpty }
            #expect(mails(directory).count == 1)
        }
    }

    @Test("goes to the command, and stays in the folder while that fails", arguments: [true, false])
    func command(works: Bool) throws {
        let directory = TemporaryDirectory()
        let target = directory.path + "-sent"
        // What is left over in the system's own directory for it harms nobody.
        defer { try? FileManager.default.removeItem(atPath: target) }
        let lines = LogLines()
        try withAccountServer({
            $0.storage = .directory(directory.path)
            $0.log = Log(threshold: .debug) { lines.append($0) }
            $0.accounts.mailCommand = works ? ["tee", target] : ["false"]
        }) { _, app in
            _ = try app.signUp("ann@chat.example")
            try app.call("accounts:sendOobCode", #"{"requestType":1,"email":"ann@chat.example"}"#)
            try wait {
                lines.all.contains { $0.contains(works ? "mail handed over" : "mail not handed over") }
            }
            if works {
                try wait { mails(directory).isEmpty }
                let mail = try String(contentsOfFile: target, encoding: .utf8)
                #expect(mail.contains("To: ann@chat.example\r\n") && mail.contains("oobCode="))
            } else {
                #expect(mails(directory).count == 1)
                #expect(lines.all.contains { $0.contains("false ended with 1") })
            }
        }
        guard !works else { return }
        try withAccountServer({
            $0.storage = .directory(directory.path)
            $0.accounts.mailCommand = ["tee", target]
        }) { _, _ in
            try wait { mails(directory).isEmpty }
            #expect(try String(contentsOfFile: target, encoding: .utf8).contains("oobCode="))
        }
    }

    @Test("has the operator's words, by language")
    func templates() throws {
        let directory = TemporaryDirectory()
        let words = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: words.path, withIntermediateDirectories: true)
        try "Subject: Neues Passwort\n\nHier: %LINK%\n".write(
            toFile: words.path + "/resetPassword.de.txt", atomically: true, encoding: .utf8)
        try withAccountServer({
            $0.storage = .directory(directory.path)
            $0.accounts.mailTemplates = words.path
        }) { _, app in
            _ = try app.signUp("ann@chat.example")
            try app.call(
                "accounts:sendOobCode", #"{"requestType":1,"email":"ann@chat.example"}"#,
                ["X-Firebase-Locale: de-CH"])
            try wait { !mails(directory).isEmpty }
            let mail = try String(contentsOfFile: try #require(mails(directory).first), encoding: .utf8)
            #expect(mail.contains("Subject: Neues Passwort\r\n") && mail.contains("\r\nHier: http"))
        }
        try "no subject".write(
            toFile: words.path + "/signIn.txt", atomically: true, encoding: .utf8)
        #expect(throws: StartFailure.self) {
            try withAccountServer({ $0.accounts.mailTemplates = words.path }) { _, _ in }
        }
    }

    @Test("leads to a page without scripts that acts only when its button is pressed")
    func page() throws {
        let directory = TemporaryDirectory()
        try withAccountServer({ $0.storage = .directory(directory.path) }) { _, app in
            _ = try app.signUp("ann@chat.example")
            try app.call("accounts:sendOobCode", #"{"requestType":1,"email":"ann@chat.example"}"#)
            try wait { !mails(directory).isEmpty }
            let code = try code(
                in: String(contentsOfFile: try #require(mails(directory).first), encoding: .utf8))
            for base in ["/emulator/action", "/__/auth/action"] {
                let page = try app.client.ask("GET", "\(base)?mode=resetPassword&oobCode=\(code)&apiKey=k")
                #expect(page.status == 200 && page.body.contains("<form method=\"post\" action=\"action\">"))
                #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
                #expect(page.headers["referrer-policy"] == "no-referrer")
                #expect(page.headers["cache-control"] == "no-store")
                #expect(page.headers["access-control-allow-origin"] == nil)
            }
            let form = ["Content-Type: application/x-www-form-urlencoded"]
            let fields = "mode=resetPassword&oobCode=\(code)&continueUrl="
            let weak = try app.client.ask(
                "POST", "/emulator/action", form, body: fields + "&newPassword=kurz")
            #expect(weak.status == 400 && weak.body.contains("at least 6 characters"))
            let done = try app.client.ask(
                "POST", "/emulator/action", form, body: fields + "&newPassword=neues+wort")
            #expect(done.status == 200 && done.body.contains("Your new password is set"))
            #expect(try app.signIn("ann@chat.example", "neues wort").reply.status == 200)
            let late = try app.client.ask("GET", "/emulator/action?mode=resetPassword&oobCode=\(code)")
            #expect(late.status == 400 && late.body.contains("This link does nothing any more"))
            let hostile = try app.client.ask(
                "GET", "/emulator/action?mode=resetPassword&oobCode=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
            #expect(!hostile.body.contains("<script"))
        }
    }
}
