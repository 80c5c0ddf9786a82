// SHA-256 against the examples that its standard and NIST publish.
import HearthCrypto
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    private static let published: [(String, String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]

    @Test("gives the published digest of a text", arguments: published)
    func publishedText(text: String, hex: String) {
        #expect(SHA256.digest(of: text).description == hex)
        #expect(SHA256.digest(of: Array(text.utf8)).description == hex)
    }

    @Test("gives the published digest of a million letters, fed in uneven pieces")
    func millionLetters() {
        var hash = SHA256()
        var left = 1_000_000
        var length = 1
        while left > 0 {
            let piece = min(length, left)
            hash.update([UInt8](repeating: UInt8(ascii: "a"), count: piece))
            left -= piece
            length = length % 997 + 61
        }
        let hex = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(hash.finish().description == hex)
    }

    @Test("does not care where its input is cut")
    func cuts() {
        let bytes = (0..<200).map { UInt8($0) }
        let whole = SHA256.digest(of: bytes)
        for cut in 0...bytes.count {
            var hash = SHA256()
            hash.update(Array(bytes[..<cut]))
            hash.update(Array(bytes[cut...]))
            #expect(hash.finish() == whole, "cut at \(cut)")
        }
    }

    @Test("takes texts and bytes alike")
    func textsAndBytes() {
        var hash = SHA256()
        hash.update("grüße, ")
        hash.update(Array("bob".utf8))
        #expect(hash.finish() == SHA256.digest(of: "grüße, bob"))
    }

    @Test("keeps computations apart that run side by side")
    func sideBySide() {
        var first = SHA256()
        var second = SHA256()
        first.update("ann")
        second.update("bob")
        first.update("!")
        #expect(first.finish() == SHA256.digest(of: "ann!"))
        #expect(second.finish() == SHA256.digest(of: "bob"))
    }
}

@Suite("A digest")
struct DigestTests {
    @Test("comes back from its bytes")
    func roundTrip() {
        let digest = SHA256.digest(of: "lobby")
        #expect(digest.bytes.count == SHA256.Digest.byteCount)
        #expect(SHA256.Digest(bytes: digest.bytes) == digest)
        #expect(digest.hashValue == SHA256.Digest(bytes: digest.bytes)?.hashValue)
    }

    @Test("is not made of fewer or more than 32 bytes", arguments: [0, 31, 33])
    func wrongCount(count: Int) {
        #expect(SHA256.Digest(bytes: [UInt8](repeating: 7, count: count)) == nil)
    }

    @Test("differs from one that differs in a single byte", arguments: [0, 7, 8, 15, 16, 23, 24, 31])
    func oneByte(index: Int) throws {
        let digest = SHA256.digest(of: "lobby")
        var bytes = digest.bytes
        bytes[index] ^= 1
        let other = try #require(SHA256.Digest(bytes: bytes))
        #expect(digest != other)
        #expect(!constantTimeEqual(digest, other))
    }
}
