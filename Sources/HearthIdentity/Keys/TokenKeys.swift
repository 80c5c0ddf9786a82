// What the tokens of one issuer are checked with.
public import HearthCrypto

/// The keys of an issuer, all of one algorithm: the header of a token never chooses how it is checked.
public struct TokenKeys: Sendable {
    /// What a secret has at least, as long as the digest it is used with (RFC 7518 §3.2).
    public static let secretByteCount = 32
    /// How many keys without a name are tried, one after the other.
    public static let unnamedLimit = 8
    /// How many keys with a name are kept.
    public static let namedLimit = 256

    enum Content: Sendable {
        case secret([UInt8])
        case publicKeys(named: [String: PublicKey], unnamed: [PublicKey])
    }

    /// The algorithm of every key.
    public let algorithm: TokenAlgorithm
    let content: Content

    /// Takes the secret that the issuer signs with by HS256, exactly these bytes: a file's line end is part
    /// of it unless it was cut off before.
    ///
    /// - Parameters:
    ///   - secret: at least `secretByteCount` bytes.
    ///   - allowsShort: whether a shorter secret is taken all the same, for tests; never an empty one.
    /// - Throws: `TokenKeysFault` for one that is too short, or is a public key.
    public init(secret: [UInt8], allowsShort: Bool = false) throws(TokenKeysFault) {
        guard secret.count >= (allowsShort ? 1 : TokenKeys.secretByteCount) else {
            throw .shortSecret(byteCount: secret.count)
        }
        guard !secret.starts(with: "-----BEGIN ".utf8) else { throw .publicSecret }
        algorithm = .hs256
        content = .secret(secret)
    }

    /// Takes public keys without names: each is tried, whatever key ID a token has.
    ///
    /// - Throws: `TokenKeysFault` for none, more than `unnamedLimit`, or keys of different algorithms.
    public init(_ keys: [PublicKey]) throws(TokenKeysFault) {
        guard let first = keys.first else { throw .badPEM(.noBlock) }
        try self.init(named: [], unnamed: keys, algorithm: first.algorithm)
    }

    /// Reads public keys from a PEM text of `PUBLIC KEY` or `CERTIFICATE` blocks; they have no names.
    ///
    /// - Throws: `TokenKeysFault`; see `PublicKey.keys(inPEM:)` for what a certificate stands for.
    public init(pem text: String) throws(TokenKeysFault) {
        let keys: [PublicKey]
        do throws(KeyFault) {
            keys = try PublicKey.keys(inPEM: text)
        } catch {
            throw .badPEM(error)
        }
        try self.init(keys)
    }

    /// Checks numbers, names and algorithms.
    init(
        named: [(name: String, key: PublicKey)], unnamed: [PublicKey], algorithm: SignatureAlgorithm
    ) throws(TokenKeysFault) {
        guard unnamed.count <= TokenKeys.unnamedLimit else {
            throw .tooManyKeys(limit: TokenKeys.unnamedLimit)
        }
        guard named.count <= TokenKeys.namedLimit else { throw .tooManyKeys(limit: TokenKeys.namedLimit) }
        guard (named.map(\.key) + unnamed).allSatisfy({ $0.algorithm == algorithm }) else {
            throw .mixedAlgorithms
        }
        guard !named.isEmpty || !unnamed.isEmpty else { throw .noUsableKey(TokenAlgorithm(algorithm)) }
        let table = Dictionary(named.map { ($0.name, $0.key) }) { first, _ in first }
        guard table.count == named.count else { throw .repeatedName }
        self.algorithm = TokenAlgorithm(algorithm)
        content = .publicKeys(named: table, unnamed: unnamed)
    }

    /// Checks the signature of `token`.
    ///
    /// - Throws: `TokenRefusal` for another algorithm, a key ID that is not known, or a wrong signature.
    func check(_ token: CompactToken) throws(TokenRefusal) {
        guard token.algorithm == algorithm.rawValue else { throw .wrongAlgorithm }
        switch content {
        case .secret(let secret):
            guard let signature = SHA256.Digest(bytes: token.signature) else { throw .badSignature }
            let expected = HMACSHA256.code(for: token.signedBytes, secret: secret)
            guard constantTimeEqual(expected, signature) else { throw .badSignature }
        case .publicKeys(let named, let unnamed):
            let candidates = token.keyID.flatMap { named[$0] }.map { [$0] } ?? unnamed
            guard !candidates.isEmpty else { throw .unknownKey }
            guard candidates.contains(where: { $0.verifies(token.signature, of: token.signedBytes) }) else {
                throw .badSignature
            }
        }
    }
}

extension TokenKeys: CustomStringConvertible, CustomReflectable {
    /// The algorithm alone, so that no secret enters a log with the value that holds it.
    public var description: String { "keys for \(algorithm.rawValue)" }

    /// Shows nothing of the keys either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
