// Password records: known answers, what is refused, and that nothing of a password is lost.
import HearthCrypto
import Testing

@Suite("A password record")
struct PasswordRecordTests {
    @Test("agrees with RFC 7914 §12")
    func knownAnswer() throws {
        // scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1), its first 32 bytes.
        let salt = Base64.url.encode(Array("SodiumChloride".utf8))
        let hash: [UInt8] = [
            0x70, 0x23, 0xbd, 0xcb, 0x3a, 0xfd, 0x73, 0x48, 0x46, 0x1c, 0x06, 0xcd, 0x81, 0xfd, 0x38, 0xeb,
            0xfd, 0xa8, 0xfb, 0xba, 0x90, 0x4f, 0x8e, 0x3e, 0xa9, 0xb5, 0x43, 0xf6, 0x54, 0x5d, 0xa1, 0xf2,
        ]
        let text = "$scrypt$ln=14,r=8,p=1$\(salt)$\(Base64.url.encode(hash))"
        let record = try #require(PasswordRecord(text: text))
        #expect(record.matches("pleaseletmein"))
        #expect(!record.matches("pleaseletmeIn"))
        #expect(record.text == text)
    }

    @Test("matches exactly the password it was made of", arguments: ["", "geheim", "pässwörd 🔑"])
    func matching(password: String) throws {
        let record = PasswordRecord(of: password, cost: .light)
        let read = try #require(PasswordRecord(text: record.text))
        #expect(read == record && read.matches(password))
        for other in [password + " ", " " + password, password + "\u{0}", password.uppercased() + "x"] {
            #expect(!read.matches(other))
        }
    }

    @Test("counts every byte of a long password")
    func long() {
        let password = String(repeating: "x", count: 4_096)
        let record = PasswordRecord(of: password, cost: .light)
        #expect(record.matches(password) && !record.matches(String(password.dropLast()) + "y"))
    }

    @Test("never has the same salt twice, and shows neither salt nor hash")
    func salt() {
        let records = (0..<8).map { _ in PasswordRecord(of: "geheim", cost: .light) }
        #expect(Set(records.map(\.text)).count == 8)
        #expect("\(records[0])" == "a password record")
        #expect(String(reflecting: records[0]) == "a password record")
    }

    @Test(
        "is refused when it is none",
        arguments: [
            "", "$", "$$$$", "scrypt$ln=10,r=8,p=1$AA$AA", "$scrypt$ln=10,r=8$AA$AA",
            "$scrypt$ln=9,r=8,p=1$AA$" + String(repeating: "A", count: 43),
            "$scrypt$ln=20,r=32,p=1$AA$" + String(repeating: "A", count: 43),
            "$scrypt$ln=10,r=8,p=1$AA$AAAA", "$scrypt$ln=10,r=8,p=1$A$" + String(repeating: "A", count: 43),
            "$bcrypt$ln=10,r=8,p=1$AA$" + String(repeating: "A", count: 43),
            "$scrypt$ln=10,r=8,p=1$AA$" + String(repeating: "A", count: 43) + "$",
        ])
    func refused(text: String) {
        #expect(PasswordRecord(text: text) == nil)
    }

    @Test("knows whether its cost is below another")
    func weaker() throws {
        let middle = try #require(PasswordCost(logarithm: 15, blockSize: 8, parallelism: 1))
        #expect(PasswordCost.light.isWeaker(than: .usual) && middle.isWeaker(than: .usual))
        #expect(!PasswordCost.usual.isWeaker(than: middle) && !PasswordCost.usual.isWeaker(than: .usual))
        #expect(PasswordCost(logarithm: 21, blockSize: 8, parallelism: 1) == nil)
        #expect(PasswordCost(logarithm: 10, blockSize: 0, parallelism: 1) == nil)
    }
}
