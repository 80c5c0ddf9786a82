// The server's own keys: which one signs, which ones are published, and when that changes.
import HearthCore
public import HearthCrypto
import HearthJSON

/// The keys of this server's ID tokens. A value; whoever holds it keeps it durable before it is used.
///
///     published ────────┬───────────── signs ─────────────┬─────── published still ──────▶ gone
///              1 h      │                                 │ 2 h
///
/// A new key is published an hour before it signs, since verifiers keep the set for so long, and an old one
/// for two hours after, since its tokens are good for one. The first key signs at once: there is nobody who
/// could know an older set. Times are in milliseconds since 1970. Source: accounts.md §5.
public struct SigningKeys: Sendable {
    /// A key and since when it signs.
    struct Entry: Sendable {
        let id: String
        let key: PrivateKey
        let signsFrom: Int64
    }

    /// How long before it signs a key is published.
    public static let leadTime: Int64 = 3_600_000
    /// How long after it has signed a key is published.
    public static let trailTime: Int64 = 2 * 3_600_000
    /// How old a key may get before another takes its place.
    public static let lifetime: Int64 = 90 * 24 * 3_600_000

    /// By the time from which they sign, ascending; never empty.
    private(set) var entries: [Entry]

    /// Begins with one key.
    public init(_ key: PrivateKey, at now: Int64) {
        entries = [Entry(id: SigningKeys.id(of: key.publicKey), key: key, signsFrom: now)]
    }

    /// The first 16 hexadecimal digits of SHA-256 over the public key.
    public static func id(of key: PublicKey) -> String {
        String(SHA256.digest(of: key.subjectPublicKeyInfo).description.prefix(16))
    }

    /// Whether a new key should be made now: the newest one is old, and none waits to take over.
    public func isDue(at now: Int64) -> Bool {
        entries.last.map { now - $0.signsFrom > SigningKeys.lifetime } ?? true
    }

    /// Adds a key that signs from an hour after `now` on; those whose time is over go.
    public mutating func add(_ key: PrivateKey, at now: Int64) {
        entries.append(
            Entry(id: SigningKeys.id(of: key.publicKey), key: key, signsFrom: now + SigningKeys.leadTime))
        prune(at: now)
    }

    private mutating func prune(at now: Int64) {
        while entries.count > 1, entries[1].signsFrom + SigningKeys.trailTime <= now { entries.removeFirst() }
    }

    /// What signs at `now`.
    public func signer(at now: Int64) -> TokenSigner {
        let entry = entries.last { $0.signsFrom <= now } ?? entries[0]
        return .key(entry.key, id: entry.id)
    }

    private func published(at now: Int64) -> ArraySlice<Entry> {
        let first = entries.indices.dropFirst().last { entries[$0].signsFrom + SigningKeys.trailTime <= now }
        return entries[(first ?? entries.startIndex)...]
    }

    /// What the tokens of these keys are checked with; future keys are among them.
    public func verificationKeys(at now: Int64) -> TokenKeys {
        do throws(TokenKeysFault) {
            return try TokenKeys(
                named: published(at: now).map { ($0.id, $0.key.publicKey) }, unnamed: [], algorithm: .rs256)
        } catch {
            preconditionFailure("keys of one algorithm with names of their own make a set: \(error)")
        }
    }

    /// The JWK set that is published: public numbers alone.
    public func jwks(at now: Int64) -> [UInt8] {
        let keys = published(at: now).map { entry -> Claims in
            guard case .rsa(let modulus, let exponent) = entry.key.publicKey.numbers else {
                preconditionFailure("signing keys are RSA keys")
            }
            return .object([
                "kty": .text("RSA"), "alg": .text("RS256"), "use": .text("sig"), "kid": .text(entry.id),
                "n": .text(Base64.url.encode(modulus)), "e": .text(Base64.url.encode(exponent)),
            ])
        }
        return Claims.object(["keys": .list(keys)]).json
    }
}

extension SigningKeys {
    /// The text of the file that keeps them: a secret.
    public var fileText: [UInt8] {
        let keys = entries.map {
            Claims.object(["signsFrom": .integer($0.signsFrom), "privateKey": .text($0.key.pem)])
        }
        return Claims.object(["keys": .list(keys)]).json + [0x0A]
    }

    /// Reads what `fileText` wrote.
    ///
    /// - Throws: `SigningKeysFault` for anything else.
    public init(fileText text: [UInt8]) throws(SigningKeysFault) {
        // The text holds private keys, so the reason must not show any of it.
        guard case .list(let list)? = try? Claims(reading: text).member("keys"), !list.isEmpty else {
            throw .unreadable
        }
        var entries: [Entry] = []
        for element in list {
            guard case .leaf(.integer(let signsFrom)) = element.member("signsFrom"),
                let pem = element.member("privateKey").text
            else { throw .unreadable }
            let key: PrivateKey
            do throws(KeyFault) {
                key = try PrivateKey(pem: pem)
            } catch {
                throw .badKey(error)
            }
            guard key.publicKey.algorithm == .rs256 else { throw .badKey(.wrongKind) }
            entries.append(Entry(id: SigningKeys.id(of: key.publicKey), key: key, signsFrom: signsFrom))
        }
        guard Set(entries.map(\.id)).count == entries.count else { throw .unreadable }
        self.entries = entries.sorted { $0.signsFrom < $1.signsFrom }
    }
}

/// Why a file of signing keys cannot be used.
public enum SigningKeysFault: Error, Equatable, CustomStringConvertible {
    /// It is not what the server wrote.
    case unreadable
    /// One of the keys is not sound.
    case badKey(KeyFault)

    /// One sentence with what to do about it.
    public var description: String {
        switch self {
        case .unreadable:
            "it is not what the server wrote; restore it, or remove it to begin with a new key, which ends"
                + " the ID tokens that are out"
        case .badKey(let fault): "a key in it cannot be used: \(fault)"
        }
    }
}
