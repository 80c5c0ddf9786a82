// The cache gives back what was verified, no longer than it is good, and never more than it may keep.
import HearthCore
import HearthCrypto
import HearthTesting
import Testing

@testable import HearthIdentity

@Suite("A cache of tokens")
struct TokenCacheTests {
    private func token(_ uid: String, until end: Int64? = nil) -> VerifiedToken {
        VerifiedToken(
            uid: uid, auth: Auth(variable: [:]), issuedAt: nil, signedInAt: nil, expiresAt: end,
            refusedFrom: end)
    }

    private func digest(_ name: String) -> SHA256.Digest { SHA256.digest(of: name) }

    @Test("verifies a token once, until its time is over")
    func verifiesOnce() throws {
        let verifier = try TokenMint.verifier(.hs256)
        let nobody = try TokenVerifier(issuers: [])
        let text = TokenMint.hs256()
        var cache = TokenCache()
        let first = try cache.verify(text, by: verifier, at: TokenMint.now)
        // A verifier that takes nothing shows that the second answer comes from the cache.
        #expect(try cache.verify(text, by: nobody, at: TokenMint.now + 1) == first)
        let end = try #require(first.refusedFrom)
        #expect(try cache.verify(text, by: nobody, at: end - 1) == first)
        #expect(throws: TokenRefusal.expired) { try cache.verify(text, by: verifier, at: end) }
        #expect(cache.count == 0)
    }

    @Test("keeps nothing that was refused")
    func refused() throws {
        var cache = TokenCache()
        let verifier = try TokenMint.verifier(.hs256)
        for text in ["", "a.b.c", TokenMint.es256(), String(repeating: "x", count: 9_000)] {
            #expect(throws: TokenRefusal.self) { try cache.verify(text, by: verifier, at: TokenMint.now) }
        }
        #expect(cache.count == 0)
    }

    @Test("lets the least recently used make room")
    func room() {
        var cache = TokenCache(capacity: 3)
        for name in ["ann", "bob", "eve"] { cache.keep(token(name), for: digest(name)) }
        #expect(cache.token(for: digest("ann"), at: 0)?.uid == "ann")
        cache.keep(token("joe"), for: digest("joe"))
        #expect(cache.count == 3)
        #expect(cache.token(for: digest("bob"), at: 0) == nil)
        #expect(cache.token(for: digest("ann"), at: 0)?.uid == "ann")
        cache.keep(token("eve", until: 5), for: digest("eve"))
        #expect(cache.count == 3)
        #expect(cache.token(for: digest("eve"), at: 4)?.refusedFrom == 5)
        #expect(cache.token(for: digest("eve"), at: 5) == nil)
        #expect(cache.count == 2)
    }

    @Test("drops all tokens of a user whose sessions were ended, and those alone")
    func revocation() {
        var cache = TokenCache()
        for number in 0..<10 {
            cache.keep(token(number % 3 == 0 ? "ann" : "bob"), for: digest("\(number)"))
        }
        cache.removeTokens(of: "ann")
        #expect(cache.count == 6)
        for number in 0..<10 {
            let uid = cache.token(for: digest("\(number)"), at: 0)?.uid
            #expect(uid == (number % 3 == 0 ? nil : "bob"))
        }
        cache.removeAll()
        #expect(cache.count == 0 && cache.token(for: digest("1"), at: 0) == nil)
    }

    @Test("agrees with a plain list whatever is done with it")
    func model() {
        var random = SeededRandom(for: "token cache")
        var cache = TokenCache(capacity: 5)
        var model: [(name: String, token: VerifiedToken)] = []
        for step in 0..<5_000 {
            let name = "t\(Int.random(in: 0..<9, using: &random))"
            let now = Int64(step)
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                let expected = model.first { $0.name == name }?.token
                model.removeAll { $0.name == name }
                let isCurrent = expected?.isCurrent(at: now) ?? false
                if isCurrent, let expected { model.append((name, expected)) }
                #expect(cache.token(for: digest(name), at: now) == (isCurrent ? expected : nil))
            case 4...6:
                let kept = token("u\(step % 2)", until: now + Int64.random(in: 1...60, using: &random))
                model.removeAll { $0.name == name }
                if model.count == 5 { model.removeFirst() }
                model.append((name, kept))
                cache.keep(kept, for: digest(name))
            default:
                guard random.oneIn(5) else { continue }
                cache.removeTokens(of: "u0")
                model.removeAll { $0.token.uid == "u0" }
            }
            #expect(cache.count == model.count)
        }
    }
}

@Suite("The administrator's override")
struct AuthOverrideTests {
    private func override(_ json: String) throws -> Auth? { try Auth.override(json: Array(json.utf8)) }

    @Test("is whatever object is given, and null is nobody")
    func objects() throws {
        let auth = try #require(try override("{\"uid\":\"ann\",\"token\":{\"admin\":true},\"x\":[1]}"))
        #expect(auth.uid == "ann")
        #expect(auth.variable.member("token").member("admin") == .leaf(.bool(true)))
        #expect(auth.variable.member("x").element(0) == .leaf(.integer(1)))
        #expect(try override("{}")?.uid == nil)
        #expect(try override(" null ") == nil)
    }

    @Test("is nothing else", arguments: ["\"ann\"", "7", "[]", "true"])
    func noObject(json: String) {
        #expect(throws: OverrideFault.noObject) { try override(json) }
        #expect("\(OverrideFault.noObject)".hasPrefix("auth_variable_override must be an object"))
    }

    @Test(
        "that cannot be read says where", arguments: ["", "{", "{\"uid\":\"ann\",\"uid\":\"bob\"}", "{} {}"])
    func broken(json: String) {
        #expect {
            try override(json)
        } throws: { error in
            "\(error)".hasPrefix("auth_variable_override cannot be read: line 1, column ")
        }
    }

    @Test("has a limit")
    func limit() throws {
        let fill = String(repeating: "x", count: Auth.overrideByteLimit - 10)
        #expect(try override("{\"uid\":\"\(fill)\"}")?.uid == fill)
        #expect(throws: OverrideFault.tooLong) { try override("{\"uid\":\"\(fill)x\"}") }
    }
}
