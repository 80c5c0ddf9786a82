// What is kept of a password: enough to check it, not enough to know it.
import COpenSSL

/// A salted scrypt hash with its parameters, as it is stored.
///
///     $scrypt$ln=15,r=8,p=3$<salt>$<hash>       salt: 16 bytes, hash: 32 bytes, base64url
///
/// Hashing takes 0.1 to 1 s at the usual cost, so it belongs on a worker. Every byte of a password counts.
public struct PasswordRecord: Hashable, Sendable {
    private static let saltByteCount = 16
    private static let hashByteCount = 32

    /// What the hash was made with.
    public let cost: PasswordCost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password with a fresh salt.
    ///
    /// - Precondition: the password has no U+0000: scrypt could not tell it from one that is shorter by it.
    ///
    /// A machine that lacks the memory for it stops the process, as do other failures of OpenSSL.
    public init(of password: String, cost: PasswordCost) {
        precondition(!password.utf8.contains(0), "passwords have no U+0000")
        let salt = SecureRandom.bytes(PasswordRecord.saltByteCount)
        self.init(cost: cost, salt: salt, hash: PasswordRecord.hash(password, salt, cost))
    }

    /// Reads a record as `text` writes it, nil for anything else.
    public init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let cost = PasswordRecord.cost(parts[2]), let salt = PasswordRecord.bytes(parts[3]),
            let hash = PasswordRecord.bytes(parts[4]), hash.count == PasswordRecord.hashByteCount
        else { return nil }
        self.init(cost: cost, salt: salt, hash: hash)
    }

    private init(cost: PasswordCost, salt: [UInt8], hash: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    /// The text to be stored. It is a secret: whoever has it can guess without being slowed down by a server.
    public var text: String {
        "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)"
            + "$\(Base64.url.encode(salt))$\(Base64.url.encode(hash))"
    }

    /// Whether this is the record of `password`; takes as long as making one, whatever the answer is.
    public func matches(_ password: String) -> Bool {
        // Trailing zeros make no difference to scrypt, and no password has any.
        constantTimeEqual(PasswordRecord.hash(password, salt, cost), hash) && !password.utf8.contains(0)
    }

    private static func cost(_ text: Substring) -> PasswordCost? {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
        guard numbers.count == 3, let logarithm = number("ln=", numbers[0]),
            let blockSize = number("r=", numbers[1]), let parallelism = number("p=", numbers[2])
        else { return nil }
        return PasswordCost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    private static func number(_ name: String, _ text: Substring) -> Int? {
        text.hasPrefix(name) ? Int(text.dropFirst(name.count)) : nil
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        // Why the text is no base64 does not matter: the record cannot be used.
        try? Base64.url.decode(String(text))
    }

    private static func hash(_ password: String, _ salt: [UInt8], _ cost: PasswordCost) -> [UInt8] {
        var bytes = Array(password.utf8)
        let count = bytes.count
        defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, count) } }
        var hash = [UInt8](repeating: 0, count: hashByteCount)
        let result = bytes.withUnsafeBytes { password in
            EVP_PBE_scrypt(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), count, salt, salt.count,
                UInt64(1) << UInt64(cost.logarithm), UInt64(cost.blockSize), UInt64(cost.parallelism),
                UInt64(cost.memoryLimit), &hash, hashByteCount)
        }
        guard result == 1 else { fatalError("OpenSSL could not hash a password; memory may have run out") }
        return hash
    }
}

extension PasswordRecord: CustomStringConvertible, CustomReflectable {
    /// The cost alone, so that no hash enters a log with the value that holds it.
    public var description: String { "a password record" }

    /// Shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
