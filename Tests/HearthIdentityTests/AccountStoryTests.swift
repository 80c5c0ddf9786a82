// What users do with their accounts, from registering to removal, in both modes.
import HearthCore
import HearthCrypto
import HearthIdentity
import Testing

@Suite("An account")
struct AccountStoryTests {
    private static let modes = AccountStage.Mode.allCases

    @Test("is made with address and password, and gives a token that says who it is", arguments: modes)
    func signUp(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let answer = try stage.call(
            .signUp,
            #"{"email":"Ann@Chat.Example","password":"geheimes wort","displayName":"Ann","photoUrl":"x"}"#)
        #expect(answer.text("email") == "ann@chat.example" && answer.text("displayName") == "Ann")
        #expect(answer.text("kind") == "identitytoolkit#SignupNewUserResponse")
        #expect(answer.text("expiresIn") == "3600")
        let localID = try #require(answer.text("localId"))
        #expect(localID.utf8.count == 28)
        let record = try stage.record(localID)
        #expect(record["emailVerified"] == .leaf(.bool(false)) && record["photoUrl"] == nil)
        #expect(record["passwordHash"]?.text == "UkVEQUNURUQ=" && record["salt"] == nil)
        #expect(record["createdAt"]?.text == "\(AccountStage.start)")
        #expect(record["validSince"]?.text == "\(AccountStage.start / 1_000)")
        #expect(!stage.stored.contains("geheimes wort"))
        #expect(!stage.stored.contains(try #require(answer.text("refreshToken"))))
        #expect(try stage.accepts(answer.text("idToken")))
    }

    @Test("says in its token what the contract lists", arguments: modes)
    func claims(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let answer = try stage.signUp("ann@chat.example")
        let localID = try #require(answer.text("localId"))
        _ = try stage.call(
            .update, #"{"localId":"\#(localID)","customAttributes":"{\"role\":\"admin\",\"sub\":1}"}"#,
            admin: true)
        _ = try stage.call(
            .update,
            #"{"localId":"\#(localID)","customAttributes":"{\"role\":\"admin\"}","displayName":"Ann"}"#,
            admin: true)
        let again = try stage.signIn("ann@chat.example")
        let claims = try TokenText.claims(of: again.text("idToken"))
        let seconds = AccountStage.start / 1_000
        #expect(claims.member("iss").text == "https://securetoken.google.com/fire3chat")
        #expect(claims.member("aud").text == "fire3chat")
        #expect(claims.member("sub").text == localID && claims.member("user_id").text == localID)
        #expect(claims.member("iat") == .leaf(.integer(seconds)))
        #expect(claims.member("exp") == .leaf(.integer(seconds + 3_600)))
        #expect(claims.member("auth_time") == .leaf(.integer(seconds)))
        #expect(claims.member("email").text == "ann@chat.example")
        #expect(claims.member("email_verified") == .leaf(.bool(false)))
        #expect(claims.member("name").text == "Ann" && claims.member("role").text == "admin")
        #expect(claims.member("provider_id").isNull)
        #expect(claims.member("firebase").member("sign_in_provider").text == "password")
        #expect(claims.member("firebase").member("identities").member("email").element(0).text != nil)
    }

    @Test("may be nobody's in particular, and become somebody's", arguments: modes)
    func anonymous(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let nobody = try stage.call(.signUp, #"{"returnSecureToken":true,"displayName":"ignored"}"#)
        let localID = try #require(nobody.text("localId"))
        let claims = try TokenText.claims(of: nobody.text("idToken"))
        #expect(claims.member("provider_id").text == "anonymous")
        #expect(claims.member("firebase").member("identities") == .object([:]))
        #expect(try stage.record(localID)["providerUserInfo"] == nil)
        stage.wait(seconds: 2)
        let token = try #require(nobody.text("idToken"))
        let linked = try stage.call(
            .signUp, #"{"idToken":"\#(token)","email":"ann@chat.example","password":"geheimes wort"}"#)
        #expect(linked.text("localId") == localID)
        #expect(try stage.accepts(linked.text("idToken")))
        #expect(try !stage.accepts(token))
        #expect(try stage.signIn("ann@chat.example").text("localId") == localID)
    }

    @Test("is told about with the fields that clients read", arguments: modes)
    func lookup(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let token = try #require(try stage.signUp("ann@chat.example").text("idToken"))
        _ = try stage.call(.update, #"{"id_token":"\#(token)","display_name":"Ann","photo_url":"p"}"#)
        let answer = try stage.call(.lookup, #"{"idToken":"\#(token)"}"#)
        let provider = answer.fields["users"]?.element(0).member("providerUserInfo").element(0)
        #expect(provider?.member("providerId").text == "password")
        #expect(provider?.member("rawId").text == "ann@chat.example")
        #expect(provider?.member("federatedId").text == "ann@chat.example")
        #expect(provider?.member("displayName").text == "Ann" && provider?.member("photoUrl").text == "p")
        let cleared = try stage.call(
            .update, #"{"idToken":"\#(token)","deleteAttribute":["DISPLAY_NAME",4],"photoUrl":null}"#)
        #expect(cleared.fields["displayName"] == nil && cleared.fields["photoUrl"] == nil)
    }

    @Test("changes its password, and what was signed in before is out", arguments: modes)
    func password(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let first = try stage.signUp("ann@chat.example")
        let other = try stage.signIn("ann@chat.example")
        // In the same second: the old tokens must die all the same in production.
        if mode == .emulator { stage.wait(seconds: 1) }
        let token = try #require(first.text("idToken"))
        let changed = try stage.call(
            .update, #"{"idToken":"\#(token)","password":"neues wort","returnSecureToken":true}"#)
        #expect(changed.refusal == nil && changed.outcome?.endedUsers.count == 1)
        #expect(try stage.accepts(changed.text("idToken")))
        #expect(try !stage.accepts(token) && !stage.accepts(other.text("idToken")))
        #expect(try stage.call(.lookup, #"{"idToken":"\#(token)"}"#).refusal == "TOKEN_EXPIRED")
        #expect(try stage.signIn("ann@chat.example").refusal != nil)
        #expect(try stage.signIn("ann@chat.example", "neues wort").refusal == nil)
        let refreshed = try stage.refresh(other)
        #expect(refreshed.refusal == (mode == .emulator ? nil : "TOKEN_EXPIRED"))
        #expect(try stage.refresh(changed).refusal == nil)
    }

    @Test("goes on with its session, which says when it was signed in", arguments: modes)
    func refresh(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let first = try stage.signUp("ann@chat.example")
        stage.wait(seconds: 7_200)
        let token = try #require(first.text("idToken"))
        let told = try stage.call(.lookup, #"{"idToken":"\#(token)"}"#).refusal
        #expect(told == (mode == .emulator ? nil : "TOKEN_EXPIRED"))
        let refreshed = try stage.refresh(first)
        #expect(refreshed.text("refresh_token") == first.text("refreshToken"))
        #expect(refreshed.text("access_token") == refreshed.text("id_token"))
        #expect(refreshed.text("expires_in") == "3600" && refreshed.text("token_type") == "Bearer")
        #expect(refreshed.text("user_id") == first.text("localId"))
        let claims = try TokenText.claims(of: refreshed.text("id_token"))
        #expect(claims.member("auth_time") == .leaf(.integer(AccountStage.start / 1_000)))
        #expect(claims.member("iat") == .leaf(.integer(stage.now / 1_000)))
    }

    @Test("writes nothing for a token soon after the last one")
    func bookkeeping() throws {
        var stage = try AccountStage(.production)
        let first = try stage.signUp("ann@chat.example")
        #expect(try stage.refresh(first).outcome?.edits.count == 1, "the account notes the first refresh")
        stage.wait(seconds: 600)
        #expect(try stage.refresh(first).outcome?.edits.isEmpty == true)
        stage.wait(seconds: 3_600)
        #expect(try stage.refresh(first).outcome?.edits.isEmpty == false)
    }

    @Test("is removed with all that belongs to it, and its address is free again", arguments: modes)
    func removal(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.signUp("ann@chat.example")
        let token = try #require(ann.text("idToken"))
        _ = try stage.code(#"{"requestType":"VERIFY_EMAIL","idToken":"\#(token)"}"#)
        let removed = try stage.call(.delete, #"{"idToken":"\#(token)"}"#)
        #expect(removed.text("kind") == "identitytoolkit#DeleteAccountResponse")
        #expect(removed.outcome?.endedUsers == [try #require(ann.text("localId"))])
        #expect(try stage.call(.lookup, #"{"idToken":"\#(token)"}"#).refusal == "USER_NOT_FOUND")
        #expect(try !stage.accepts(token))
        let told = try stage.refresh(ann).refusal
        #expect(told == (mode == .emulator ? "INVALID_REFRESH_TOKEN" : "USER_NOT_FOUND"))
        #expect(!stage.stored.contains("ann@chat.example") && !stage.stored.contains("scrypt"))
        #expect(try stage.signUp("ann@chat.example").text("localId") != ann.text("localId"))
    }

    @Test("takes the old form of its calls: numbers, other spellings, nulls", arguments: modes)
    func spellings(mode: AccountStage.Mode) throws {
        var stage = try AccountStage(mode)
        let ann = try stage.signUp("ann@chat.example")
        let refresh = try #require(ann.text("refreshToken"))
        let body = AccountBody(form: [("grant_type", "refresh_token"), ("refreshToken", refresh)])
        #expect(try stage.call(.refresh, body).refusal == nil)
        let token = try #require(ann.text("idToken"))
        let answer = try stage.call(.sendCode, #"{"request_type":4,"id_token":"\#(token)","newEmail":null}"#)
        #expect(answer.text("email") == "ann@chat.example")
    }

    @Test("lists its sessions, ends one of them, and signs out")
    func sessions() throws {
        var stage = try AccountStage(.production)
        let phone = try stage.signUp("ann@chat.example")
        stage.wait(seconds: 60)
        let laptop = try stage.signIn("ann@chat.example")
        let token = try #require(laptop.text("idToken"))
        guard
            case .list(let sessions)? =
                try stage.call(.sessions, #"{"idToken":"\#(token)"}"#).fields["sessions"]
        else { throw Missing() }
        #expect(sessions.count == 2 && sessions[0].member("client").text == "test")
        let older = try #require(sessions[1].member("sessionId").text)
        let ended = try stage.call(.endSession, #"{"idToken":"\#(token)","sessionId":"\#(older)"}"#)
        #expect(ended.refusal == nil)
        #expect(try stage.accepts(token), "the other session goes on")
        #expect(try stage.refresh(phone).refusal == "TOKEN_EXPIRED")
        let refresh = try #require(laptop.text("refreshToken"))
        #expect(try stage.call(.signOut, #"{"refreshToken":"\#(refresh)"}"#).refusal == nil)
        #expect(try stage.refresh(laptop).refusal == "TOKEN_EXPIRED")
        #expect(try !stage.accepts(token) && !stage.accepts(phone.text("idToken")))
        #expect(try stage.call(.lookup, #"{"idToken":"\#(token)"}"#).refusal == "TOKEN_EXPIRED")
        #expect(try stage.call(.signOut, #"{"refreshToken":"\#(refresh)"}"#).refusal == nil)
    }

    @Test("has a bounded number of sessions, the unused ones ending first")
    func sessionBound() throws {
        var stage = try AccountStage(.production)
        let first = try stage.signUp("ann@chat.example")
        for _ in 0..<105 {
            stage.wait(seconds: 1)
            _ = try stage.signIn("ann@chat.example")
        }
        #expect(try stage.refresh(first).refusal == "TOKEN_EXPIRED")
        let last = try stage.signIn("ann@chat.example")
        let token = try #require(last.text("idToken"))
        guard
            case .list(let sessions)? =
                try stage.call(.sessions, #"{"idToken":"\#(token)"}"#).fields["sessions"]
        else { throw Missing() }
        #expect(sessions.count == 100)
    }

    @Test("ends a session that nobody has used for half a year")
    func unused() throws {
        var stage = try AccountStage(.production)
        let first = try stage.signUp("ann@chat.example")
        stage.wait(seconds: 179 * 24 * 3_600)
        #expect(try stage.refresh(first).refusal == nil)
        stage.wait(seconds: 181 * 24 * 3_600)
        #expect(try stage.refresh(first).refusal == "TOKEN_EXPIRED")
    }

    @Test("has its password hashed anew once more work is asked for")
    func rehash() throws {
        var stage = try AccountStage(.production)
        _ = try stage.signUp("ann@chat.example")
        #expect(stage.stored.contains("ln=10,r=8,p=1"))
        stage.settings.passwordCost = try #require(.init(logarithm: 11, blockSize: 8, parallelism: 1))
        #expect(try stage.signIn("ann@chat.example", "falsch").refusal != nil)
        #expect(stage.stored.contains("ln=10"))
        let answer = try stage.signIn("ann@chat.example")
        #expect(answer.refusal == nil && stage.stored.contains("ln=11") && !stage.stored.contains("ln=10"))
        #expect(try stage.accepts(answer.text("idToken")))
    }
}

/// A field that a test needs is not there.
struct Missing: Error {}

extension AccountStage {
    /// Goes on with the session of an answer.
    mutating func refresh(_ answer: StagedAnswer) throws -> StagedAnswer {
        let token = try #require(answer.text("refreshToken") ?? answer.text("refresh_token"))
        return try call(.refresh, #"{"grantType":"refresh_token","refreshToken":"\#(token)"}"#)
    }
}
