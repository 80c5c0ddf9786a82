// Makes tokens for the tests, right ones and wrong ones.
import HearthCore
import HearthCrypto
import HearthIdentity

/// The time, the keys and the claims that the tests agree on.
enum TokenMint {
    /// A moment in milliseconds, and the same in seconds as tokens say it.
    static let now: Int64 = 1_800_000_000_000
    static let seconds = now / 1_000
    static let project = "fire3chat"
    static let secret = Array("a secret of more than thirty-two bytes".utf8)
    static let rsa = PrivateKey.generate(.rs256)
    static let p256 = PrivateKey.generate(.es256)

    /// What a sound token of ann's says, each member as JSON text.
    static let sound: [(name: String, json: String)] = [
        ("iss", "\"https://securetoken.google.com/fire3chat\""), ("aud", "\"fire3chat\""),
        ("sub", "\"ann\""), ("user_id", "\"ann\""), ("iat", "\(seconds - 10)"),
        ("exp", "\(seconds + 3_590)"), ("auth_time", "\(seconds - 100)"), ("email_verified", "true"),
        ("firebase", "{\"identities\":{},\"sign_in_provider\":\"password\"}"),
    ]

    /// The sound claims, some of them changed; an empty text takes one out.
    static func claims(_ changes: [String: String] = [:]) -> String {
        let old = sound.filter { changes[$0.name] == nil }.map { "\"\($0.name)\":\($0.json)" }
        let new = changes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
            .map { "\"\($0.key)\":\($0.value)" }
        return "{" + (old + new).joined(separator: ",") + "}"
    }

    static func encode(_ text: String) -> String { Base64.url.encode(Array(text.utf8)) }

    /// Header and claims, with the dot between them and no signature.
    static func head(_ header: String, _ claims: String) -> String { encode(header) + "." + encode(claims) }

    static func token(_ header: String, _ claims: String, _ key: PrivateKey) -> String {
        let signed = head(header, claims)
        return signed + "." + Base64.url.encode(key.sign(Array(signed.utf8)))
    }

    static func token(_ header: String, _ claims: String, secret: [UInt8]) -> String {
        let signed = head(header, claims)
        return signed + "."
            + Base64.url.encode(HMACSHA256.code(for: Array(signed.utf8), secret: secret).bytes)
    }

    static func rs256(_ claims: String = claims(), kid: String = "one") -> String {
        token("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"\(kid)\"}", claims, rsa)
    }

    static func es256(_ claims: String = claims()) -> String {
        token("{\"alg\":\"ES256\"}", claims, p256)
    }

    static func hs256(_ claims: String = claims()) -> String {
        token("{\"alg\":\"HS256\",\"typ\":\"JWT\"}", claims, secret: secret)
    }

    /// A JWK set of the RSA key, under the key ID `one`.
    static func keySet() -> [UInt8] {
        Array("{\"keys\":[\(jwk(rsa.publicKey, "\"kid\":\"one\""))]}".utf8)
    }

    static func jwk(_ key: PublicKey, _ further: String) -> String {
        let numbers =
            switch key.numbers {
            case .rsa(let n, let e):
                "\"kty\":\"RSA\",\"n\":\"\(Base64.url.encode(n))\",\"e\":\"\(Base64.url.encode(e))\""
            case .p256(let x, let y):
                "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Base64.url.encode(x))\","
                    + "\"y\":\"\(Base64.url.encode(y))\""
            }
        return "{\(numbers)" + (further.isEmpty ? "" : ",") + further + "}"
    }

    /// Which keys the issuer of the project has.
    enum Keys: CaseIterable {
        case rs256, es256, hs256
    }

    static func verifier(_ keys: Keys, acceptsUnsigned: Bool = false) throws -> TokenVerifier {
        let keys =
            switch keys {
            case .rs256: try TokenKeys(jwks: keySet(), algorithm: .rs256)
            case .es256: try TokenKeys(pem: p256.publicKey.pem)
            case .hs256: try TokenKeys(secret: secret)
            }
        return try TokenVerifier(
            issuers: [.project(project, keys: keys)], acceptsUnsigned: acceptsUnsigned)
    }

    static func token(_ keys: Keys, _ claims: String = claims()) -> String {
        switch keys {
        case .rs256: rs256(claims)
        case .es256: es256(claims)
        case .hs256: hs256(claims)
        }
    }
}
