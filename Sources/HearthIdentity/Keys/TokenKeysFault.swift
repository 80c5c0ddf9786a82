// Why configured keys cannot be used.
public import HearthCore
public import HearthCrypto

/// Why the keys of an issuer cannot be used: the operator reads it at the start. It shows no key.
public enum TokenKeysFault: Error, Equatable, CustomStringConvertible {
    /// A secret that is short enough to be guessed.
    case shortSecret(byteCount: Int)
    /// A public key given as a secret: everybody could sign tokens with it.
    case publicSecret
    /// A key file that is no JSON.
    case json(ClaimsError)
    /// JSON, but no set of keys.
    case noKeySet
    /// The set has no key for signatures by this algorithm.
    case noUsableKey(TokenAlgorithm)
    /// The key at this place of the set, counted from 1, is private.
    case privateKey(place: Int)
    /// The key at this place lacks a number, or has it in another form than base64url.
    case badNumber(place: Int)
    /// The key at this place is no sound key.
    case badKey(place: Int, KeyFault)
    /// A PEM text that cannot be read.
    case badPEM(KeyFault)
    /// Keys of different algorithms, or of another one than asked for.
    case mixedAlgorithms
    /// Two keys of one name.
    case repeatedName
    /// More keys than are tried for one token, or kept.
    case tooManyKeys(limit: Int)

    /// One sentence with what to do about it.
    public var description: String {
        switch self {
        case .shortSecret(let count):
            "the secret has \(count) bytes, and whoever guesses it signs in as anybody; use at least"
                + " \(TokenKeys.secretByteCount) random bytes, for instance from 'openssl rand -base64 32'"
        case .publicSecret:
            "the secret is a key or certificate in PEM form; give public keys as those of RS256 or ES256"
        case .json(let error): "the key file is no JSON that can be read: \(error.sentence)"
        case .noKeySet:
            "the key file is no key set; expected {\"keys\":[…]}"
                + " or {\"<key ID>\":\"-----BEGIN CERTIFICATE…\"}"
        case .noUsableKey(let algorithm):
            "the key file has no public key for \(algorithm.rawValue) signatures; is it the issuer's, and is"
                + " the algorithm the right one?"
        case .privateKey(let place):
            "key \(place) of the set is a private one; take its secret numbers out, and replace it if the"
                + " file was ever published"
        case .badNumber(let place):
            "key \(place) of the set lacks a number, or has one that is no base64url"
        case .badKey(let place, let fault): "key \(place) of the set: \(fault)"
        case .badPEM(let fault): "the key file: \(fault)"
        case .mixedAlgorithms:
            "the keys are not all for the issuer's algorithm; an issuer has just one"
        case .repeatedName: "two keys have the same key ID"
        case .tooManyKeys(let limit): "there are more than \(limit) keys; take out those no longer in use"
        }
    }
}
