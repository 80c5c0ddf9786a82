// The server's own keys: published before they sign, and as long as their tokens are good.
import HearthCore
import HearthCrypto
import HearthIdentity
import Testing

@Suite("The signing keys")
struct SigningKeysTests {
    private static let hour: Int64 = 3_600_000
    private static let start = AccountStage.start
    private static let first = PrivateKey.generate(.rs256)
    private static let second = PrivateKey.generate(.rs256)

    private func keyID(of keys: SigningKeys, at now: Int64) throws -> String? {
        try TokenText.header(of: keys.signer(at: now).token(Array("{}".utf8))).member("kid").text
    }

    private func published(_ keys: SigningKeys, at now: Int64) throws -> [String] {
        guard case .list(let list) = try Claims(reading: keys.jwks(at: now)).member("keys") else { return [] }
        return list.compactMap { $0.member("kid").text }
    }

    @Test("are named after the public key, and publish nothing that is private")
    func name() throws {
        let keys = SigningKeys(Self.first, at: Self.start)
        let id = String(
            SHA256.digest(of: Self.first.publicKey.subjectPublicKeyInfo).description.prefix(16))
        #expect(try published(keys, at: Self.start) == [id])
        guard case .list(let list) = try Claims(reading: keys.jwks(at: Self.start)).member("keys"),
            case .object(let members)? = list.first
        else { throw Missing() }
        #expect(Set(members.keys) == ["kty", "alg", "use", "kid", "n", "e"])
        #expect(try TokenKeys(jwks: keys.jwks(at: Self.start), algorithm: .rs256).algorithm == .rs256)
    }

    @Test("are rotated without a token ever being refused")
    func rotation() throws {
        var keys = SigningKeys(Self.first, at: Self.start)
        keys.add(Self.second, at: Self.start + 10 * Self.hour)
        let (old, new) = (SigningKeys.id(of: Self.first.publicKey), SigningKeys.id(of: Self.second.publicKey))
        let steps: [(Int64, String, [String])] = [
            (10 * Self.hour, old, [old, new]), (11 * Self.hour - 1, old, [old, new]),
            (11 * Self.hour, new, [old, new]), (13 * Self.hour - 1, new, [old, new]),
            (13 * Self.hour, new, [new]),
        ]
        for (time, signs, shows) in steps {
            #expect(try keyID(of: keys, at: Self.start + time) == signs)
            #expect(try published(keys, at: Self.start + time) == shows)
        }
    }

    @Test("are due for another when they are old, not while one waits")
    func due() {
        var keys = SigningKeys(Self.first, at: Self.start)
        #expect(!keys.isDue(at: Self.start + SigningKeys.lifetime))
        let late = Self.start + SigningKeys.lifetime + 1
        #expect(keys.isDue(at: late))
        keys.add(Self.second, at: late)
        #expect(!keys.isDue(at: late))
    }

    @Test("are read back from their file; another file is refused without being shown")
    func file() throws {
        var keys = SigningKeys(Self.first, at: Self.start)
        keys.add(Self.second, at: Self.start)
        let read = try SigningKeys(fileText: keys.fileText)
        for time in [0, Self.hour, 4 * Self.hour] {
            #expect(read.jwks(at: Self.start + time) == keys.jwks(at: Self.start + time))
            #expect(try keyID(of: read, at: Self.start + time) == keyID(of: keys, at: Self.start + time))
        }
        let ec = PrivateKey.generate(.es256).pem.replacing("\n", with: "\\n")
        for text in [
            "", "{}", #"{"keys":[]}"#, #"{"keys":[{"signsFrom":1}]}"#,
            #"{"keys":[{"signsFrom":1,"privateKey":"x"}]}"#,
            #"{"keys":[{"signsFrom":1,"privateKey":"\#(ec)"}]}"#,
        ] {
            #expect(throws: SigningKeysFault.self) { try SigningKeys(fileText: Array(text.utf8)) }
        }
    }
}
