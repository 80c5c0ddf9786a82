import HearthCore
// The outer form of a token, before anything in it is believed.
import HearthCrypto

/// A JSON Web Signature in its compact form (RFC 7515 §7.1), taken apart.
///
///     base64url(header) . base64url(claims) . base64url(signature)
///     └───────────── signedBytes ──────────┘
///
/// Nothing of it may be believed before the signature is checked.
struct CompactToken {
    /// The header's `alg`, as written.
    let algorithm: String
    /// The header's `kid`.
    let keyID: String?
    /// What the signature covers: header and claims as they were written, with the dot.
    let signedBytes: [UInt8]
    /// Usually the claims as JSON.
    let payload: [UInt8]
    /// Empty in unsigned tokens.
    let signature: [UInt8]

    init(_ text: String) throws(TokenRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= TokenVerifier.byteLimit else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed }
        let header = try CompactToken.header(try CompactToken.decode(parts[0]))
        guard let algorithm = header["alg"]?.text else { throw .badHeader }
        self.algorithm = algorithm
        keyID = header["kid"]?.text
        signedBytes = Array(bytes[..<parts[1].endIndex])
        payload = try CompactToken.decode(parts[1])
        signature = try CompactToken.decode(parts[2])
    }

    /// The claims: a JSON object.
    func claims() throws(TokenRefusal) -> [String: Claims] {
        guard let members = CompactToken.object(payload) else { throw .badClaims }
        return members
    }

    /// Reads the header and refuses what would change how the token must be read.
    ///
    /// The type is optional; SDKs spell its name `typ` or, in tokens for emulators, `type`.
    private static func header(_ bytes: [UInt8]) throws(TokenRefusal) -> [String: Claims] {
        guard let header = object(bytes) else { throw .badHeader }
        guard header["crit"] == nil, header["b64"] == nil else { throw .critical }
        for name in ["typ", "type"] {
            guard let type = header[name] else { continue }
            guard type.text?.lowercased() == "jwt" else { throw .badHeader }
        }
        guard header["kid"].map({ $0.text != nil }) ?? true else { throw .badHeader }
        return header
    }

    private static func object(_ bytes: [UInt8]) -> [String: Claims]? {
        // Why it is none must not be told: it could show a part of the token.
        guard case .object(let members)? = try? Claims(reading: bytes) else { return nil }
        return members
    }

    private static func decode(_ part: ArraySlice<UInt8>) throws(TokenRefusal) -> [UInt8] {
        do throws(Base64Error) {
            return try Base64.url.decode(String(decoding: part, as: UTF8.self))
        } catch {
            throw .badEncoding
        }
    }
}
