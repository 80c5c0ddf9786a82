// Makes certificates for tests, as an authority would.

public import HearthCrypto

/// A certificate authority of one test, whose certificates nobody else believes.
public struct TestAuthority {
    /// Its own certificate as PEM, which clients are to believe.
    public let certificate: String
    private let name: String
    private let key: PrivateKey

    /// Makes one.
    public init(named name: String = "Hearth test authority") {
        self.name = name
        key = PrivateKey.generate(.es256)
        let keyID = TestAuthority.keyID(key.publicKey)
        let extensions = [
            Encoding.extension([2, 5, 29, 19], isCritical: true, Encoding.sequence(Encoding.boolean(true))),
            // May sign certificates and lists of revoked ones.
            Encoding.extension([2, 5, 29, 15], isCritical: true, Encoding.tagged(0x03, [0x01, 0x06])),
            Encoding.extension([2, 5, 29, 14], Encoding.tagged(0x04, keyID)),
        ]
        certificate = TestAuthority.sign(
            with: key, issuer: name, subject: name, publicKey: key.publicKey,
            validity: TestAuthority.usualValidity, extensions: extensions)
    }

    /// From 2020 to 2049, in seconds since 1970.
    public static let usualValidity: ClosedRange<Int64> = 1_577_836_800...2_493_072_000

    /// What a server needs: its certificate and its private key, both as PEM.
    public struct Identity: Sendable {
        /// The certificate.
        public let certificate: String
        /// The private key, not encrypted.
        public let key: String

        /// Puts one together, which need not fit.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Makes a key and a certificate for it.
    ///
    /// - Parameters:
    ///   - hosts: names and IPv4 addresses that it is for, at least one.
    ///   - validity: in seconds since 1970, before 2050.
    public func identity(
        for hosts: [String] = ["localhost", "127.0.0.1"], _ algorithm: SignatureAlgorithm = .es256,
        validity: ClosedRange<Int64> = TestAuthority.usualValidity
    ) -> Identity {
        let own = PrivateKey.generate(algorithm)
        let alternatives = hosts.map { host in
            let numbers = host.split(separator: ".").compactMap { UInt8($0) }
            return numbers.count == 4
                ? Encoding.tagged(0x87, numbers) : Encoding.tagged(0x82, Array(host.utf8))
        }
        let extensions = [
            Encoding.extension([2, 5, 29, 17], Encoding.sequence(alternatives.flatMap { $0 })),
            Encoding.extension(
                [2, 5, 29, 35],
                Encoding.sequence(Encoding.tagged(0x80, TestAuthority.keyID(key.publicKey)))),
            Encoding.extension([2, 5, 29, 14], Encoding.tagged(0x04, TestAuthority.keyID(own.publicKey))),
        ]
        let text = TestAuthority.sign(
            with: key, issuer: name, subject: hosts[0], publicKey: own.publicKey, validity: validity,
            extensions: extensions)
        return Identity(certificate: text, key: own.pem)
    }

    private static func keyID(_ key: PublicKey) -> [UInt8] {
        Array(SHA256.digest(of: key.subjectPublicKeyInfo).bytes.prefix(20))
    }

    /// Puts a certificate together (RFC 5280 §4.1).
    private static func sign(
        with key: PrivateKey, issuer: String, subject: String, publicKey: PublicKey,
        validity: ClosedRange<Int64>, extensions: [[UInt8]]
    ) -> String {
        let algorithm = Encoding.sequence(Encoding.identifier([1, 2, 840, 10045, 4, 3, 2]))
        let serial = Encoding.tagged(0x02, [0x01] + SecureRandom.bytes(15))
        let content = Encoding.sequence(
            Encoding.tagged(0xA0, Encoding.tagged(0x02, [2])), serial, algorithm, Encoding.name(issuer),
            Encoding.sequence(Encoding.time(validity.lowerBound), Encoding.time(validity.upperBound)),
            Encoding.name(subject), publicKey.subjectPublicKeyInfo,
            Encoding.tagged(0xA3, Encoding.sequence(extensions.flatMap { $0 })))
        let numbers = key.sign(content)
        let signature = Encoding.sequence(
            Encoding.integer(numbers[..<32]), Encoding.integer(numbers[32...]))
        return pem(Encoding.sequence(content, algorithm, Encoding.tagged(0x03, [0] + signature)))
    }

    private static func pem(_ bytes: [UInt8]) -> String {
        let letters = Array(Base64.standard.encode(bytes).utf8)
        let lines = stride(from: 0, to: letters.count, by: 64).map { start in
            String(decoding: letters[start..<min(start + 64, letters.count)], as: UTF8.self) + "\n"
        }
        return "-----BEGIN CERTIFICATE-----\n" + lines.joined() + "-----END CERTIFICATE-----\n"
    }
}

/// The pieces of certificates in their binary form (X.690).
private enum Encoding {
    static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 128
            ? [UInt8(count)]
            : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
        return [tag] + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        tagged(0x30, parts.flatMap { $0 })
    }

    static func boolean(_ value: Bool) -> [UInt8] {
        tagged(0x01, [value ? 0xFF : 0])
    }

    /// Not negative, big-endian.
    static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return tagged(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
    }

    static func identifier(_ numbers: [Int]) -> [UInt8] {
        let rest = numbers.dropFirst(2).flatMap { number in
            var groups = [UInt8(number & 127)]
            var high = number >> 7
            while high > 0 {
                groups.insert(UInt8(high & 127 | 128), at: 0)
                high >>= 7
            }
            return groups
        }
        return tagged(0x06, [UInt8(numbers[0] * 40 + numbers[1])] + rest)
    }

    /// A name with nothing but the common name.
    static func name(_ text: String) -> [UInt8] {
        let part = sequence(identifier([2, 5, 4, 3]), tagged(0x0C, Array(text.utf8)))
        return sequence(tagged(0x31, part))
    }

    static func `extension`(_ number: [Int], isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        sequence(identifier(number), isCritical ? boolean(true) : [], tagged(0x04, value))
    }

    /// Seconds since 1970, before 2050, as YYMMDDhhmmssZ.
    static func time(_ seconds: Int64) -> [UInt8] {
        let date = civil(seconds / 86_400)
        let rest = seconds % 86_400
        let parts = [date.year % 100, date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60]
        let text = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + "Z"
        return tagged(0x17, Array(text.utf8))
    }

    /// The date of a day, counted from 1970.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var year: Int64 = 1970
        var rest = days
        while rest >= length(of: year) {
            rest -= length(of: year)
            year += 1
        }
        let february: Int64 = length(of: year) == 366 ? 29 : 28
        var month: Int64 = 1
        for count in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            guard rest >= count else { break }
            rest -= count
            month += 1
        }
        return (year, month, rest + 1)
    }

    private static func length(of year: Int64) -> Int64 {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }
}
