// Tokens that must never be taken, each with the reason; and damage at random.
import HearthCore
import HearthCrypto
import HearthIdentity
import HearthTesting
import Testing

@Suite("A hostile token")
struct HostileTokenTests {
    /// Checks that the verifier with those keys refuses `text`, and that nothing of it is told.
    private func expectRefused(
        _ text: String, by keys: TokenMint.Keys, _ reason: TokenRefusal, _ comment: Comment? = nil
    ) throws {
        let verifier = try TokenMint.verifier(keys)
        #expect(throws: reason, comment) { try verifier.verify(text, at: TokenMint.now) }
    }

    @Test(
        "with a secret made of public keys is refused",
        arguments: [
            TokenMint.rsa.publicKey.pem.utf8.map { $0 }, Array(TokenMint.rsa.publicKey.pem.utf8.dropLast()),
            TokenMint.rsa.publicKey.subjectPublicKeyInfo, TokenMint.keySet(),
        ])
    func publicSecret(secret: [UInt8]) throws {
        for header in ["{\"alg\":\"HS256\"}", "{\"alg\":\"HS256\",\"kid\":\"one\"}"] {
            let token = TokenMint.token(header, TokenMint.claims(), secret: secret)
            try expectRefused(token, by: .rs256, .wrongAlgorithm)
        }
        let lying = TokenMint.token("{\"alg\":\"RS256\",\"kid\":\"one\"}", TokenMint.claims(), secret: secret)
        try expectRefused(lying, by: .rs256, .badSignature)
    }

    @Test(
        "of another algorithm is refused",
        arguments: [
            "none", "None", "NONE", "nOnE", "", "RS384", "RS512", "PS256", "HS384", "ES384", "EdDSA", "rs256",
            "RS256 ", "RS256\\u0000",
        ])
    func algorithms(name: String) throws {
        for keys in TokenMint.Keys.allCases {
            let head = TokenMint.head("{\"alg\":\"\(name)\",\"kid\":\"one\"}", TokenMint.claims())
            let good = TokenMint.token(keys).split(separator: ".")[2]
            let reason: TokenRefusal = name == "none" ? .unsigned : .wrongAlgorithm
            try expectRefused(head + ".", by: keys, reason)
            try expectRefused(head + "." + good, by: keys, reason)
        }
    }

    @Test("by somebody else's key is refused")
    func wrongKey() throws {
        let claims = TokenMint.claims()
        let rsa = TokenMint.token("{\"alg\":\"RS256\",\"kid\":\"one\"}", claims, .generate(.rs256))
        try expectRefused(rsa, by: .rs256, .badSignature)
        try expectRefused(
            TokenMint.token("{\"alg\":\"ES256\"}", claims, .generate(.es256)), by: .es256, .badSignature)
        let secret = [UInt8](repeating: 7, count: 32)
        try expectRefused(
            TokenMint.token("{\"alg\":\"HS256\"}", claims, secret: secret), by: .hs256, .badSignature)
        try expectRefused(TokenMint.rs256(kid: "two"), by: .rs256, .unknownKey)
        // A key that the token brings along is not even looked at.
        let own = PrivateKey.generate(.rs256)
        let header = "{\"alg\":\"RS256\",\"kid\":\"one\",\"jwk\":\(TokenMint.jwk(own.publicKey, ""))}"
        try expectRefused(TokenMint.token(header, claims, own), by: .rs256, .badSignature)
    }

    @Test("with claims that are not for now or not for us is refused", arguments: TokenMint.Keys.allCases)
    func claims(keys: TokenMint.Keys) throws {
        let s = TokenMint.seconds
        let table: [([String: String], TokenRefusal)] = [
            (["exp": "\(s - 31)"], .expired), (["exp": "0"], .expired), (["exp": "\(s + 60)e-3"], .expired),
            (["exp": ""], .badClaims), (["exp": "\"\(s + 60)\""], .badClaims),
            (["exp": "-1"], .badClaims), (["exp": "1e300"], .badClaims), (["exp": "null"], .badClaims),
            (["exp": "9223372036854775807"], .badClaims), (["exp": "true"], .badClaims),
            (["exp": "[\(s + 60)]"], .badClaims),
            (["iat": "\(s + 31)"], .notYetValid), (["iat": ""], .badClaims),
            (["nbf": "\(s + 31)"], .notYetValid), (["nbf": "{}"], .badClaims),
            (["auth_time": "\(s + 31)"], .notYetValid), (["auth_time": "\"\""], .badClaims),
            (["aud": "\"fire3chat2\""], .wrongAudience), (["aud": ""], .wrongAudience),
            (["aud": "[]"], .wrongAudience), (["aud": "[[\"fire3chat\"]]"], .wrongAudience),
            (["aud": "{\"fire3chat\":1}"], .wrongAudience), (["aud": "\"Fire3chat\""], .wrongAudience),
            (["iss": "\"https://securetoken.google.com/fire3chat/\""], .unknownIssuer),
            (["iss": "\"https://session.firebase.google.com/fire3chat\""], .unknownIssuer),
            (["iss": "[\"https://securetoken.google.com/fire3chat\"]"], .unknownIssuer),
            (["iss": ""], .unknownIssuer), (["iss": "null"], .unknownIssuer),
            (["sub": ""], .badSubject), (["sub": "\"\"", "user_id": "\"\""], .badSubject),
            (["sub": "\"bob\""], .badSubject), (["user_id": "\"bob\""], .badSubject),
            (["sub": "7"], .badClaims),
            (["user_id": "[\"ann\"]"], .badClaims), (["sub": "null"], .badSubject),
            (["sub": "\"\(String(repeating: "é", count: 65))\"", "user_id": ""], .badSubject),
        ]
        for (changes, reason) in table {
            try expectRefused(
                TokenMint.token(keys, TokenMint.claims(changes)), by: keys, reason, "\(changes)")
        }
    }

    @Test("with claims that two readers could take differently is refused")
    func ambiguous() throws {
        let sound = TokenMint.claims()
        let tail = String(sound.dropFirst())
        let start = String(sound.dropLast())
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let table: [String] = [
            "{\"sub\":\"admin\",\(tail)", "{\"s\\u0075b\":\"admin\",\(tail)",
            sound.replacing("\"identities\":{}", with: "\"identities\":{\"a\":1,\"a\":2}"),
            "\(start),\"deep\":\(deep)}", "\(sound){}", "\(sound)x", "[\(sound)]", "", "null",
            "\u{FEFF}\(sound)", "\(start),}", "{'sub':'ann'}", "\(start),\"a\":01}",
        ]
        for claims in table {
            try expectRefused(TokenMint.hs256(claims), by: .hs256, .badClaims, "\(claims)")
        }
        for raw: [UInt8] in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
            var bytes = Array("{\"x\":\"".utf8)
            bytes += raw
            bytes += Array("\",\(tail)".utf8)
            let signed = TokenMint.encode("{\"alg\":\"HS256\"}") + "." + Base64.url.encode(bytes)
            let code = HMACSHA256.code(for: Array(signed.utf8), secret: TokenMint.secret)
            try expectRefused(signed + "." + Base64.url.encode(code.bytes), by: .hs256, .badClaims, "\(raw)")
        }
    }

    @Test(
        "with a header that changes the reading is refused",
        arguments: [
            ("{\"alg\":\"HS256\",\"crit\":[\"exp\"]}", TokenRefusal.critical),
            ("{\"alg\":\"HS256\",\"crit\":[]}", .critical), ("{\"alg\":\"HS256\",\"crit\":null}", .critical),
            ("{\"alg\":\"HS256\",\"b64\":false}", .critical),
            ("{\"alg\":\"HS256\",\"alg\":\"none\"}", .badHeader),
            ("{\"alg\":\"none\",\"alg\":\"HS256\"}", .badHeader),
            ("{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}", .badHeader),
            ("{\"alg\":\"HS256\",\"type\":7}", .badHeader), ("{\"alg\":\"HS256\",\"kid\":7}", .badHeader),
            ("{\"alg\":[\"HS256\"]}", .badHeader), ("{\"alg\":null}", .badHeader), ("{}", .badHeader),
            ("[]", .badHeader), ("", .badHeader), ("\"HS256\"", .badHeader),
            ("{\"typ\":\"JWT\"}", .badHeader),
        ])
    func headers(header: String, reason: TokenRefusal) throws {
        let token = TokenMint.token(header, TokenMint.claims(), secret: TokenMint.secret)
        try expectRefused(token, by: .hs256, reason)
    }

    @Test("of another form is refused")
    func form() throws {
        let good = TokenMint.hs256()
        let parts = good.split(separator: ".").map(String.init)
        let table: [(String, TokenRefusal)] = [
            ("", .malformed), (".", .malformed), ("..", .badHeader), ("...", .malformed),
            (parts[0], .malformed), (parts[0] + "." + parts[1], .malformed), (good + ".", .malformed),
            (good + "." + parts[2] + "." + parts[2], .malformed), ("." + good, .malformed),
            (good + "=", .badEncoding), (good + "==", .badEncoding), (good + " ", .badEncoding),
            (" " + good, .badEncoding), (good + "\n", .badEncoding), (good + "\u{0}", .badEncoding),
            (parts[0] + "=." + parts[1] + "." + parts[2], .badEncoding), ("Bearer " + good, .badEncoding),
            (parts[0] + "." + parts[1] + ".", .badSignature), (good + "AA", .badEncoding),
            (good + "AAAA", .badSignature), ("ü.ü.ü", .badEncoding), ("owner", .malformed),
            (parts[0] + "." + parts[1] + "." + parts[2].replacing("-", with: "+") + "+", .badEncoding),
            (String(repeating: "A", count: 8_193), .tooLong),
            (String(repeating: ".", count: 8_192), .malformed),
        ]
        for (text, reason) in table {
            try expectRefused(text, by: .hs256, reason, "\(text.prefix(40)) of \(text.utf8.count) bytes")
        }
    }

    @Test("is refused beyond 8 KiB, and taken up to it")
    func size() throws {
        let verifier = try TokenMint.verifier(.hs256)
        func token(padding: Int) -> String {
            TokenMint.hs256(TokenMint.claims(["pad": "\"\(String(repeating: "x", count: padding))\""]))
        }
        let room = (0...8).map { 5_700 + $0 }.map { token(padding: $0) }
        #expect(try room.map { try verifier.verify($0, at: TokenMint.now).uid }.allSatisfy { $0 == "ann" })
        let big = token(padding: 8_192)
        #expect(throws: TokenRefusal.tooLong) { try verifier.verify(big, at: TokenMint.now) }
    }

    @Test("with stray bits behind its signature is refused, although they change nothing")
    func strayBits() throws {
        // 43 letters stand for 32 bytes: the last one has two bits that belong to none.
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let good = TokenMint.hs256()
        let last = try #require(good.last.flatMap { letters.firstIndex(of: $0) })
        for bits in 1...3 {
            try expectRefused(good.dropLast() + String(letters[last | bits]), by: .hs256, .badEncoding)
        }
    }

    @Test("with a signature on P-256 in another form or out of range is refused")
    func curveSignatures() throws {
        let head = TokenMint.head("{\"alg\":\"ES256\"}", TokenMint.claims())
        let good = TokenMint.p256.sign(Array(head.utf8))
        let (r, s) = (Array(good[..<32]), Array(good[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        let wrong: [[UInt8]] = [
            der(r, s), [], zero + zero, zero + s, r + zero, most + most, most + s, r + most, good + [0],
            Array(good.dropLast()), s + r,
        ]
        for signature in wrong {
            try expectRefused(
                head + "." + Base64.url.encode(signature), by: .es256, .badSignature, "\(signature)")
        }
        #expect(
            try TokenMint.verifier(.es256).verify(head + "." + Base64.url.encode(good), at: TokenMint.now).uid
                == "ann")
    }

    /// The form in which other programs write r and s.
    private func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        for number in [r, s] {
            let digits = number[0] >= 0x80 ? [0] + number : number
            content += [0x02, UInt8(digits.count)]
            content += digits
        }
        return [0x30, UInt8(content.count)] + content
    }

    @Test("damaged at random is never taken", arguments: TokenMint.Keys.allCases)
    func damage(keys: TokenMint.Keys) throws {
        var random = SeededRandom(for: "damaged tokens \(keys)")
        let verifier = try TokenMint.verifier(keys)
        let emulator = try TokenMint.verifier(keys, acceptsUnsigned: true)
        let good = Array(TokenMint.token(keys).utf8)
        for _ in 0..<2_000 {
            let damaged = HostileTokenTests.damage(good, &random)
            guard damaged != good else { continue }
            let text = String(decoding: damaged, as: UTF8.self)
            #expect(throws: TokenRefusal.self, "\(text)") { try verifier.verify(text, at: TokenMint.now) }
            // The emulator may believe it, but must not trap either.
            _ = try? emulator.verify(text, at: TokenMint.now)
        }
        #expect(try verifier.verify(String(decoding: good, as: UTF8.self), at: TokenMint.now).uid == "ann")
    }

    /// Changes, drops, doubles or moves some bytes.
    private static func damage(_ good: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \u{0}".utf8)
        var bytes = good
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...8, using: &random))
            switch Int.random(in: 0...4, using: &random) {
            case 0: bytes[place] = letters.randomElement(using: &random) ?? 0
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
            }
            if bytes.isEmpty { return bytes }
        }
        return bytes
    }
}

@Suite("A refusal of a token")
struct TokenRefusalTests {
    @Test("tells the client one of two texts, and nothing of the token")
    func texts() {
        for refusal in TokenRefusal.allCases {
            let text = refusal == .expired ? "Auth token is expired" : "Could not parse auth token."
            #expect(refusal.clientText == text)
            #expect("\(refusal)" == "the token is refused: \(refusal.rawValue)")
        }
        #expect(Set(TokenRefusal.allCases.map(\.description)).count == TokenRefusal.allCases.count)
    }
}
