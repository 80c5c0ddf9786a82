// Right tokens are taken, and say who asks and until when.
import HearthCore
import HearthCrypto
import Testing

@testable import HearthIdentity

@Suite("A verified token")
struct TokenVerifierTests {
    @Test("says who asks, and until when", arguments: TokenMint.Keys.allCases)
    func sound(keys: TokenMint.Keys) throws {
        let verifier = try TokenMint.verifier(keys)
        let token = try verifier.verify(TokenMint.token(keys), at: TokenMint.now)
        #expect(token.uid == "ann")
        #expect(token.auth.uid == "ann")
        #expect(token.provider == "password")
        #expect(token.auth.variable.member("provider").text == "password")
        #expect(token.claims.member("email_verified") == .leaf(.bool(true)))
        #expect(token.claims.member("sub").text == "ann")
        #expect(token.issuedAt == TokenMint.now - 10_000)
        #expect(token.signedInAt == TokenMint.now - 100_000)
        #expect(token.expiresAt == TokenMint.now + 3_590_000)
        #expect(token.refusedFrom == TokenMint.now + 3_620_000)
    }

    @Test("may lack what only Firebase's tokens say, and be meant for several")
    func others() throws {
        let claims = TokenMint.claims([
            "user_id": "", "auth_time": "", "firebase": "",
            "aud": "[\"other\",\"fire3chat\"]", "nbf": "\(TokenMint.seconds).25", "role": "[1,{\"a\":null}]",
        ])
        let token = try TokenMint.verifier(.es256).verify(TokenMint.es256(claims), at: TokenMint.now)
        #expect(token.provider == nil && token.signedInAt == nil)
        #expect(token.claims.member("role").element(0) == .leaf(.integer(1)))
    }

    @Test(
        "may be off by the leeway, and no more",
        arguments: [
            ("exp", -29_999, true), ("exp", -30_000, false), ("iat", 30_000, true), ("iat", 30_001, false),
            ("auth_time", 30_000, true), ("auth_time", 30_001, false), ("nbf", 30_000, true),
            ("nbf", 30_001, false),
        ] as [(String, Int64, Bool)])
    func leeway(claim: String, offset: Int64, isTaken: Bool) throws {
        let time = Double(TokenMint.now + offset) / 1_000
        let token = TokenMint.hs256(TokenMint.claims([claim: "\(time)"]))
        let verifier = try TokenMint.verifier(.hs256)
        guard isTaken else {
            #expect(throws: claim == "exp" ? TokenRefusal.expired : .notYetValid) {
                try verifier.verify(token, at: TokenMint.now)
            }
            return
        }
        let verified = try verifier.verify(token, at: TokenMint.now)
        #expect(verified.isCurrent(at: TokenMint.now))
        #expect(verified.isCurrent(at: (verified.refusedFrom ?? 0) - 1))
        #expect(!verified.isCurrent(at: verified.refusedFrom ?? .max))
    }

    @Test("is chosen among several issuers by what it says, each with its own algorithm")
    func severalIssuers() throws {
        let other = TokenIssuer(
            issuer: "https://id.example", audiences: ["chat", "forum"],
            keys: try TokenKeys(pem: TokenMint.p256.publicKey.pem), leeway: 0)
        let own = TokenIssuer.project(TokenMint.project, keys: try TokenKeys(secret: TokenMint.secret))
        let verifier = try TokenVerifier(issuers: [own, other])
        let claims = TokenMint.claims(["iss": "\"https://id.example\"", "aud": "\"forum\""])
        #expect(try verifier.verify(TokenMint.hs256(), at: TokenMint.now).uid == "ann")
        #expect(try verifier.verify(TokenMint.es256(claims), at: TokenMint.now).uid == "ann")
        #expect(throws: TokenRefusal.wrongAlgorithm) {
            try verifier.verify(TokenMint.hs256(claims), at: TokenMint.now)
        }
        #expect(throws: TokenRefusal.wrongAlgorithm) {
            try verifier.verify(TokenMint.es256(), at: TokenMint.now)
        }
        #expect(throws: RepeatedIssuer.self) { try TokenVerifier(issuers: [own, other, own]) }
    }

    @Test("has a signature that an RFC prints")
    func published() throws {
        // RFC 7515 A.3; its claims name no user, so that the signature alone can be right.
        let text =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
            + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let keySet =
            "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\","
            + "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
            + "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}"
        let token = try CompactToken(text)
        try TokenKeys(jwks: Array(keySet.utf8), algorithm: .es256).check(token)
        #expect(try token.claims()["exp"] == .leaf(.integer(1_300_819_380)))
        #expect(throws: TokenRefusal.badSignature) {
            try TokenKeys(pem: TokenMint.p256.publicKey.pem).check(token)
        }
    }

    @Test("is checked with the key that it names")
    func keyIDs() throws {
        let second = PrivateKey.generate(.rs256)
        let keys =
            TokenMint.jwk(second.publicKey, "\"kid\":\"two\",\"use\":\"sig\",\"alg\":\"RS256\"") + ","
            + TokenMint.jwk(TokenMint.rsa.publicKey, "\"kid\":\"one\"")
        let set = try TokenKeys(jwks: Array("{\"keys\":[\(keys)]}".utf8), algorithm: .rs256)
        let verifier = try TokenVerifier(issuers: [.project(TokenMint.project, keys: set)])
        func header(_ kid: String) -> String { "{\"alg\":\"RS256\"\(kid)}" }
        let claims = TokenMint.claims()
        let two = TokenMint.token(header(",\"kid\":\"two\""), claims, second)
        #expect(try verifier.verify(two, at: TokenMint.now).uid == "ann")
        #expect(try verifier.verify(TokenMint.rs256(), at: TokenMint.now).uid == "ann")
        let crossed = TokenMint.token(header(",\"kid\":\"one\""), claims, second)
        #expect(throws: TokenRefusal.badSignature) { try verifier.verify(crossed, at: TokenMint.now) }
        for kid in [",\"kid\":\"three\"", "", ",\"kid\":\"\""] {
            let token = TokenMint.token(header(kid), claims, second)
            #expect(throws: TokenRefusal.unknownKey) { try verifier.verify(token, at: TokenMint.now) }
        }
    }

    @Test("of the older kind carries the auth variable itself")
    func legacy() throws {
        let verifier = try TokenVerifier(issuers: [.legacy(try TokenKeys(secret: TokenMint.secret))])
        let made = TokenMint.seconds - 3_600
        let token = try verifier.verify(
            TokenMint.hs256("{\"v\":0,\"iat\":\(made),\"d\":{\"uid\":\"ann\",\"team\":7}}"), at: TokenMint.now
        )
        #expect(token.uid == "ann")
        #expect(token.provider == "custom")
        #expect(token.auth.variable.member("team") == .leaf(.integer(7)))
        #expect(token.claims.member("team") == .leaf(.integer(7)))
        #expect(token.expiresAt == (made + 86_400) * 1_000)
        for (claims, reason) in [
            ("{\"v\":0,\"iat\":\(made - 86_400),\"d\":{\"uid\":\"ann\"}}", TokenRefusal.expired),
            ("{\"v\":0,\"iat\":\(made),\"exp\":\(made),\"d\":{\"uid\":\"ann\"}}", .expired),
            ("{\"v\":1,\"iat\":\(made),\"d\":{\"uid\":\"ann\"}}", .badClaims),
            ("{\"v\":0,\"d\":{\"uid\":\"ann\"}}", .badClaims),
            ("{\"v\":0,\"iat\":\(made),\"d\":\"ann\"}", .badClaims),
            ("{\"v\":0,\"iat\":\(made),\"d\":{}}", .badSubject),
            ("{\"v\":0,\"iat\":\(made),\"d\":{\"uid\":\"\"}}", .badSubject),
            ("{\"v\":0,\"iat\":\(made),\"admin\":true,\"d\":{\"uid\":\"ann\"}}", .otherPurpose),
            (TokenMint.claims(), .unknownIssuer),
        ] {
            #expect(throws: reason) { try verifier.verify(TokenMint.hs256(claims), at: TokenMint.now) }
        }
    }
}

@Suite("An unsigned token")
struct UnsignedTokenTests {
    /// As `mockUserToken` of the JavaScript SDK makes it: times of 1970, and `type` for `typ`.
    private let mock =
        TokenMint.head(
            "{\"alg\":\"none\",\"type\":\"JWT\"}",
            "{\"iss\":\"https://securetoken.google.com/demo\",\"aud\":\"demo\",\"iat\":0,\"exp\":3600,"
                + "\"auth_time\":0,\"sub\":\"bob\",\"user_id\":\"bob\","
                + "\"firebase\":{\"sign_in_provider\":\"custom\",\"identities\":{}}}") + "."

    @Test("is believed by the emulator, whatever its times say")
    func believed() throws {
        let verifier = try TokenVerifier(issuers: [], acceptsUnsigned: true)
        let token = try verifier.verify(mock, at: TokenMint.now)
        #expect(token.uid == "bob")
        #expect(token.provider == "custom")
        #expect(token.issuedAt == 0)
        #expect(token.expiresAt == nil && token.refusedFrom == nil)
        #expect(token.isCurrent(at: .max))
        #expect(try verifier.verify(mock + "AAAA", at: TokenMint.now).uid == "bob")
        #expect(try verifier.verify(TokenMint.rs256(), at: TokenMint.now).uid == "ann")
        let byUserID = TokenMint.head("{\"alg\":\"none\",\"typ\":\"JWT\"}", "{\"user_id\":\"eve\"}") + "."
        #expect(try verifier.verify(byUserID, at: TokenMint.now).uid == "eve")
    }

    @Test("is refused by everything else", arguments: TokenMint.Keys.allCases)
    func refused(keys: TokenMint.Keys) throws {
        let verifier = try TokenMint.verifier(keys)
        #expect(throws: TokenRefusal.unsigned) { try verifier.verify(mock, at: TokenMint.now) }
        let ours = TokenMint.head("{\"alg\":\"none\"}", TokenMint.claims()) + "."
        #expect(throws: TokenRefusal.unsigned) { try verifier.verify(ours, at: TokenMint.now) }
        let none = try TokenVerifier(issuers: [])
        #expect(throws: TokenRefusal.unsigned) { try none.verify(mock, at: TokenMint.now) }
        #expect(throws: TokenRefusal.unknownIssuer) {
            try none.verify(TokenMint.token(keys), at: TokenMint.now)
        }
    }

    @Test("does not stand in for a signed one that the emulator can check")
    func configured() throws {
        let verifier = try TokenMint.verifier(.hs256, acceptsUnsigned: true)
        #expect(throws: TokenRefusal.badSignature) {
            try verifier.verify(TokenMint.hs256() + "A", at: TokenMint.now)
        }
        #expect(throws: TokenRefusal.expired) {
            try verifier.verify(TokenMint.hs256(TokenMint.claims(["exp": "3600"])), at: TokenMint.now)
        }
        #expect(try verifier.verify(mock, at: TokenMint.now).uid == "bob")
    }

    @Test(
        "for another purpose, or for nobody, is refused",
        arguments: [
            (
                "{\"aud\":\"https://identitytoolkit.googleapis.com/"
                    + "google.identity.identitytoolkit.v1.IdentityToolkit\","
                    + "\"sub\":\"a@b.example\",\"uid\":\"a\"}",
                TokenRefusal.otherPurpose
            ),
            ("{\"iss\":\"https://session.firebase.google.com/demo\",\"sub\":\"ann\"}", .otherPurpose),
            ("{\"uid\":\"ann\"}", .badSubject), ("{\"sub\":\"\"}", .badSubject),
            ("{\"sub\":\"ann\",\"user_id\":\"bob\"}", .badSubject), ("{\"sub\":7}", .badClaims),
            ("[]", .badClaims), ("{\"sub\":\"ann\",\"iat\":\"now\"}", .badClaims),
        ])
    func otherPurpose(claims: String, reason: TokenRefusal) throws {
        let verifier = try TokenVerifier(issuers: [], acceptsUnsigned: true)
        let token = TokenMint.head("{\"alg\":\"none\"}", claims) + "."
        #expect(throws: reason) { try verifier.verify(token, at: TokenMint.now) }
    }
}
