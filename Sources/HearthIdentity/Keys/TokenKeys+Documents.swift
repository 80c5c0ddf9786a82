import HearthCore
// Keys out of the documents that issuers publish.
public import HearthCrypto

extension TokenKeys {
    /// Reads the keys for `algorithm` out of a JWK set (RFC 7517 §5): `{"keys":[{"kty":"RSA","n":…,"e":…}]}`.
    ///
    /// Keys of other kinds, for other algorithms or for encryption are passed over, as the set may serve
    /// others too; a key of the right kind that is not sound is an error.
    /// - Throws: `TokenKeysFault`, also if no key is left.
    public init(jwks document: [UInt8], algorithm: SignatureAlgorithm) throws(TokenKeysFault) {
        guard case .list(let entries) = try TokenKeys.read(document).member("keys") else { throw .noKeySet }
        var named: [(name: String, key: PublicKey)] = []
        var unnamed: [PublicKey] = []
        for (index, entry) in entries.enumerated() {
            guard case .object = entry else { throw .noKeySet }
            let reading = JSONWebKey(claims: entry, place: index + 1)
            guard let key = try reading.publicKey(for: algorithm) else { continue }
            if let name = entry.member("kid").text {
                named.append((name, key))
            } else {
                unnamed.append(key)
            }
        }
        try self.init(named: named, unnamed: unnamed, algorithm: algorithm)
    }

    /// Reads keys out of an object of PEM texts by key ID, as Google publishes its certificates:
    /// `{"<key ID>":"-----BEGIN CERTIFICATE-----…"}`.
    ///
    /// - Throws: `TokenKeysFault`, also if a key is for another algorithm.
    public init(certificates document: [UInt8], algorithm: SignatureAlgorithm) throws(TokenKeysFault) {
        guard case .object(let members) = try TokenKeys.read(document) else { throw .noKeySet }
        var named: [(name: String, key: PublicKey)] = []
        for (name, value) in members {
            guard let text = value.text else { throw .noKeySet }
            do throws(KeyFault) {
                named += try PublicKey.keys(inPEM: text).map { (name, $0) }
            } catch {
                throw .badPEM(error)
            }
        }
        try self.init(named: named, unnamed: [], algorithm: algorithm)
    }

    private static func read(_ document: [UInt8]) throws(TokenKeysFault) -> Claims {
        do throws(ClaimsError) {
            return try Claims(reading: document)
        } catch {
            throw .json(error)
        }
    }
}

/// One entry of a JWK set.
private struct JSONWebKey {
    let claims: Claims
    /// Counted from 1.
    let place: Int

    /// The key, nil if it is not for checking signatures by `algorithm`.
    func publicKey(for algorithm: SignatureAlgorithm) throws(TokenKeysFault) -> PublicKey? {
        guard isFor(algorithm) else { return nil }
        guard claims.member("d").isNull else { throw .privateKey(place: place) }
        let names = algorithm == .rs256 ? ("n", "e") : ("x", "y")
        let (first, second) = (try number(names.0), try number(names.1))
        do throws(KeyFault) {
            switch algorithm {
            case .rs256: return try PublicKey(modulus: first, exponent: second)
            case .es256: return try PublicKey(x: first, y: second)
            }
        } catch {
            throw .badKey(place: place, error)
        }
    }

    private func number(_ name: String) throws(TokenKeysFault) -> [UInt8] {
        guard let text = claims.member(name).text else { throw .badNumber(place: place) }
        do throws(Base64Error) {
            return try Base64.url.decode(text)
        } catch {
            throw .badNumber(place: place)
        }
    }

    private func isFor(_ algorithm: SignatureAlgorithm) -> Bool {
        let isKind =
            switch algorithm {
            case .rs256: claims.member("kty").text == "RSA"
            case .es256: claims.member("kty").text == "EC" && claims.member("crv").text == "P-256"
            }
        let use = claims.member("use")
        let name = claims.member("alg")
        return isKind && (use.isNull || use.text == "sig") && (name.isNull || name.text == algorithm.rawValue)
    }
}
