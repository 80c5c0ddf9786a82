// Randomness cannot be proved, but the ways in which it is commonly broken can be seen.
import HearthCrypto
import Testing

@Suite("Secure randomness")
struct SecureRandomTests {
    @Test("gives as many bytes as asked for", arguments: [0, 1, 7, 16, 32, 100_000])
    func count(count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
    }

    @Test("never gives the same 16 bytes twice")
    func distinct() {
        let drawn = Set((0..<2_000).map { _ in SecureRandom.bytes(16) })
        #expect(drawn.count == 2_000)
    }

    @Test("fills every byte with every value")
    func spread() {
        // 256 values × 256 expected hits; a fair source leaves 150...370 with a chance below one in 10^9.
        var hits = [Int](repeating: 0, count: 256)
        for byte in SecureRandom.bytes(65_536) { hits[Int(byte)] += 1 }
        #expect(hits.allSatisfy { (150...370).contains($0) })
    }

    @Test("never gives the same word twice, not to copies of a generator either")
    func copies() async {
        var first = SecureRandom()
        var second = first
        var words = Set<UInt64>()
        for _ in 0..<500 {
            words.insert(first.next())
            words.insert(second.next())
        }
        let shared = first
        let others = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var copy = shared
                    return (0..<1_000).map { _ in copy.next() }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(words.union(others).count == 5_000)
    }

    @Test("serves as a generator of numbers")
    func numbers() {
        var random = SecureRandom()
        let words = Set((0..<1_000).map { _ in random.next() })
        #expect(words.count == 1_000)
        #expect((0..<64).allSatisfy { bit in words.contains { $0 >> UInt64(bit) & 1 == 1 } })
    }
}
