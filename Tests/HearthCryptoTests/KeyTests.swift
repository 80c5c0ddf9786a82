// Keys are read in every form that issuers publish, and refused when they are unsafe.
import HearthCrypto
import Testing

@Suite("A key")
struct KeyTests {
    @Test("comes back from its texts and numbers", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = PrivateKey.generate(algorithm)
        let again = try PrivateKey(pem: key.pem)
        #expect(again.publicKey.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        let signature = again.sign([1, 2, 3])
        let pem = "a remark\r\n" + key.publicKey.pem.split(separator: "\n").joined(separator: " \r\n")
        let fromText = try PublicKey.keys(inPEM: pem)
        #expect(fromText.map(\.algorithm) == [algorithm])
        #expect(fromText.allSatisfy { $0.verifies(signature, of: [1, 2, 3]) })
        let fromNumbers: PublicKey
        switch key.publicKey.numbers {
        case .rsa(let modulus, let exponent):
            fromNumbers = try PublicKey(modulus: [0] + modulus, exponent: exponent)
            #expect(modulus.count == 256 && exponent == [1, 0, 1])
        case .p256(let x, let y): fromNumbers = try PublicKey(x: x, y: y)
        }
        #expect(fromNumbers.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        #expect(fromNumbers.numbers == key.publicKey.numbers)
    }

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBhjCCAS2gAwIBAgIUOhYiYrfarVw4+PztC+0wNlc6lqAwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOaGVhcnRoLmV4YW1wbGUwHhcNMjYxMTMwMDUwMDIwWhcNMzYx
        MTI3MDUwMDIwWjAZMRcwFQYDVQQDDA5oZWFydGguZXhhbXBsZTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABLZOI1b/nyXZtMTn5c2KvqVuxUjOJc3xMKBIUcg38Qea
        zNiET+5yf3k+Ke++ZFjEgJTg/oNTZbwWrn6WJsuLvOujUzBRMB0GA1UdDgQWBBRF
        vO7aNHscpxBvOdTLCd8YjfeFVjAfBgNVHSMEGDAWgBRFvO7aNHscpxBvOdTLCd8Y
        jfeFVjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIE/EXIvLIfB5
        KSu9EPWtqZW0QdgHgdnJym4uy+1QhBkbAiBlH71uE3ubPL6bDKVVS6DWeqar115x
        17QoNiyECvkF9g==
        -----END CERTIFICATE-----

        """
    private static let certified = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEtk4jVv+fJdm0xOflzYq+pW7FSM4l
        zfEwoEhRyDfxB5rM2IRP7nJ/eT4p775kWMSAlOD+g1NlvBaufpYmy4u86w==
        -----END PUBLIC KEY-----

        """
    /// An RSA key of 1,024 bits.
    private static let short = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCx/iY5Y50WtRKo4pr4ev0bpsO8
        Qv+7HglFJQzXSIYqCSvajiX7gUgDv2ds1/EApSxfEcBd9bJqTu/OreAJJlUwokgc
        ElTvML+pDMLMkMI6qfXXuF7BTv2dxCKm6PCqbZhm1QX2QNWfXr+osN79d7P5BNTz
        /x5jfnZ1/eDaP8up9wIDAQAB
        -----END PUBLIC KEY-----
        """
    /// A key on P-384, and one for Ed25519.
    private static let otherKinds = [
        """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAExvybeYeANwL1aSysztRtCgJF8kf35MaO
        /86xvK1VA+KKdVPslRMYHrtld4eezCJsEdEV5XyobYu7P36QlutGdCJPPukT8gSw
        +xzp2nEpqX03YPdBKyIhYydREjRxo3bx
        -----END PUBLIC KEY-----
        """,
        """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA2O3fc6t1+H+CE9X7MlmakfyHefGb6MaOone0CVGC9kI=
        -----END PUBLIC KEY-----
        """,
    ]

    @Test("is taken out of a certificate")
    func fromCertificate() throws {
        let keys = try PublicKey.keys(inPEM: KeyTests.certificate + KeyTests.certified)
        #expect(keys.count == 2)
        #expect(keys.first?.pem == KeyTests.certified)
        #expect(keys.last?.pem == KeyTests.certified)
    }

    @Test("of another kind is refused", arguments: otherKinds)
    func otherKind(pem: String) {
        #expect(throws: KeyFault.wrongKind) { try PublicKey.keys(inPEM: pem) }
    }

    @Test("that can be broken is refused")
    func weak() throws {
        #expect(throws: KeyFault.modulusSize(bits: 1_024)) { try PublicKey.keys(inPEM: KeyTests.short) }
        guard case .rsa(let modulus, _) = PrivateKey.generate(.rs256).publicKey.numbers else {
            Issue.record("an RSA key has a modulus")
            return
        }
        for exponent: [UInt8] in [[1], [2], [0, 1], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9)] {
            #expect(throws: KeyFault.weakExponent) { try PublicKey(modulus: modulus, exponent: exponent) }
        }
        for count in [0, 1, 128, 255, 1_025, 100_000] {
            #expect(throws: KeyFault.self, "\(count) bytes") {
                try PublicKey(modulus: [UInt8](repeating: 0xFF, count: count), exponent: [1, 0, 1])
            }
        }
        #expect(throws: KeyFault.self) { try PublicKey(modulus: modulus, exponent: []) }
    }

    @Test("on P-256 needs a point of the curve, in full length")
    func points() throws {
        guard case .p256(let x, var y) = PrivateKey.generate(.es256).publicKey.numbers else {
            Issue.record("a key on P-256 has a point")
            return
        }
        #expect(throws: KeyFault.coordinateSize(byteCount: 31)) {
            try PublicKey(x: Array(x.dropLast()), y: y)
        }
        #expect(throws: KeyFault.coordinateSize(byteCount: 33)) { try PublicKey(x: x, y: [0] + y) }
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: KeyFault.unreadable) { try PublicKey(x: zero, y: zero) }
        y[31] ^= 1
        #expect(throws: KeyFault.unreadable) { try PublicKey(x: x, y: y) }
    }

    @Test(
        "is not read from a damaged text",
        arguments: [
            ("", KeyFault.noBlock), ("-----BEGIN PUBLIC KEY-----", .damagedBlock),
            ("-----BEGIN -----\n-----END -----", .noBlock),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END CERTIFICATE-----", .damagedBlock),
            ("-----BEGIN PUBLIC KEY-----\n*\n-----END PUBLIC KEY-----", .damagedBlock),
            ("-----BEGIN A-----\n-----BEGIN A-----\n-----END A-----", .damagedBlock),
            (
                "-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END PUBLIC KEY-----",
                .damagedBlock
            ),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", .unreadable),
            ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", .unreadable),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", .unreadable),
            (
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
                .wrongBlock(expected: "PUBLIC KEY or CERTIFICATE")
            ),
        ])
    func damaged(pem: String, fault: KeyFault) {
        #expect(throws: fault) { try PublicKey.keys(inPEM: pem) }
        #expect(!"\(fault)".contains("AAAA"))
    }

    @Test("with bytes behind it is refused")
    func trailing() {
        let key = PrivateKey.generate(.es256).publicKey
        #expect(throws: KeyFault.unreadable) {
            try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo + [0])
        }
        for length in 0..<key.subjectPublicKeyInfo.count {
            #expect(throws: KeyFault.unreadable, "\(length) bytes") {
                try PublicKey(subjectPublicKeyInfo: Array(key.subjectPublicKeyInfo[..<length]))
            }
        }
    }

    @Test("that is private is neither read from a public nor from an encrypted block")
    func privateBlocks() {
        #expect(throws: KeyFault.wrongBlock(expected: "PRIVATE KEY")) {
            try PrivateKey(pem: KeyTests.certified)
        }
        let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"
        #expect(throws: KeyFault.wrongBlock(expected: "PRIVATE KEY")) { try PrivateKey(pem: encrypted) }
        #expect(throws: KeyFault.unreadable) {
            try PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----")
        }
    }

    @Test("says what to do about each of its faults")
    func texts() {
        let faults: [KeyFault] = [
            .noBlock, .damagedBlock, .wrongBlock(expected: "PUBLIC KEY"), .unreadable, .wrongKind,
            .modulusSize(bits: 1_024), .weakExponent, .coordinateSize(byteCount: 31),
        ]
        #expect(Set(faults.map { "\($0)" }).count == faults.count)
        #expect(
            "\(KeyFault.modulusSize(bits: 1_024))" == "an RSA key of 1024 bits; it must have 2048 to 8192")
    }
}
