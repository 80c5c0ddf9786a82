// What a token says, without looking at its signature.
import HearthCore
import HearthCrypto
import Testing

/// Takes tokens apart.
enum TokenText {
    static func claims(of token: String?) throws -> Claims {
        let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        return try Claims(reading: Base64.url.decode(String(parts[1])))
    }

    static func header(of token: String?) throws -> Claims {
        let parts = try #require(token).split(separator: ".", omittingEmptySubsequences: false)
        return try Claims(reading: Base64.url.decode(String(parts[0])))
    }
}
