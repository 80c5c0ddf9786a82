// `hearth users` against a real server.

import Foundation
import Testing

@Suite("The command for users")
struct UsersTests {
    /// Signs somebody in over HTTP and returns the status.
    private func signIn(_ served: ServedDirectory, _ email: String, _ password: String) throws -> Int {
        let body = #"{"email":"\#(email)","password":"\#(password)"}"#
        return try post(served, "/v1/accounts:signInWithPassword?key=k", body)
    }

    private func post(_ served: ServedDirectory, _ target: String, _ body: String) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = [
            "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: application/json", "-d", body,
            served.url + target,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return try #require(Int(text))
    }

    @Test("adds, lists, shows, disables and removes them")
    func story() throws {
        let served = try ServedDirectory(["--project", "fire3chat"])
        #expect(served.banner.contains("of the project fire3chat; mails lie in"))
        let uid = try served.output(
            ["users", "add", "Ann@chat.example", "--name", "Ann", "--password-file", "-"],
            input: "geheimes wort\n")
        #expect(uid.utf8.count == 28)
        #expect(try served.output(["users", "add", "bob@chat.example", "--uid", "bob"]) == "bob")
        #expect(try served.run(["users", "add", "bob@chat.example"]).talk.contains("EMAIL_EXISTS"))
        let lines = try served.output(["users", "list"]).split(separator: "\n").sorted()
        #expect(
            lines.contains("\(uid)\tann@chat.example\tAnn\t") && lines.contains("bob\tbob@chat.example\t\t"))
        #expect(try served.output(["users", "show", "ann@chat.example"]).contains("\"displayName\":\"Ann\""))
        #expect(try signIn(served, "ann@chat.example", "geheimes wort") == 200)
        #expect(try served.output(["users", "sessions", uid]).contains("password\tcurl/"))
        _ = try served.output(["users", "revoke", uid])
        #expect(try served.output(["users", "sessions", uid]) == "")
        _ = try served.output(["users", "disable", "ann@chat.example"])
        #expect(try served.output(["users", "list"]).contains("\tAnn\tdisabled"))
        #expect(try signIn(served, "ann@chat.example", "geheimes wort") == 400)
        _ = try served.output(["users", "enable", "ann@chat.example"])
        #expect(try signIn(served, "ann@chat.example", "geheimes wort") == 200)
        #expect(try served.run(["users", "remove", "bob"]).talk.contains("needs a yes"))
        _ = try served.output(["users", "remove", "bob", "--force"])
        let gone = try served.run(["users", "show", "bob"])
        #expect(gone.status == 1 && gone.talk.contains("there is no user 'bob'"))
    }

    @Test("finds them all again after the server was killed, whatever it had acknowledged last")
    func killed() throws {
        let served = try ServedDirectory()
        for round in 0..<3 {
            let email = "user\(round)@chat.example"
            let uid = try served.output(
                ["users", "add", email, "--password-file", "-"], input: "geheimes wort\n")
            try served.killHard()
            try served.start()
            #expect(try served.output(["users", "show", email]).contains(uid))
            #expect(try signIn(served, email, "geheimes wort") == 200)
            #expect(try served.output(["get", "/"]) == "null")
        }
        #expect(try served.output(["users", "list"]).split(separator: "\n").count == 3)
        #expect(try served.stop() == 0)
        let check = try ProgramRun(["check", served.data])
        #expect(check.status == 0 && !check.output.contains("not one of our files"), "\(check.talk)")
    }

    @Test("gives a link that sets a new password, once")
    func reset() throws {
        let served = try ServedDirectory(["--public-url", "https://chat.example"])
        _ = try served.output(["users", "add", "ann@chat.example"])
        let link = try served.output(["users", "reset", "ann@chat.example"])
        #expect(link.hasPrefix("https://chat.example/emulator/action?mode=resetPassword&"))
        let start = try #require(link.range(of: "oobCode="))
        let code = link[start.upperBound...].prefix { $0 != "&" }
        let body = #"{"oobCode":"\#(code)","newPassword":"neues wort"}"#
        #expect(try post(served, "/v1/accounts:resetPassword?key=k", body) == 200)
        #expect(try post(served, "/v1/accounts:resetPassword?key=k", body) == 400)
        #expect(try signIn(served, "ann@chat.example", "neues wort") == 200)
    }

    @Test("lets a back end sign tokens with a key that is in its file alone")
    func serviceAccount() throws {
        let served = try ServedDirectory()
        let file = served.folder.path("back.json")
        _ = try served.output(["users", "service-account", "back@chat.example", "--output", file])
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let fields = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
                as? [String: String])
        #expect(fields["type"] == "service_account" && fields["client_email"] == "back@chat.example")
        #expect(fields["private_key"]?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)
        #expect(try served.output(["users", "service-accounts"]) == "back@chat.example")
        let again = try served.run(["users", "service-account", "other", "--output", file])
        #expect(again.status == 1, "a file that is there is not overwritten")
        _ = try served.output(["users", "remove-service-account", "back@chat.example"])
        #expect(try served.output(["users", "service-accounts"]) == "")
    }

    @Test("needs the administrator, an action and a user")
    func misuse() throws {
        let served = try ServedDirectory()
        let refused = try ProgramRun(["users", "list"], environment: ["HEARTH_URL": served.url])
        #expect(refused.status == 1 && refused.talk.contains("403"))
        for (words, text) in [
            (["users", "sho"], "did you mean 'show'?"), (["users", "show"], "USER is missing"),
            (["users", "list", "x"], "list takes no USER"),
            (["users", "service-account", "x"], "--output FILE"),
        ] {
            let run = try served.run(words)
            #expect(run.status == 2 && run.talk.contains(text), "\(words): \(run.talk)")
        }
    }
}
