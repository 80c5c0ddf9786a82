// Codes by mail: what they do, that they do it once, in time, for one account.
import HearthCore
import HearthIdentity
import Testing

@Suite("A code by mail")
struct OneTimeCodeTests {
    private static let modes = AccountStage.Mode.allCases
    private static let reset = #"{"requestType":"PASSWORD_RESET","email":"ann@chat.example"}"#

    @Test("sets a new password, once, and ends what was signed in", arguments: modes)
    func reset(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.signUp("ann@chat.example")
        let code = try stage.code(Self.reset)
        #expect(mode == .emulator || !stage.stored.contains(code))
        let asked = try stage.call(.resetPassword, #"{"oobCode":"\#(code)"}"#)
        #expect(asked.text("requestType") == "PASSWORD_RESET" && asked.text("email") == "ann@chat.example")
        let weak = try stage.call(.resetPassword, #"{"oobCode":"\#(code)","newPassword":"kurz"}"#)
        #expect(weak.refusal?.hasPrefix("WEAK_PASSWORD") == true)
        let done = try stage.call(.resetPassword, #"{"oobCode":"\#(code)","newPassword":"neues wort"}"#)
        #expect(done.refusal == nil && done.fields["idToken"] == nil)
        #expect(done.outcome?.endedUsers == [try #require(ann.text("localId"))])
        for body in [#"{"oobCode":"\#(code)"}"#, #"{"oobCode":"\#(code)","newPassword":"drittes wort"}"#] {
            #expect(try stage.call(.resetPassword, body).refusal == "INVALID_OOB_CODE")
        }
        #expect(try stage.signIn("ann@chat.example").refusal != nil)
        #expect(try stage.signIn("ann@chat.example", "neues wort").refusal == nil)
        let record = try stage.record(try #require(ann.text("localId")))
        #expect(record["emailVerified"] == .leaf(.bool(true)))
        #expect(try stage.refresh(ann).refusal == (mode == .emulator ? nil : "TOKEN_EXPIRED"))
    }

    @Test("shows that an address is its owner's", arguments: modes)
    func verify(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.signUp("ann@chat.example")
        let token = try #require(ann.text("idToken"))
        let code = try stage.code(#"{"requestType":"VERIFY_EMAIL","idToken":"\#(token)"}"#)
        let done = try stage.call(.update, #"{"oobCode":"\#(code)"}"#)
        #expect(done.fields["emailVerified"] == .leaf(.bool(true)))
        #expect(try stage.call(.update, #"{"oobCode":"\#(code)"}"#).refusal == "INVALID_OOB_CODE")
        #expect(try stage.accepts(token), "verifying ends nothing")
    }

    @Test("changes an address once the new one is shown to be its owner's, and can take that back")
    func change() throws {
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        let token = try #require(ann.text("idToken"))
        let made = try stage.call(
            .sendCode,
            #"{"requestType":"VERIFY_AND_CHANGE_EMAIL","idToken":"\#(token)","newEmail":"ann@new.example"}"#)
        let mail = try #require(made.outcome?.mails.first)
        #expect(mail.recipient == "ann@new.example" && made.text("email") == "ann@chat.example")
        let code = try AccountStage.code(in: try #require(mail.link))
        let asked = try stage.call(.resetPassword, #"{"oobCode":"\#(code)"}"#)
        #expect(asked.text("newEmail") == "ann@new.example")
        let page = AccountBody(form: [("mode", "verifyAndChangeEmail"), ("oobCode", code)])
        let done = try stage.call(.actionForm, page)
        #expect(done.page == .done(mode: "verifyAndChangeEmail", continueURL: nil))
        #expect(try stage.signIn("ann@chat.example").refusal == "INVALID_LOGIN_CREDENTIALS")
        #expect(try stage.signIn("ann@new.example").refusal == nil)
        #expect(try !stage.accepts(token))
        let back = try #require(done.outcome?.mails.first)
        #expect(back.recipient == "ann@chat.example" && back.kind == .recoverEmail)
        let recovery = try AccountStage.code(in: try #require(back.link))
        #expect(try stage.call(.update, #"{"oobCode":"\#(recovery)"}"#).text("email") == "ann@chat.example")
        #expect(try stage.signIn("ann@chat.example").refusal == nil)
    }

    @Test("signs in whoever has the link, and makes an account if there is none", arguments: modes)
    func link(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let request = #"{"requestType":"EMAIL_SIGNIN","email":"Bob@chat.example"}"#
        let code = try stage.code(request)
        let other = try stage.call(
            .signInWithEmailLink, #"{"email":"eve@chat.example","oobCode":"\#(code)"}"#)
        #expect(other.refusal?.hasPrefix("INVALID_EMAIL : ") == true)
        let body = #"{"email":"bob@chat.example","oobCode":"\#(code)"}"#
        let first = try stage.call(.signInWithEmailLink, body)
        #expect(first.fields["isNewUser"] == .leaf(.bool(true)))
        #expect(try stage.accepts(first.text("idToken")))
        #expect(try stage.call(.signInWithEmailLink, body).refusal == "INVALID_OOB_CODE")
        let again = try stage.code(request)
        let second = try stage.call(
            .signInWithEmailLink, #"{"email":"bob@chat.example","oobCode":"\#(again)"}"#)
        #expect(second.fields["isNewUser"] == .leaf(.bool(false)))
        #expect(second.text("localId") == first.text("localId"))
        let record = try stage.record(try #require(first.text("localId")))
        #expect(record["emailVerified"] == .leaf(.bool(true)) && record["passwordHash"] == nil)
    }

    @Test(
        "is over after its time",
        arguments: [
            ("PASSWORD_RESET", 3_600), ("VERIFY_EMAIL", 3 * 86_400), ("EMAIL_SIGNIN", 900),
            ("VERIFY_AND_CHANGE_EMAIL", 86_400),
        ] as [(String, Int64)])
    func expiry(kind: String, seconds: Int64) throws {
        for mode in Self.modes {
            var stage = try AccountStage(mode)
            let token = try #require(try stage.signUp("ann@chat.example").text("idToken"))
            let fields =
                kind == "PASSWORD_RESET" || kind == "EMAIL_SIGNIN"
                ? #""email":"ann@chat.example""#
                : #""idToken":"\#(token)","newEmail":"ann@new.example""#
            let code = try stage.code(#"{"requestType":"\#(kind)",\#(fields)}"#)
            stage.wait(seconds: seconds - 1)
            #expect(try stage.call(.resetPassword, #"{"oobCode":"\#(code)"}"#).refusal == nil)
            stage.wait(seconds: 1)
            let refusal = try stage.call(.resetPassword, #"{"oobCode":"\#(code)"}"#).refusal
            #expect(refusal == (mode == .emulator ? nil : "EXPIRED_OOB_CODE"))
        }
    }

    @Test("ends with a new one of its kind, with a new password, and with its account")
    func voided() throws {
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        let token = try #require(ann.text("idToken"))
        let first = try stage.code(Self.reset)
        let second = try stage.code(Self.reset)
        #expect(try stage.call(.resetPassword, #"{"oobCode":"\#(first)"}"#).refusal == "INVALID_OOB_CODE")
        let changed = try stage.call(.update, #"{"idToken":"\#(token)","password":"neues wort"}"#)
        #expect(try stage.call(.resetPassword, #"{"oobCode":"\#(second)"}"#).refusal == "INVALID_OOB_CODE")
        let third = try stage.code(Self.reset)
        let fresh = try #require(changed.text("idToken"))
        #expect(try stage.call(.delete, #"{"idToken":"\#(fresh)"}"#).refusal == nil)
        #expect(try stage.call(.resetPassword, #"{"oobCode":"\#(third)"}"#).refusal == "INVALID_OOB_CODE")
    }

    @Test("serves its own kind alone")
    func kinds() throws {
        var stage = try AccountStage(.production)
        let token = try #require(try stage.signUp("ann@chat.example").text("idToken"))
        let verify = try stage.code(#"{"requestType":"VERIFY_EMAIL","idToken":"\#(token)"}"#)
        let reset = try stage.code(Self.reset)
        let signIn = try stage.code(#"{"requestType":"EMAIL_SIGNIN","email":"ann@chat.example"}"#)
        let attempts: [(AccountOperation, String)] = [
            (.resetPassword, #"{"oobCode":"\#(verify)","newPassword":"neues wort"}"#),
            (.resetPassword, #"{"oobCode":"\#(signIn)","newPassword":"neues wort"}"#),
            (.update, #"{"oobCode":"\#(reset)"}"#), (.update, #"{"oobCode":"\#(signIn)"}"#),
            (.signInWithEmailLink, #"{"email":"ann@chat.example","oobCode":"\#(reset)"}"#),
            (.signInWithEmailLink, #"{"email":"ann@chat.example","oobCode":"\#(verify)"}"#),
        ]
        for (operation, body) in attempts {
            #expect(try stage.call(operation, body).refusal == "INVALID_OOB_CODE")
        }
    }

    @Test("makes room for new ones once its time is over")
    func swept() throws {
        var stage = try AccountStage(.production)
        for index in 0..<40 {
            _ = try stage.code(#"{"requestType":"EMAIL_SIGNIN","email":"user\#(index)@chat.example"}"#)
        }
        let full = stage.stored.utf8.count
        stage.wait(seconds: 3_600)
        for index in 40..<48 {
            _ = try stage.code(#"{"requestType":"EMAIL_SIGNIN","email":"user\#(index)@chat.example"}"#)
        }
        #expect(stage.stored.utf8.count < full / 3)
    }

    @Test("leads to a page that changes nothing until its button is pressed")
    func page() throws {
        var stage = try AccountStage(.production)
        _ = try stage.signUp("ann@chat.example")
        let code = try stage.code(Self.reset)
        let fields = [("mode", "resetPassword"), ("oobCode", code), ("continueUrl", "https://evil.example/")]
        let before = stage.stored
        let asked = try stage.call(.actionPage, AccountBody(form: fields))
        guard case .question(let question)? = asked.page else { throw Missing() }
        #expect(question.email == "ann@chat.example" && question.continueURL == nil)
        #expect(stage.stored == before)
        let weak = try stage.call(.actionForm, AccountBody(form: fields + [("newPassword", "kurz")]))
        guard case .again? = weak.page else { throw Missing() }
        let done = try stage.call(.actionForm, AccountBody(form: fields + [("newPassword", "neues wort")]))
        #expect(done.page == .done(mode: "resetPassword", continueURL: nil))
        let late = try stage.call(.actionPage, AccountBody(form: fields))
        #expect(late.page == .useless(reason: "INVALID_OOB_CODE"))
    }

    @Test("acts at once in an emulator, which lists it until it is used")
    func emulator() throws {
        var stage = try AccountStage(.emulator)
        let token = try #require(try stage.signUp("ann@chat.example").text("idToken"))
        let code = try stage.code(#"{"requestType":"VERIFY_EMAIL","idToken":"\#(token)"}"#)
        #expect(code.utf8.count == 54)
        let listed = try stage.call(.listCodes).fields["oobCodes"]?.element(0)
        #expect(listed?.member("oobCode").text == code)
        #expect(listed?.member("requestType").text == "VERIFY_EMAIL")
        #expect(listed?.member("email").text == "ann@chat.example")
        let link = try #require(listed?.member("oobLink").text)
        #expect(link.hasPrefix("https://chat.example/emulator/action?mode=verifyEmail&lang=en&oobCode="))
        let fields = [("mode", "verifyEmail"), ("oobCode", code)]
        let done = try stage.call(.actionPage, AccountBody(form: fields))
        #expect(done.fields["authEmulator"]?.member("email").text == "ann@chat.example")
        #expect(try stage.call(.listCodes).fields["oobCodes"] == .list([]))
        let signIn = AccountBody(form: [
            ("mode", "signIn"), ("oobCode", "x"), ("continueUrl", "https://app.example/?a=1"),
        ])
        #expect(
            try stage.call(.actionPage, signIn).redirect
                == "https://app.example/?a=1&mode=signIn&lang=en&oobCode=x&apiKey=hearth")
    }
}
