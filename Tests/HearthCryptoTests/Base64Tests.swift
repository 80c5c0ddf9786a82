// Base64 against the vectors of RFC 4648 and its rules about what is no base64.
import HearthCrypto
import Testing

@Suite("Base64")
struct Base64Tests {
    private static let vectors = [
        ("", "", ""), ("f", "Zg==", "Zg"), ("fo", "Zm8=", "Zm8"), ("foo", "Zm9v", "Zm9v"),
        ("foob", "Zm9vYg==", "Zm9vYg"), ("fooba", "Zm9vYmE=", "Zm9vYmE"), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
    ]

    @Test("gives the texts of the standard", arguments: vectors)
    func encodes(plain: String, standard: String, url: String) throws {
        let bytes = Array(plain.utf8)
        #expect(Base64.standard.encode(bytes) == standard)
        #expect(Base64.url.encode(bytes) == url)
        #expect(try Base64.standard.decode(standard) == bytes)
        #expect(try Base64.url.decode(url) == bytes)
    }

    @Test("uses both alphabets' own letters")
    func alphabets() throws {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF]
        #expect(Base64.standard.encode(bytes) == "++++////")
        #expect(Base64.url.encode(bytes) == "----____")
        #expect(try Base64.standard.decode("++++////") == bytes)
        #expect(try Base64.url.decode("----____") == bytes)
    }

    @Test("brings back every byte at every length", arguments: [Base64.standard, .url])
    func roundTrip(alphabet: Base64) throws {
        let bytes = (0..<256).map { UInt8($0) }
        for count in 0...256 {
            let part = Array(bytes[..<count])
            #expect(try alphabet.decode(alphabet.encode(part)) == part)
        }
    }

    @Test(
        "refuses what is no standard base64, with the reason",
        arguments: [
            ("Zg", Base64Error.impossibleLength(letterCount: 2)),
            ("Zg=", .impossibleLength(letterCount: 3)),
            ("Z===", .foreignCharacter(byteOffset: 1)),
            ("====", .foreignCharacter(byteOffset: 0)),
            ("Zg==Zg==", .foreignCharacter(byteOffset: 2)),
            ("Zm-v", .foreignCharacter(byteOffset: 2)),
            ("Zm9 ", .foreignCharacter(byteOffset: 3)),
            ("Zm9\n", .foreignCharacter(byteOffset: 3)),
            ("Zh==", .strayBits),
            ("Zm9=", .strayBits),
        ])
    func refusesStandard(text: String, reason: Base64Error) {
        #expect(throws: reason) { try Base64.standard.decode(text) }
    }

    @Test(
        "refuses what is no base64 for addresses, with the reason",
        arguments: [
            ("Z", Base64Error.impossibleLength(letterCount: 1)),
            ("Zm9vY", .impossibleLength(letterCount: 5)),
            ("Zg==", .foreignCharacter(byteOffset: 2)),
            ("Zm+v", .foreignCharacter(byteOffset: 2)),
            ("Zmé", .foreignCharacter(byteOffset: 2)),
            ("Zh", .strayBits),
        ])
    func refusesURL(text: String, reason: Base64Error) {
        #expect(throws: reason) { try Base64.url.decode(text) }
    }

    @Test("explains a fault without repeating the text")
    func explains() {
        #expect(
            Base64Error.foreignCharacter(byteOffset: 3).description
                == "the character at byte 3 does not belong to this base64 alphabet")
        #expect(
            Base64Error.impossibleLength(letterCount: 5).description
                == "5 characters cannot be base64; the text may be cut off or its padding missing")
        #expect(
            Base64Error.strayBits.description
                == "the last character carries bits beyond the last byte; the text may be cut off")
    }
}
