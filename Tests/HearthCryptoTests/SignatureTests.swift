// Signatures against the vectors of RFC 7515 (appendix A), RFC 7520 (section 4) and RFC 4231.
import HearthCrypto
import Testing

@Suite("A signature")
struct SignatureTests {
    /// A key, what was signed, and the signature, all as their RFC prints them.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let key: [String]
        let signed: String
        let signature: String

        var testDescription: String { name }
    }

    private static let joe =
        ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let bilbo =
        ".SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0"
        + "aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91"
        + "IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4"

    static let rsa = [
        Vector(
            name: "RFC 7515 A.2",
            key: [
                "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4"
                    + "d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b3269"
                    + "0r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5"
                    + "z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg6"
                    + "65xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJ"
                    + "H7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
                "AQAB",
            ],
            signed: "eyJhbGciOiJSUzI1NiJ9" + joe,
            signature:
                "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5"
                + "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB"
                + "--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
                + "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC"
                + "-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QO"
                + "YEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"),
        Vector(
            name: "RFC 7520 4.1",
            key: [
                "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmS"
                    + "CpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC"
                    + "0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tp"
                    + "e-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3u"
                    + "hGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_"
                    + "vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw",
                "AQAB",
            ],
            signed:
                "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9" + bilbo,
            signature:
                "MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xugl"
                + "II7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-"
                + "XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x"
                + "8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3I"
                + "S_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE"
                + "_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg"),
    ]

    static let p256 = Vector(
        name: "RFC 7515 A.3",
        key: ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"],
        signed: "eyJhbGciOiJFUzI1NiJ9" + joe,
        signature:
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")

    private static func key(_ vector: Vector) throws -> PublicKey {
        let numbers = try vector.key.map { try Base64.url.decode($0) }
        return try vector.signature.utf8.count > 100
            ? PublicKey(modulus: numbers[0], exponent: numbers[1]) : PublicKey(x: numbers[0], y: numbers[1])
    }

    @Test("that an RFC prints is right, and no other", arguments: rsa + [p256])
    func published(vector: Vector) throws {
        let key = try SignatureTests.key(vector)
        let signed = Array(vector.signed.utf8)
        let signature = try Base64.url.decode(vector.signature)
        #expect(key.verifies(signature, of: signed))
        #expect(!key.verifies(signature, of: signed + [0]))
        #expect(!key.verifies(signature, of: Array(signed.dropLast())))
        #expect(!key.verifies([], of: signed))
        #expect(!key.verifies([0] + signature, of: signed))
        #expect(!key.verifies(signature + [0], of: signed))
        for index in stride(from: 0, to: signature.count, by: 7) {
            var wrong = signature
            wrong[index] ^= 1
            #expect(!key.verifies(wrong, of: signed), "byte \(index)")
        }
    }

    @Test(
        "by a secret is the one its RFC prints",
        arguments: [
            (
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
                "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9" + joe,
                "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
            ),
            (
                "hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg",
                "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9" + bilbo,
                "s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0"
            ),
        ])
    func secret(secret: String, signed: String, code: String) throws {
        let computed = HMACSHA256.code(for: Array(signed.utf8), secret: try Base64.url.decode(secret))
        #expect(Base64.url.encode(computed.bytes) == code)
    }

    @Test("by an empty, a short and a very long secret is right too")
    func secretLengths() {
        let empty = HMACSHA256.code(for: [], secret: [])
        #expect(empty.description == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        let short = HMACSHA256.code(
            for: Array("what do ya want for nothing?".utf8), secret: Array("Jefe".utf8))
        #expect(short.description == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = HMACSHA256.code(
            for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            secret: [UInt8](repeating: 0xAA, count: 131))
        #expect(long.description == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    /// n, the order of P-256: r and s lie between 0 and n.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    @Test("on P-256 with numbers out of range is wrong")
    func outOfRange() throws {
        let key = try SignatureTests.key(SignatureTests.p256)
        let signed = Array(SignatureTests.p256.signed.utf8)
        let good = try Base64.url.decode(SignatureTests.p256.signature)
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        for wrong in [zero, most, SignatureTests.order] {
            #expect(!key.verifies(wrong + good[32...], of: signed))
            #expect(!key.verifies(good[..<32] + wrong, of: signed))
            #expect(!key.verifies(wrong + wrong, of: signed))
        }
        let s = Array(good[32...])
        #expect(!key.verifies(Array(good[..<32]) + sum(s, SignatureTests.order), of: signed), "s + n")
    }

    /// The lower 32 bytes of a sum.
    private func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var carry = 0
        let digits = zip(left, right).reversed().map { pair -> UInt8 in
            let digit = Int(pair.0) + Int(pair.1) + carry
            carry = digit >> 8
            return UInt8(truncatingIfNeeded: digit)
        }
        return digits.reversed()
    }

    @Test("in the form that other programs write is wrong on P-256")
    func otherForm() throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEtk4jVv+fJdm0xOflzYq+pW7FSM4l
            zfEwoEhRyDfxB5rM2IRP7nJ/eT4p775kWMSAlOD+g1NlvBaufpYmy4u86w==
            -----END PUBLIC KEY-----
            """
        let key = try #require(try PublicKey.keys(inPEM: pem).first)
        let r = "c5273a7cca8054f2b6a04a6928d041dc3e882c9bd6607c9d2771dacc5bab89cc"
        let s = "732b3e2f51e5b9f504d6700eeef9bdedd90bee1461ca53c442ae04498007e7a6"
        let message = Array("lobby".utf8)
        #expect(key.verifies(bytes(r + s), of: message))
        #expect(!key.verifies(bytes("3045022100" + r + "0220" + s), of: message))
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    @Test("of a key that was just made is right for that key alone", arguments: SignatureAlgorithm.allCases)
    func made(algorithm: SignatureAlgorithm) throws {
        let (mine, other) = (PrivateKey.generate(algorithm), PrivateKey.generate(algorithm))
        let message = Array("/rooms/lobby/messages".utf8)
        for _ in 0..<4 {
            let signature = mine.sign(message)
            #expect(signature.count == (algorithm == .rs256 ? 256 : 64))
            #expect(mine.publicKey.verifies(signature, of: message))
            #expect(!other.publicKey.verifies(signature, of: message))
        }
        #expect(mine.publicKey.verifies(mine.sign([]), of: []))
        #expect(mine.publicKey.algorithm == algorithm)
    }
}
