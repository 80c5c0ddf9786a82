// Whose tokens a server takes, by each kind of file that an operator may name.
import Foundation
import HearthCrypto
import HearthServer
import Testing

@Suite("A file of an issuer's keys")
struct IssuerKeyTests {
    /// Keys are slow to make in a debug build: all rows share these.
    private static let rsa = PrivateKey.generate(.rs256)
    private static let p256 = PrivateKey.generate(.es256)
    private static let strangers = PrivateKey.generate(.rs256)

    enum Form: CaseIterable {
        case rsaSet, p256Set, rsaPEM, p256PEM, pemsByID

        var key: PrivateKey {
            switch self {
            case .rsaSet, .rsaPEM, .pemsByID: IssuerKeyTests.rsa
            case .p256Set, .p256PEM: IssuerKeyTests.p256
            }
        }

        var algorithm: String { key.publicKey.numbers.isRSA ? "RS256" : "ES256" }

        var text: String {
            switch self {
            case .rsaPEM, .p256PEM: key.publicKey.pem
            case .pemsByID: "{\"one\":\"\(key.publicKey.pem.replacing("\n", with: "\\n"))\"}"
            case .rsaSet, .p256Set: "{\"keys\":[\(key.publicKey.numbers.jwk)]}"
            }
        }
    }

    private static func token(_ claims: String, _ algorithm: String, by key: PrivateKey) -> String {
        let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"one\"}"
        let head = UserToken.encode(header) + "." + UserToken.encode(claims)
        return head + "." + Base64.url.encode(key.sign(Array(head.utf8)))
    }

    private func withKeys(
        _ text: String, _ choose: (inout Configuration.Tokens, String) -> Void,
        _ body: (TestClient) throws -> Void
    ) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let file = directory.path + "/keys"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let rules = #"{"rules":{"$uid":{".read":"auth.uid === $uid",".write":"auth.uid === $uid"}}}"#
        try withJudgedServer(rules, { choose(&$0.tokens, file) }) { try body($0.client()) }
    }

    @Test("lets its users in as themselves and nobody else's", arguments: Form.allCases)
    func publicKeys(_ form: Form) throws {
        try withKeys(
            form.text,
            {
                $0.secretFile = nil
                $0.publicKeysFile = $1
            }
        ) { client in
            let claims = UserToken.claims("ann")
            let sound = Self.token(claims, form.algorithm, by: form.key)
            #expect(try client.ask("PUT", "/ann.json?auth=\(sound)", body: "1").status == 200)
            #expect(try client.ask("GET", "/bob.json?auth=\(sound)").status == 401)
            let spent = UserToken.claims("ann", lifetime: -400)
            for (token, text) in [
                (Self.token(claims, "RS256", by: Self.strangers), "Could not parse auth token."),
                (UserToken.of("ann"), "Could not parse auth token."),
                (
                    UserToken.signed(claims, header: "{\"alg\":\"\(form.algorithm)\",\"kid\":\"one\"}"),
                    "Could not parse auth token."
                ),
                (Self.token(spent, form.algorithm, by: form.key), "Auth token is expired"),
            ] {
                let reply = try client.ask("PUT", "/ann.json?auth=\(token)", body: "2")
                #expect(reply.status == 401 && reply.body == "{\"error\":\"\(text)\"}")
            }
            #expect(try client.ask("GET", "/ann.json?auth=\(sound)").body == "1")
        }
    }

    @Test("of the older kind lets in whom its secret's owner names")
    func legacySecret() throws {
        try withKeys(UserToken.secret + "\n", { $0.legacySecretFile = $1 }) { (client: TestClient) throws in
            let made = WallClock().milliseconds / 1_000 - 5
            let sound = UserToken.signed(#"{"v":0,"iat":\#(made),"d":{"uid":"ann"}}"#)
            #expect(try client.ask("PUT", "/ann.json?auth=\(sound)", body: "1").status == 200)
            #expect(try client.ask("GET", "/bob.json?auth=\(sound)").status == 401)
            let old = UserToken.signed(#"{"v":0,"iat":\#(made - 90_000),"d":{"uid":"ann"}}"#)
            #expect(try client.ask("GET", "/ann.json?auth=\(old)").status == 401)
            let admin = UserToken.signed(#"{"v":0,"iat":\#(made),"admin":true,"d":{"uid":"ann"}}"#)
            #expect(try client.ask("GET", "/ann.json?auth=\(admin)").status == 401)
        }
    }

    @Test("that holds none keeps the server from starting, and the text names it")
    func unusable() throws {
        for text in [
            "", "{}", "{\"keys\":[]}", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        ] {
            let failure = #expect(throws: StartFailure.self, "\(text)") {
                try withKeys(
                    text,
                    {
                        $0.secretFile = nil
                        $0.publicKeysFile = $1
                    }
                ) { _ in }
            }
            #expect("\(failure.map { "\($0)" } ?? "")".contains("/keys: "))
        }
    }
}

extension PublicKey.Numbers {
    fileprivate var isRSA: Bool {
        if case .rsa = self { return true }
        return false
    }

    fileprivate var jwk: String {
        switch self {
        case .rsa(let n, let e):
            "{\"kid\":\"one\",\"kty\":\"RSA\",\"n\":\"\(Base64.url.encode(n))\","
                + "\"e\":\"\(Base64.url.encode(e))\"}"
        case .p256(let x, let y):
            "{\"kid\":\"one\",\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Base64.url.encode(x))\","
                + "\"y\":\"\(Base64.url.encode(y))\"}"
        }
    }
}
