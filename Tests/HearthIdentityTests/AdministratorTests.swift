// What the administrator does with accounts.
import HearthCore
import HearthCrypto
import HearthIdentity
import Testing

@Suite("The administrator of accounts")
struct AdministratorTests {
    private static let modes = AccountStage.Mode.allCases

    @Test("makes accounts without being signed in as them", arguments: modes)
    func create(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let body = """
            {"localId":"ann","email":"Ann@chat.example","password":"geheimes wort","displayName":"Ann",\
            "photoUrl":"p","emailVerified":true}
            """
        let answer = try stage.call(.signUp, body, admin: true)
        #expect(answer.text("localId") == "ann" && answer.text("email") == "ann@chat.example")
        #expect(answer.fields["idToken"] == nil && answer.fields["refreshToken"] == nil)
        let record = try stage.record("ann")
        #expect(record["emailVerified"] == .leaf(.bool(true)) && record["photoUrl"]?.text == "p")
        #expect(record["lastLoginAt"] == nil)
        for (body, refusal) in [
            (#"{"localId":"ann"}"#, "DUPLICATE_LOCAL_ID"), (#"{"email":"ann@chat.example"}"#, "EMAIL_EXISTS"),
            (#"{"email":"x"}"#, "INVALID_EMAIL"),
            (#"{"password":"kurz"}"#, "WEAK_PASSWORD : Password should be at least 6 characters"),
            (#"{"localId":"b","idToken":"x"}"#, "UNEXPECTED_PARAMETER : User ID"),
        ] {
            #expect(try stage.call(.signUp, body, admin: true).refusal == refusal)
        }
        #expect(try stage.signIn("ann@chat.example").refusal == nil)
    }

    @Test("looks up by uid and address, each account once", arguments: modes)
    func lookup(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try #require(try stage.signUp("ann@chat.example").text("localId"))
        let bob = try #require(try stage.signUp("bob@chat.example").text("localId"))
        let body = #"{"localId":["\#(ann)","x"],"email":["ANN@chat.example","bob@chat.example"]}"#
        guard case .list(let users)? = try stage.call(.lookup, body, admin: true).fields["users"] else {
            throw Missing()
        }
        #expect(users.map { $0.member("localId").text } == [ann, bob])
        let none = try stage.call(.lookup, #"{"localId":["x"]}"#, admin: true)
        #expect(none.fields["users"] == nil, "an SDK needs the field to be absent")
    }

    @Test("changes what users may not", arguments: modes)
    func update(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.signUp("ann@chat.example")
        let id = try #require(ann.text("localId"))
        for (fields, refusal) in [
            (#""customAttributes":"[]""#, "INVALID_CLAIMS"),
            (#""customAttributes":"{\"firebase\":1}""#, "FORBIDDEN_CLAIM : firebase"),
            (
                #""customAttributes":"{\"a\":\"\#(String(repeating: "x", count: 1_000))\"}""#,
                "CLAIMS_TOO_LARGE"
            ),
            (#""email":"x""#, "INVALID_EMAIL"),
        ] {
            let answer = try stage.call(.update, #"{"localId":"\#(id)",\#(fields)}"#, admin: true)
            #expect(answer.refusal == refusal)
        }
        #expect(try stage.call(.update, "{}", admin: true).refusal == "MISSING_LOCAL_ID")
        #expect(try stage.call(.update, #"{"localId":"x"}"#, admin: true).refusal == "USER_NOT_FOUND")
        let changed = try stage.call(
            .update,
            #"{"localId":"\#(id)","emailVerified":true,"customAttributes":"{\"a\":1}","createdAt":"5"}"#,
            admin: true)
        #expect(changed.refusal == nil && changed.fields["idToken"] == nil)
        let record = try stage.record(id)
        #expect(record["customAttributes"]?.text == #"{"a":1}"# && record["createdAt"]?.text == "5")
        #expect(try stage.accepts(ann.text("idToken")), "nothing of that ends a session")
    }

    @Test("ends all sessions of a user, those of the same second too")
    func revoke() throws {
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        let id = try #require(ann.text("localId"))
        let seconds = stage.now / 1_000
        let answer = try stage.call(
            .update, #"{"localId":"\#(id)","validSince":\#(seconds)}"#, admin: true)
        #expect(answer.outcome?.endedUsers == [id])
        #expect(try stage.record(id)["validSince"]?.text == "\(seconds)")
        #expect(try !stage.accepts(ann.text("idToken")))
        #expect(try stage.refresh(ann).refusal == "TOKEN_EXPIRED")
        let again = try stage.signIn("ann@chat.example")
        #expect(try stage.accepts(again.text("idToken")))
    }

    @Test("lists accounts page by page, counts and removes them", arguments: modes)
    func many(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        for name in ["10", "9", "ann", "a.b", "A", "z"] {
            _ = try stage.call(.signUp, #"{"localId":"\#(name)"}"#, admin: true)
        }
        var seen: [String] = []
        var token = ""
        repeat {
            let page = AccountBody(form: [("maxResults", "4"), ("nextPageToken", token)])
            let answer = try stage.call(.batchGet, page, admin: true)
            if case .list(let users)? = answer.fields["users"] {
                seen += users.compactMap { $0.member("localId").text }
            }
            token = answer.text("nextPageToken") ?? ""
        } while !token.isEmpty
        #expect(seen == ["10", "9", "A", "a.b", "ann", "z"])
        let counted = try stage.call(.query, #"{"returnUserInfo":false}"#, admin: true)
        #expect(counted.text("recordsCount") == "6")
        let asked = try stage.call(
            .query, #"{"limit":2,"offset":1,"order":"DESC","sortBy":"USER_ID"}"#, admin: true)
        #expect(asked.fields["userInfo"]?.element(0).member("localId").text == "ann")
        _ = try stage.call(.update, #"{"localId":"z","disableUser":true}"#, admin: true)
        let removed = try stage.call(.batchDelete, #"{"localIds":["z","ann","nobody"]}"#, admin: true)
        #expect(removed.outcome?.endedUsers == ["z"])
        let error = removed.fields["errors"]?.element(0)
        #expect(error?.member("index") == .leaf(.integer(1)))
        #expect(error?.member("message").text?.hasPrefix("NOT_DISABLED : ") == true)
        let forced = try stage.call(.batchDelete, #"{"localIds":["ann"],"force":true}"#, admin: true)
        #expect(forced.fields["errors"] == nil && forced.outcome?.endedUsers == ["ann"])
        for body in ["{}", #"{"localIds":[]}"#] {
            #expect(
                try stage.call(.batchDelete, body, admin: true).refusal == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
        }
    }

    @Test("takes accounts over, and says which ones not", arguments: modes)
    func importing(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        _ = try stage.signUp("bob@chat.example")
        let users = """
            {"localId":"ann","email":"ann@chat.example","rawPassword":"geheimes wort","createdAt":"7"},
            {"localId":"two","email":"bob@chat.example"},{"email":"x@chat.example"},
            {"localId":"ann"},{"localId":"old","passwordHash":"AAAA"},
            {"localId":"cat","customAttributes":"{\\"role\\":\\"a\\"}"}
            """
        let answer = try stage.call(.batchCreate, #"{"users":[\#(users)]}"#, admin: true)
        guard case .list(let errors)? = answer.fields["error"] else { throw Missing() }
        #expect(errors.map { $0.member("index") } == [1, 2, 3, 4].map { .leaf(.integer($0)) })
        #expect(try stage.signIn("ann@chat.example").text("localId") == "ann")
        #expect(try stage.record("ann")["createdAt"]?.text == "7")
        #expect(try stage.record("cat")["customAttributes"]?.text == #"{"role":"a"}"#)
        #expect(try stage.call(.batchCreate, "{}", admin: true).refusal == "MISSING_USER_ACCOUNT")
        let over = try stage.call(
            .batchCreate, #"{"users":[{"localId":"ann"}],"allowOverwrite":true}"#, admin: true)
        #expect(over.fields["error"] == nil && over.outcome?.endedUsers == ["ann"])
        #expect(try stage.record("ann")["email"] == nil)
    }

    @Test("gets links instead of mails, and cookies that are no ID tokens")
    func linksAndCookies() throws {
        var stage = try AccountStage(.production)
        let ann = try stage.signUp("ann@chat.example")
        let link = try stage.call(
            .sendCode, #"{"requestType":"VERIFY_EMAIL","email":"ann@chat.example","returnOobLink":true}"#,
            admin: true)
        #expect(link.outcome?.mails == [] && link.text("oobLink")?.contains("mode=verifyEmail") == true)
        let code = try #require(link.text("oobCode"))
        #expect(try stage.call(.update, #"{"oobCode":"\#(code)"}"#).refusal == nil)
        let token = try #require(ann.text("idToken"))
        for (fields, refusal) in [
            (#""validDuration":299"#, "INVALID_DURATION"),
            (#""validDuration":"1209601""#, "INVALID_DURATION"),
        ] {
            let answer = try stage.call(
                .createSessionCookie, #"{"idToken":"\#(token)",\#(fields)}"#, admin: true)
            #expect(answer.refusal == refusal)
        }
        #expect(try stage.call(.createSessionCookie, "{}", admin: true).refusal == "MISSING_ID_TOKEN")
        let cookie = try stage.call(
            .createSessionCookie, #"{"idToken":"\#(token)","validDuration":"600"}"#, admin: true)
        let claims = try TokenText.claims(of: cookie.text("sessionCookie"))
        #expect(claims.member("iss").text == "https://session.firebase.google.com/fire3chat")
        #expect(claims.member("exp") == .leaf(.integer(stage.now / 1_000 + 600)))
        #expect(claims.member("email").text == "ann@chat.example")
    }

    @Test("says who may sign custom tokens; nobody else can")
    func signers() throws {
        var stage = try AccountStage(.production)
        let key = PrivateKey.generate(.es256)
        let other = PrivateKey.generate(.es256)
        let add = AccountBody(form: [("name", "back@chat.example"), ("publicKey", key.publicKey.pem)])
        #expect(try stage.call(.createSigner, add, admin: true).refusal == nil)
        #expect(try stage.call(.createSigner, add, admin: true).refusal == "DUPLICATE_NAME")
        #expect(try stage.call(.createSigner, add).refusal != nil)
        let list = try stage.call(.listSigners, admin: true).fields["signers"]?.element(0)
        #expect(list?.member("name").text == "back@chat.example")
        let made = { (key: PrivateKey, changes: [String: String]) in
            CustomTokenText.make(key, "back@chat.example", at: AccountStage.start, changes)
        }
        let token = made(key, ["uid": #""ann""#, "claims": #"{"role":"admin"}"#])
        let answer = try stage.call(.signInWithCustomToken, #"{"token":"\#(token)"}"#)
        #expect(answer.fields["isNewUser"] == .leaf(.bool(true)))
        let claims = try TokenText.claims(of: answer.text("idToken"))
        #expect(claims.member("sub").text == "ann" && claims.member("role").text == "admin")
        #expect(claims.member("firebase").member("sign_in_provider").text == "custom")
        let refreshed = try TokenText.claims(of: try stage.refresh(answer).text("id_token"))
        #expect(refreshed.member("role").text == "admin", "the session keeps the claims")
        let seconds = AccountStage.start / 1_000
        for wrong in [
            made(other, [:]), made(key, ["aud": #""fire3chat""#]), made(key, ["sub": #""x""#]),
            made(key, ["iss": #""x""#, "sub": #""x""#]), made(key, ["exp": "\(seconds + 3_601)"]),
            made(key, ["exp": "\(seconds - 31)", "iat": "\(seconds - 100)"]),
            made(key, ["iat": "\(seconds + 31)"]), token + "A",
        ] {
            let answer = try stage.call(.signInWithCustomToken, #"{"token":"\#(wrong)"}"#)
            #expect(answer.refusal?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true)
        }
        let named = AccountBody(form: [("name", "back@chat.example")])
        #expect(try stage.call(.deleteSigner, named, admin: true).refusal == nil)
        let late = try stage.call(.signInWithCustomToken, #"{"token":"\#(token)"}"#)
        #expect(late.refusal?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true)
    }
}

/// Custom tokens as an app's back end makes them.
enum CustomTokenText {
    static func make(
        _ key: PrivateKey, _ signer: String, at now: Int64, _ changes: [String: String]
    ) -> String {
        let audience =
            "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
        let seconds = now / 1_000
        var members = [
            "iss": "\"\(signer)\"", "sub": "\"\(signer)\"", "aud": "\"\(audience)\"", "iat": "\(seconds)",
            "exp": "\(seconds + 3_600)", "uid": #""ann""#,
        ]
        members.merge(changes) { _, new in new }
        let json = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        return TokenSigner.key(key, id: "one").token(Array(json.utf8))
    }
}
