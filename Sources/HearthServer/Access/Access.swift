// Who a request is from, by what it brings to show it.
import HearthCore
import HearthIdentity
import HearthWire

/// What tokens are held against.
struct Access: Sendable {
    let adminToken: AdminToken
    let tokens: TokenCheck
    /// Whether any bearer token is the administrator's.
    let isEmulator: Bool

    /// What users' tokens are checked with now.
    var verifier: TokenVerifier { tokens.verifier }

    /// The word that stands for the administrator in emulator mode.
    private static let emulatorToken = "owner"

    /// Whether a bearer token of the identity services is the administrator's: in an emulator a word, else
    /// the server's token alone.
    func isAdministrator(bearer text: String) -> Bool {
        if adminToken.matches(text) { return true }
        guard isEmulator else { return false }
        return text.lowercased() == Access.emulatorToken || text.lowercased().hasPrefix("ya29.")
    }

    /// Checks what a request brings.
    ///
    /// - Parameters:
    ///   - isScript: whether the answer is a script, which any page can read: the administrator's token must
    ///     not be used for one.
    ///   - cache: users' tokens that were verified before.
    ///   - now: the clock in ms since 1970.
    ///   - accepts: whether a token that is sound still stands for somebody.
    /// - Throws: 401 for a token that is wrong, 400 for the administrator's where it must not be.
    func caller(
        _ credential: RESTCredential, isScript: Bool, cache: inout TokenCache, now: Int64,
        accepts: (VerifiedToken) -> Bool
    ) throws(RESTError) -> Caller {
        switch credential {
        case .none: return .anybody
        case .bearer(let text), .accessToken(let text):
            guard isEmulator || adminToken.matches(text) else { throw .unreadableToken }
            return .administrator
        case .userToken(let text):
            if adminToken.matches(text) || (isEmulator && text == Access.emulatorToken) {
                guard !isScript else {
                    throw RESTError(
                        status: 400,
                        text: "The administrator's token must not be used together with callback.")
                }
                return .administrator
            }
            do throws(TokenRefusal) {
                return .user(try cache.verify(text, by: verifier, at: now, accepts: accepts))
            } catch {
                throw RESTError(status: 401, text: error.clientText)
            }
        }
    }

    /// Puts the administrator in the place of the user that `json` describes; for others it means nothing.
    ///
    /// - Throws: 400 if it describes nobody.
    func standIn(_ caller: Caller, for json: String?) throws(RESTError) -> Caller {
        guard let json, case .administrator = caller else { return caller }
        do throws(OverrideFault) {
            return .standIn(try Auth.override(json: Array(json.utf8)))
        } catch {
            throw RESTError(status: 400, text: "\(error)")
        }
    }
}

/// What users' tokens are checked with: fixed, or with this server's own keys, which change.
enum TokenCheck: Sendable {
    case fixed(TokenVerifier)
    case ring(KeyRing)

    /// The verifier of this moment.
    var verifier: TokenVerifier {
        switch self {
        case .fixed(let verifier): verifier
        case .ring(let keys): keys.verifier
        }
    }
}
