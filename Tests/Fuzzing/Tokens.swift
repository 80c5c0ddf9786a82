// Fuzzes the reader of users' tokens, in front of and behind a right signature.
import HearthCore
import HearthCrypto
import HearthIdentity

/// The first byte says what the rest is: a whole token, the claims of one that is signed rightly, or the
/// header of one with sound claims.
func feed(_ input: [UInt8]) {
    guard let form = input.first else { return }
    let text = Array(input.dropFirst())
    switch form % 3 {
    case 0:
        let isAccepted = TokenFuzz.verify(String(decoding: text, as: UTF8.self))
        precondition(!isAccepted, "nobody can sign without the secret")
    case 1: _ = TokenFuzz.verify(TokenFuzz.signed(#"{"alg":"HS256"}"#.utf8, text))
    default: _ = TokenFuzz.verify(TokenFuzz.signed(text, TokenFuzz.claims.utf8))
    }
}

enum TokenFuzz {
    private static let now: Int64 = 1_800_000_000_000
    private static let secret = Array("a secret of more than thirty-two bytes".utf8)
    static let claims = """
        {"iss":"https://securetoken.google.com/fire3chat","aud":"fire3chat","sub":"ann","iat":1799999990,
         "exp":1800003590,"auth_time":1799999900,"firebase":{"sign_in_provider":"password"}}
        """
    private static let signedOnly = verifier(acceptsUnsigned: false)
    private static let emulator = verifier(acceptsUnsigned: true)

    private static func verifier(acceptsUnsigned: Bool) -> TokenVerifier {
        do {
            let keys = try TokenKeys(secret: secret)
            return try TokenVerifier(
                issuers: [.project("fire3chat", keys: keys)], acceptsUnsigned: acceptsUnsigned)
        } catch {
            preconditionFailure("the fuzzer's own issuer is sound: \(error)")
        }
    }

    static func signed(_ header: some Sequence<UInt8>, _ claims: some Sequence<UInt8>) -> String {
        let text = Base64.url.encode(Array(header)) + "." + Base64.url.encode(Array(claims))
        let code = HMACSHA256.code(for: Array(text.utf8), secret: secret)
        return text + "." + Base64.url.encode(code.bytes)
    }

    /// Whether the token is taken where signatures count; the emulator's way is walked, too.
    static func verify(_ text: String) -> Bool {
        _ = isAccepted(text, by: emulator)
        return isAccepted(text, by: signedOnly)
    }

    private static func isAccepted(_ text: String, by verifier: TokenVerifier) -> Bool {
        do throws(TokenRefusal) {
            let token = try verifier.verify(text, at: now)
            precondition(!token.uid.isEmpty)
            return true
        } catch {
            precondition(!"\(error)".isEmpty)
            return false
        }
    }
}
