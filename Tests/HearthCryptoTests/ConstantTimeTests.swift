// The comparison of secrets must be right before it is even.
import HearthCrypto
import Testing

@Suite("The comparison in constant time")
struct ConstantTimeTests {
    @Test("agrees with plain comparison", arguments: ["", "a", "owner", "a long secret of many words"])
    func agrees(secret: String) {
        let bytes = Array(secret.utf8)
        #expect(constantTimeEqual(bytes, bytes))
        #expect(!constantTimeEqual(bytes, bytes + [0]))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(!constantTimeEqual(bytes, other), "differs at \(index)")
            #expect(!constantTimeEqual(other, bytes), "differs at \(index)")
        }
    }

    @Test("tells digests apart")
    func digests() {
        #expect(constantTimeEqual(SHA256.digest(of: "owner"), SHA256.digest(of: "owner")))
        #expect(!constantTimeEqual(SHA256.digest(of: "owner"), SHA256.digest(of: "Owner")))
    }
}
