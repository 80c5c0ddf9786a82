// What is kept of one sign-in, so that it can be gone on with and ended.
import HearthCore
import HearthCrypto

/// A session: whoever has its refresh token gets ID tokens from it. The token itself is not kept, just its
/// digest. Times are in milliseconds since 1970. Source: accounts.md §7.
struct Session: Equatable, Sendable {
    let localID: String
    /// `password`, `anonymous` or `custom`.
    let provider: String
    /// When the user signed in; ID tokens say it as `auth_time`.
    let signedInAt: Int64
    /// What a custom token said beside the uid.
    let claims: [String: Claims]
    /// When it was last gone on with, to the hour.
    var usedAt: Int64
    /// What the client said it is.
    let client: String

    /// A fresh refresh token: 32 random bytes.
    static func freshToken(using random: inout some RandomNumberGenerator) -> String {
        Base64.url.encode(randomBytes(32, using: &random))
    }

    /// Whether a text has the form of a refresh token.
    static func isToken(_ text: String) -> Bool {
        // Why it is no base64 does not matter.
        (try? Base64.url.decode(text))?.count == 32
    }

    /// Where the session of a refresh token is kept.
    static func key(of refreshToken: String) -> Key { Digest.key(of: refreshToken) }
}

/// Random bytes out of any generator.
func randomBytes(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
        withUnsafeBytes(of: random.next()) { bytes += $0.prefix(count - bytes.count) }
    }
    return bytes
}

/// Digests of secrets as keys.
enum Digest {
    /// SHA-256 in base64url, which has letters that keys may have alone.
    static func key(of secret: String) -> Key {
        var text = Base64.url.encode(SHA256.digest(of: secret).bytes)
        return text.withUTF8 { Key(checked: UnsafeRawBufferPointer($0)) }
    }
}

extension Session {
    /// Reads a stored session; nil if there is none.
    init?(node: Node) {
        let reader = RecordReader(node: node)
        guard let localID = reader.text(.localID), let provider = reader.text(.provider),
            let signedInAt = reader.integer(.signedInAt), let usedAt = reader.integer(.usedAt)
        else { return nil }
        // What was written as an object is read as one; the default is for sessions without claims.
        let claims = reader.text(.claims).flatMap { try? Claims(reading: Array($0.utf8)).members }
        self.init(
            localID: localID, provider: provider, signedInAt: signedInAt, claims: claims ?? [:],
            usedAt: usedAt, client: reader.text(.client) ?? "")
    }

    /// The session as it is stored.
    var node: Node {
        var writer = RecordWriter()
        writer.text(.localID, localID)
        writer.text(.provider, provider)
        writer.integer(.signedInAt, signedInAt)
        writer.integer(.usedAt, usedAt)
        if !claims.isEmpty {
            writer.text(.claims, String(decoding: Claims.object(claims).json, as: UTF8.self))
        }
        writer.text(.client, client)
        return writer.node
    }
}
