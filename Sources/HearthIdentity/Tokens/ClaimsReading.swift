// Single claims of a token, with the kinds they must have.
import HearthCore

/// The claims of one token, read one at a time.
struct ClaimsReading {
    /// What a uid has at most.
    static let uidByteLimit = 128
    /// Seconds from 1970 to the end of the year 9999: no sound time lies beyond.
    static let secondsLimit: Int64 = 253_402_300_799

    let claims: [String: Claims]

    /// A time in milliseconds, nil if the claim is absent or null.
    ///
    /// - Throws: `badClaims` for what is no number, is negative or beyond the year 9999.
    func time(_ name: String) throws(TokenRefusal) -> Int64? {
        switch claims[name] {
        case nil, .null: return nil
        case .leaf(.integer(let seconds)):
            guard 0...ClaimsReading.secondsLimit ~= seconds else { throw .badClaims }
            return seconds * 1_000
        case .leaf(.double(let seconds)):
            guard 0...Double(ClaimsReading.secondsLimit) ~= seconds else { throw .badClaims }
            return Int64(seconds * 1_000)
        default: throw .badClaims
        }
    }

    /// A text, nil if the claim is absent or null.
    func text(_ name: String) throws(TokenRefusal) -> String? {
        guard let claim = claims[name], !claim.isNull else { return nil }
        guard let text = claim.text else { throw .badClaims }
        return text
    }

    /// The user that `names` name in accord: `sub` and, beside or instead of it, `user_id`.
    func uid(_ names: [String]) throws(TokenRefusal) -> String {
        var found: String?
        for name in names {
            guard let uid = try text(name) else { continue }
            guard found.map({ $0.utf8.elementsEqual(uid.utf8) }) ?? true else { throw .badSubject }
            found = uid
        }
        guard let found, 1...ClaimsReading.uidByteLimit ~= found.utf8.count else { throw .badSubject }
        return found
    }

    /// How the user signed in, as Firebase's tokens say it.
    var provider: String? {
        claims["firebase"]?.member("sign_in_provider").text
    }

    /// Whether the token is meant for one of `audiences`: `aud` is one text or a list of them.
    func isMeant(for audiences: [String]) -> Bool {
        let named: [Claims]
        switch claims["aud"] {
        case .list(let list): named = list
        case let single?: named = [single]
        case nil: named = []
        }
        return named.contains { audience in
            audiences.contains { audience == .leaf(.string($0)) }
        }
    }
}
