// What attackers try, and that they learn and get nothing.
import HearthCore
import HearthCrypto
import HearthIdentity
import Testing

@Suite("An attack on accounts")
struct HostileAccountTests {
    @Test("does not learn which addresses have accounts")
    func enumeration() throws {
        let questions: [(AccountOperation, (String) -> String)] = [
            (.signInWithPassword, { #"{"email":"\#($0)","password":"falsches wort"}"# }),
            (.sendCode, { #"{"requestType":"PASSWORD_RESET","email":"\#($0)"}"# }),
            (.sendCode, { #"{"requestType":"EMAIL_SIGNIN","email":"\#($0)"}"# }),
            (
                .createAuthURI,
                { #"{"identifier":"\#($0)","continueUri":"http://localhost","sessionId":"s"}"# }
            ),
            (.signInWithEmailLink, { #"{"email":"\#($0)","oobCode":"x"}"# }),
        ]
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        let dis = try stage.signUp("dis@chat.example")
        _ = try stage.call(
            .update, #"{"localId":"\#(try #require(dis.text("localId")))","disableUser":true}"#, admin: true)
        let link = #"{"requestType":"EMAIL_SIGNIN","email":"link@chat.example"}"#
        let code = try stage.code(link)
        _ = try stage.call(.signInWithEmailLink, #"{"email":"link@chat.example","oobCode":"\#(code)"}"#)
        #expect(ann.refusal == nil)
        for (operation, body) in questions {
            var answers: Set<String> = []
            for name in ["ann", "dis", "link", "nobody"] {
                stage.workCount = 0
                let answer = try stage.call(operation, body("\(name)@chat.example"))
                let shown = answer.fields.filter { $0.key != "email" }.map { "\($0.key)=\($0.value)" }
                let count = answer.outcome?.edits.count ?? 0
                answers.insert("\(answer.refusal ?? "") \(shown.sorted()) \(stage.workCount) \(count)")
            }
            #expect(answers.count == 1, "\(operation): \(answers)")
        }
    }

    @Test("does not learn from a change of address which others are taken; their owner is told")
    func takenAddress() throws {
        var stage = try AccountStage(.production)
        _ = try stage.signUp("bob@chat.example")
        let token = try #require(try stage.signUp("ann@chat.example").text("idToken"))
        let body = { (email: String) in #"{"requestType":7,"idToken":"\#(token)","newEmail":"\#(email)"}"# }
        let taken = try stage.call(.sendCode, body("bob@chat.example"))
        let free = try stage.call(.sendCode, body("cat@chat.example"))
        #expect(taken.refusal == nil && taken.fields == free.fields)
        #expect(taken.outcome?.mails.map(\.kind) == [.addressTaken])
        #expect(taken.outcome?.mails.first?.link == nil)
    }

    @Test(
        "gets nowhere with tokens of another kind, forged or cut", arguments: ["lookup", "update", "delete"])
    func tokens(operation: String) throws {
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        let token = try #require(ann.text("idToken"))
        let cookie = try stage.call(.createSessionCookie, #"{"idToken":"\#(token)"}"#, admin: true)
        let parts = token.split(separator: ".").map(String.init)
        let none = Base64.url.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        let hostile = [
            try #require(ann.text("refreshToken")), try #require(cookie.text("sessionCookie")),
            "\(none).\(parts[1]).", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", token + "A",
            "\(parts[0]).\(Base64.url.encode(Array(#"{"sub":"x"}"#.utf8))).\(parts[2])", "..", "null",
        ]
        let call: AccountOperation =
            ["lookup": .lookup, "update": .update, "delete": .delete][operation] ?? .lookup
        for text in hostile {
            #expect(try stage.call(call, #"{"idToken":"\#(text)"}"#).refusal == "INVALID_ID_TOKEN")
        }
        #expect(try stage.call(call, #"{"idToken":"\#(token)"}"#).refusal == nil)
    }

    @Test("is over for a disabled user at once, and for him alone", arguments: AccountStage.Mode.allCases)
    func disabled(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.signUp("ann@chat.example")
        let bob = try stage.signUp("bob@chat.example")
        let localID = try #require(ann.text("localId"))
        let token = try #require(ann.text("idToken"))
        let answer = try stage.call(.update, #"{"localId":"\#(localID)","disableUser":true}"#, admin: true)
        #expect(answer.outcome?.endedUsers == [localID])
        #expect(try !stage.accepts(token) && stage.accepts(bob.text("idToken")))
        for (operation, body) in [
            (AccountOperation.lookup, #"{"idToken":"\#(token)"}"#),
            (.update, #"{"idToken":"\#(token)","displayName":"x"}"#),
            (.delete, #"{"idToken":"\#(token)"}"#),
            (.signInWithPassword, #"{"email":"ann@chat.example","password":"geheimes wort"}"#),
        ] {
            #expect(try stage.call(operation, body).refusal == "USER_DISABLED")
        }
        #expect(try stage.refresh(ann).refusal == "USER_DISABLED")
        let wrong = try stage.signIn("ann@chat.example", "falsches wort").refusal
        #expect(wrong == (mode == .emulator ? "USER_DISABLED" : "INVALID_LOGIN_CREDENTIALS"))
        _ = try stage.call(.update, #"{"localId":"\#(localID)","disableUser":false}"#, admin: true)
        #expect(try stage.signIn("ann@chat.example").refusal == nil)
    }

    @Test("with a stolen token cannot take an account over long after its user signed in")
    func recentLogin() throws {
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        stage.wait(seconds: 301)
        let token = try #require(ann.text("idToken"))
        for (operation, body) in [
            (AccountOperation.update, #""password":"neues wort""#),
            (.update, #""deleteProvider":["password"]"#), (.update, #""deleteAttribute":["PASSWORD"]"#),
            (.delete, #""a":1"#), (.sendCode, #""requestType":7,"newEmail":"eve@chat.example""#),
        ] {
            let answer = try stage.call(operation, #"{"idToken":"\#(token)",\#(body)}"#)
            #expect(answer.refusal == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
        let name = try stage.call(.update, #"{"idToken":"\#(token)","displayName":"Ann"}"#)
        #expect(name.refusal == nil)
        let email = try stage.call(.update, #"{"idToken":"\#(token)","email":"eve@chat.example"}"#)
        #expect(email.refusal == "OPERATION_NOT_ALLOWED : Please verify the new email before changing email.")
        let nobody = try stage.call(.signUp)
        stage.wait(seconds: 301)
        let own = try #require(nobody.text("idToken"))
        #expect(try stage.call(.delete, #"{"idToken":"\#(own)"}"#).refusal == nil)
    }

    @Test("cannot make itself more than it is", arguments: AccountStage.Mode.allCases)
    func rights(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.call(
            .signUp,
            #"{"email":"ann@chat.example","password":"geheimes wort","emailVerified":true,"disabled":true}"#)
        let token = try #require(ann.text("idToken"))
        let localID = try #require(ann.text("localId"))
        let bob = try #require(try stage.signUp("bob@chat.example").text("localId"))
        for (body, refusal) in [
            (#""customAttributes":"{\"role\":\"admin\"}""#, "INSUFFICIENT_PERMISSION"),
            (#""disableUser":false"#, "OPERATION_NOT_ALLOWED"),
        ] {
            #expect(try stage.call(.update, #"{"idToken":"\#(token)",\#(body)}"#).refusal == refusal)
        }
        let answer = try stage.call(
            .update,
            #"{"idToken":"\#(token)","localId":"\#(bob)","emailVerified":true,"validSince":1,"createdAt":1}"#)
        #expect(answer.refusal == nil && answer.text("localId") == localID)
        let record = try stage.record(localID)
        #expect(record["emailVerified"] == .leaf(.bool(false)) && record["createdAt"]?.text != "1")
        #expect(record["disabled"] == nil)
        let theirs = try stage.call(.delete, #"{"idToken":"\#(token)","localId":"\#(bob)"}"#)
        #expect(theirs.refusal == nil)
        #expect(try !stage.record(bob).isEmpty, "the token says whose account goes")
    }

    @Test("with an old token of a removed user is nobody in the account that has the uid now")
    func reusedName() throws {
        var stage = try AccountStage(.production)
        let made = #"{"localId":"ann","email":"ann@chat.example","password":"geheimes wort"}"#
        _ = try stage.call(.signUp, made, admin: true)
        let token = try #require(try stage.signIn("ann@chat.example").text("idToken"))
        _ = try stage.call(.delete, #"{"localId":"ann"}"#, admin: true)
        _ = try stage.call(.signUp, made, admin: true)
        #expect(try !stage.accepts(token))
        let fresh = try stage.signIn("ann@chat.example").text("idToken")
        #expect(try stage.accepts(fresh))
    }

    @Test(
        "with an address that could break out of mails or be mistaken for another is refused",
        arguments: [
            "ann@chat.example\r\nBcc: eve@x", "ann @chat.example", "ann@chat..example", ".ann@chat.example",
            "ann.@chat.example", "<ann@chat.example>", "ann,eve@chat.example", "ann@-chat.example",
            "ann@chat_1.example", "a\u{301}nn@chat.example", "an\u{200B}n@chat.example",
            "ann\u{0}@chat.example",
            "\"ann\"@chat.example", "ann@", "@chat.example", "ann", String(repeating: "a", count: 65) + "@x",
            "a@" + String(repeating: "b.", count: 130) + "c",
        ])
    func addresses(email: String) throws {
        var stage = try AccountStage(.production)
        let body = AccountBody(form: [("email", email), ("password", "geheimes wort")])
        #expect(try stage.call(.signUp, body).refusal == "INVALID_EMAIL")
    }

    @Test("with a password that everybody tries first, or a huge one, is refused")
    func weakPasswords() throws {
        var stage = try AccountStage(.production)
        for password in ["123456", "Password", "ann@chat.example", "ANN@chat.example"] {
            let body = #"{"email":"ann@chat.example","password":"\#(password)"}"#
            #expect(try stage.call(.signUp, body).refusal?.hasPrefix("WEAK_PASSWORD") == true)
        }
        let long = String(repeating: "x", count: 4_097)
        let body = #"{"email":"ann@chat.example","password":"\#(long)"}"#
        #expect(
            try stage.call(.signUp, body).refusal?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") == true)
        #expect(stage.workCount == 0, "nothing is hashed for it")
    }

    @Test("with a link to a foreign page is refused, where pages of the app are not")
    func continuing() throws {
        var stage = try AccountStage(.production)
        stage.settings.authorizedDomains = ["app.example"]
        _ = try stage.signUp("ann@chat.example")
        let allowed = ["https://app.example/x", "http://localhost:5000/", "https://chat.example/"]
        let refused = [
            "https://evil.example/", "https://app.example@evil.example/", "https://app.example.evil.example/",
            "javascript://app.example/%0aalert(1)", "ftp://app.example/",
            "https://app.example\\@evil.example/",
        ]
        for url in allowed + refused {
            let body = AccountBody(form: [
                ("requestType", "PASSWORD_RESET"), ("email", "ann@chat.example"), ("continueUrl", url),
            ])
            let answer = try stage.call(.sendCode, body)
            #expect((answer.refusal == nil) == allowed.contains(url), "\(url)")
        }
    }
}
