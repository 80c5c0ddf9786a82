// From the configuration to whose tokens are taken.
import HearthCrypto
import HearthIdentity

extension TokenVerifier {
    /// The issuers whose keys stand in the files that the configuration names.
    ///
    /// - Throws: `StartFailure` with what to do, for a file that cannot be used or a setting that is missing.
    static func issuers(_ configuration: Configuration) throws(StartFailure) -> [TokenIssuer] {
        let tokens = configuration.tokens
        var issuers: [TokenIssuer] = []
        if let keys = try TokenVerifier.keys(tokens) {
            guard let project = tokens.project else {
                throw .configuration(
                    "tokens are meant for a project, and only those for yours must be taken; "
                        + "name it with --project ID")
            }
            issuers = [
                tokens.issuer.map { TokenIssuer(issuer: $0, audiences: [project], keys: keys) }
                    ?? .project(project, keys: keys)
            ]
        } else if tokens.issuer != nil {
            throw .configuration(
                "--issuer needs what its tokens are checked with: --jwks FILE or --hs256-secret-file FILE")
        }
        if let file = tokens.legacySecretFile { issuers.append(.legacy(try TokenVerifier.secret(file))) }
        return issuers
    }

    /// A verifier of these issuers' tokens alone.
    ///
    /// - Throws: `StartFailure` if two of them have the same name.
    init(_ issuers: [TokenIssuer], isEmulator: Bool) throws(StartFailure) {
        do throws(RepeatedIssuer) {
            self = try TokenVerifier(issuers: issuers, acceptsUnsigned: isEmulator)
        } catch {
            throw .configuration("\(error)")
        }
    }

    private static func keys(_ tokens: Configuration.Tokens) throws(StartFailure) -> TokenKeys? {
        switch (tokens.publicKeysFile, tokens.secretFile) {
        case (nil, nil): return nil
        case (let file?, nil): return try publicKeys(file)
        case (nil, let file?): return try secret(file)
        case (.some, .some):
            throw .configuration(
                "an issuer signs in one way: give either --jwks or --hs256-secret-file, not both")
        }
    }

    private static func publicKeys(_ file: String) throws(StartFailure) -> TokenKeys {
        let bytes = try SmallFile.read(file)
        do throws(TokenKeysFault) {
            if bytes.starts(with: "-----BEGIN ".utf8) {
                return try TokenKeys(pem: String(decoding: bytes, as: UTF8.self))
            }
            do throws(TokenKeysFault) {
                return try TokenKeys(jwks: bytes, algorithm: .rs256)
            } catch .noUsableKey {
                return try TokenKeys(jwks: bytes, algorithm: .es256)
            } catch .noKeySet {
                return try TokenKeys(certificates: bytes, algorithm: .rs256)
            }
        } catch {
            throw .configuration("\(file): \(error)")
        }
    }

    private static func secret(_ file: String) throws(StartFailure) -> TokenKeys {
        var bytes = try SmallFile.read(file)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        do throws(TokenKeysFault) {
            return try TokenKeys(secret: bytes)
        } catch {
            throw .configuration("\(file): \(error)")
        }
    }
}
