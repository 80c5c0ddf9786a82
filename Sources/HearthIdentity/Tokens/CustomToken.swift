// Tokens that an app's back end makes to sign somebody in.
import HearthCore
import HearthCrypto

/// What a custom token says. Source: accounts.md §6.
struct CustomToken: Equatable, Sendable {
    let uid: String
    let claims: [String: Claims]

    private static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// How long such a token may be good, in milliseconds.
    private static let lifetimeLimit: Int64 = 3_600_000

    /// Names that a token's maker may not choose the value of.
    static let reservedNames: Set<String> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time",
        "firebase", "at_hash", "c_hash",
    ]

    /// Reads a token as an emulator does: as JSON, or as a JWT whose signature does not matter.
    init(believing text: String) throws(AccountRefusal) {
        if text.utf8.first == UInt8(ascii: "{") {
            // Why it is no JSON is not told: the text is a token.
            guard let members = try? Claims(reading: Array(text.utf8)).members else {
                throw .invalidCustomToken("((Auth Emulator) Invalid JSON)")
            }
            try self.init(members)
            return
        }
        let members: [String: Claims]
        do throws(TokenRefusal) {
            members = try CompactToken(text).claims()
        } catch {
            throw .invalidCustomToken("((Auth Emulator) Invalid assertion format)")
        }
        guard ClaimsReading(claims: members).isMeant(for: [CustomToken.audience]) else {
            throw .invalidCustomToken("((Auth Emulator) Invalid aud (audience))")
        }
        try self.init(members)
    }

    /// Checks a token by the key of the signer that it names.
    ///
    /// - Parameters:
    ///   - publicKey: the key of a signer by name as PEM, nil if nobody of that name may sign.
    ///   - now: in milliseconds since 1970.
    init(
        verifying text: String, at now: Int64, publicKey: (String) -> String?
    ) throws(AccountRefusal) {
        let members: [String: Claims]
        do throws(TokenRefusal) {
            let token = try CompactToken(text)
            members = try token.claims()
            guard let signer = members["iss"]?.text, members["sub"]?.text == signer,
                let pem = publicKey(signer)
            else { throw TokenRefusal.unknownIssuer }
            try CustomToken.keys(pem).check(token)
            let reading = ClaimsReading(claims: members)
            guard reading.isMeant(for: [CustomToken.audience]) else { throw TokenRefusal.wrongAudience }
            try CustomToken.checkTimes(reading, now)
        } catch {
            throw .invalidCustomToken(error.rawValue)
        }
        try self.init(members)
    }

    private init(_ members: [String: Claims]) throws(AccountRefusal) {
        let uid = members["uid"]?.text ?? members["user_id"]?.text ?? ""
        guard !uid.isEmpty else { throw AccountRefusal("MISSING_IDENTIFIER") }
        guard uid.utf8.count <= ClaimsReading.uidByteLimit else {
            throw .invalidCustomToken("the uid is longer than \(ClaimsReading.uidByteLimit) bytes")
        }
        switch members["claims"] ?? .null {
        case .null: claims = [:]
        case .object(let given):
            if let name = given.keys.sorted().first(where: CustomToken.reservedNames.contains) {
                throw .forbiddenClaim(name)
            }
            claims = given
        case .leaf, .list: throw .invalidClaims
        }
        self.uid = uid
    }

    private static func keys(_ pem: String) throws(TokenRefusal) -> TokenKeys {
        do throws(TokenKeysFault) {
            return try TokenKeys(pem: pem)
        } catch {
            throw .unknownKey
        }
    }

    private static func checkTimes(_ reading: ClaimsReading, _ now: Int64) throws(TokenRefusal) {
        let leeway = TokenIssuer.usualLeeway
        guard let issuedAt = try reading.time("iat"), let expiresAt = try reading.time("exp"),
            expiresAt <= issuedAt + lifetimeLimit
        else { throw .badClaims }
        guard issuedAt <= now + leeway else { throw .notYetValid }
        guard expiresAt > now - leeway else { throw .expired }
    }
}

/// Custom claims of an account, given as JSON text.
enum CustomAttributes {
    /// How long the text may be, in characters.
    private static let limit = 1_000

    /// Checks a text that is to be kept.
    static func check(_ text: String) throws(AccountRefusal) {
        guard text.count <= limit else { throw AccountRefusal("CLAIMS_TOO_LARGE") }
        guard let members = members(text) else { throw .invalidClaims }
        if let name = members.keys.sorted().first(where: CustomToken.reservedNames.contains) {
            throw .forbiddenClaim(name)
        }
    }

    /// The claims of a text that was checked.
    static func members(_ text: String?) -> [String: Claims]? {
        // Whoever gave it is told that it is no object, which is all there is to say.
        text.flatMap { try? Claims(reading: Array($0.utf8)).members }
    }
}
