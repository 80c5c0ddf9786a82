// Keys are read from what issuers publish, and configurations that are unsafe are refused with a hint.
import HearthCore
import HearthCrypto
import HearthIdentity
import Testing

@Suite("The keys of an issuer")
struct TokenKeysTests {
    private func keys(_ json: String, _ algorithm: SignatureAlgorithm = .rs256) throws -> TokenKeys {
        try TokenKeys(jwks: Array(json.utf8), algorithm: algorithm)
    }

    private func uid(_ token: String, _ keys: TokenKeys) throws -> String {
        let verifier = try TokenVerifier(issuers: [.project(TokenMint.project, keys: keys)])
        return try verifier.verify(token, at: TokenMint.now).uid
    }

    @Test("are picked out of a set that serves others too")
    func mixedSet() throws {
        let rsa = TokenMint.jwk(TokenMint.rsa.publicKey, "\"kid\":\"one\"")
        let encryption = TokenMint.jwk(TokenMint.rsa.publicKey, "\"kid\":\"one\",\"use\":\"enc\"")
        let longer = TokenMint.jwk(TokenMint.rsa.publicKey, "\"kid\":\"one\",\"alg\":\"RS512\"")
        let curve = TokenMint.jwk(TokenMint.p256.publicKey, "\"kid\":\"two\",\"x5c\":[\"AAAA\"]")
        let set =
            "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"},\(encryption),\(longer),\(curve),"
            + "{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"AA\",\"y\":\"AA\"},{\"kty\":\"new\"},\(rsa)]}"
        #expect(try uid(TokenMint.rs256(), try keys(set)) == "ann")
        let forCurve = try keys(set, .es256)
        #expect(forCurve.algorithm == .es256)
        #expect(throws: TokenRefusal.unknownKey) { try uid(TokenMint.es256(), forCurve) }
        let named = TokenMint.token(
            "{\"alg\":\"ES256\",\"kid\":\"two\"}", TokenMint.claims(), TokenMint.p256)
        #expect(try uid(named, forCurve) == "ann")
    }

    @Test("without names are all tried, whatever a token names")
    func unnamed() throws {
        let others = (0..<7).map { _ in PrivateKey.generate(.es256).publicKey }
        let all = try TokenKeys(others + [TokenMint.p256.publicKey])
        #expect(try uid(TokenMint.es256(), all) == "ann")
        let named = TokenMint.token("{\"alg\":\"ES256\",\"kid\":\"x\"}", TokenMint.claims(), TokenMint.p256)
        #expect(try uid(named, all) == "ann")
        #expect(throws: TokenKeysFault.tooManyKeys(limit: 8)) {
            try TokenKeys(others + others)
        }
        #expect(throws: TokenRefusal.badSignature) { try uid(TokenMint.es256(), try TokenKeys(others)) }
    }

    @Test("are read from PEM texts by key ID")
    func certificates() throws {
        func document(_ key: PublicKey) -> [UInt8] {
            Array("{\"one\":\"\(key.pem.replacing("\n", with: "\\n"))\"}".utf8)
        }
        let set = try TokenKeys(certificates: document(TokenMint.rsa.publicKey), algorithm: .rs256)
        #expect(try uid(TokenMint.rs256(), set) == "ann")
        #expect(throws: TokenRefusal.unknownKey) { try uid(TokenMint.rs256(kid: "two"), set) }
        #expect(throws: TokenKeysFault.mixedAlgorithms) {
            try TokenKeys(certificates: document(TokenMint.p256.publicKey), algorithm: .rs256)
        }
        #expect(throws: TokenKeysFault.badPEM(.noBlock)) {
            try TokenKeys(certificates: Array("{\"one\":\"\"}".utf8), algorithm: .rs256)
        }
        #expect(throws: TokenKeysFault.noKeySet) {
            try TokenKeys(certificates: Array("{\"one\":1}".utf8), algorithm: .rs256)
        }
        #expect(throws: TokenKeysFault.noUsableKey(.rs256)) {
            try TokenKeys(certificates: Array("{}".utf8), algorithm: .rs256)
        }
    }

    @Test(
        "are no set in another form",
        arguments: [
            ("[]", TokenKeysFault.noKeySet), ("{}", .noKeySet), ("{\"keys\":{}}", .noKeySet),
            ("{\"keys\":[1]}", .noKeySet), ("{\"keys\":[]}", .noUsableKey(.rs256)),
            ("{\"keys\":[{\"kty\":\"RSA\"}]}", .badNumber(place: 1)),
            ("{\"keys\":[{},{\"kty\":\"RSA\",\"n\":\"AQ==\",\"e\":\"AQAB\"}]}", .badNumber(place: 2)),
            ("{\"keys\":[{\"kty\":\"RSA\",\"n\":7,\"e\":\"AQAB\"}]}", .badNumber(place: 1)),
            (
                "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"d\":\"AQ\"}]}",
                .privateKey(place: 1)
            ),
            (
                "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
                .badKey(place: 1, .modulusSize(bits: 17))
            ),
        ])
    func badSets(json: String, fault: TokenKeysFault) {
        #expect(throws: fault) { try keys(json) }
    }

    @Test("that are no JSON, or have a name twice, say where")
    func badDocuments() throws {
        let rsa = TokenMint.jwk(TokenMint.rsa.publicKey, "\"kid\":\"one\"")
        #expect(throws: TokenKeysFault.repeatedName) { try keys("{\"keys\":[\(rsa),\(rsa)]}") }
        for (json, place) in [
            ("{\"keys\":[}", "line 1, column 10"), ("{\"a\":1,\"a\":2}", "line 1, column 8"),
        ] {
            #expect {
                try keys(json)
            } throws: { error in
                "\(error)".contains(place) && "\(error)".hasPrefix("the key file is no JSON")
            }
        }
    }

    @Test("from a PEM text are all of one algorithm, and public")
    func pem() throws {
        let (rsa, p256) = (TokenMint.rsa.publicKey.pem, TokenMint.p256.publicKey.pem)
        #expect(try TokenKeys(pem: rsa + rsa).algorithm == .rs256)
        #expect(throws: TokenKeysFault.mixedAlgorithms) { try TokenKeys(pem: rsa + p256) }
        #expect(throws: TokenKeysFault.badPEM(.noBlock)) { try TokenKeys(pem: "") }
        #expect(throws: TokenKeysFault.badPEM(.noBlock)) { try TokenKeys([]) }
        #expect(throws: TokenKeysFault.badPEM(.wrongBlock(expected: "PUBLIC KEY or CERTIFICATE"))) {
            try TokenKeys(pem: TokenMint.p256.pem)
        }
    }

    @Test("that are a secret have 32 bytes or are allowed to be shorter, and are no public key")
    func secrets() throws {
        let short = Array("short".utf8)
        #expect(throws: TokenKeysFault.shortSecret(byteCount: 31)) {
            try TokenKeys(secret: [UInt8](repeating: 1, count: 31))
        }
        #expect(throws: TokenKeysFault.shortSecret(byteCount: 0)) {
            try TokenKeys(secret: [], allowsShort: true)
        }
        #expect(throws: TokenKeysFault.publicSecret) {
            try TokenKeys(secret: Array(TokenMint.rsa.publicKey.pem.utf8))
        }
        let token = TokenMint.token("{\"alg\":\"HS256\"}", TokenMint.claims(), secret: short)
        #expect(try uid(token, try TokenKeys(secret: short, allowsShort: true)) == "ann")
        #expect("\(TokenKeysFault.shortSecret(byteCount: 5))".contains("openssl rand"))
    }

    @Test("show no secret, however they are printed")
    func printing() throws {
        let keys = try TokenKeys(secret: TokenMint.secret)
        let verifier = try TokenVerifier(issuers: [.project(TokenMint.project, keys: keys), .legacy(keys)])
        var dumped = ""
        dump(verifier, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), "\(verifier)", dumped] {
            #expect(text.contains("keys for HS256"))
            #expect(
                !text.contains("97, 32, 115") && !text.contains("secret of more") && !text.contains("115"))
        }
    }

    @Test("say what to do about each of their faults")
    func texts() {
        let faults: [TokenKeysFault] = [
            .shortSecret(byteCount: 5), .publicSecret, .noKeySet, .noUsableKey(.es256), .privateKey(place: 1),
            .badNumber(place: 1), .badKey(place: 1, .unreadable), .badPEM(.noBlock), .mixedAlgorithms,
            .repeatedName, .tooManyKeys(limit: 8),
        ]
        #expect(Set(faults.map { "\($0)" }).count == faults.count)
    }
}
