// The generator behind all random tests must itself be repeatable.
import Testing

@testable import HearthTesting

@Suite("Seeded chance")
struct SeededRandomTests {
    @Test("gives the published numbers of SplitMix64")
    func publishedNumbers() {
        var random = SeededRandom(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test("repeats itself from the same seed and differs from another")
    func repeats() {
        var first = SeededRandom(seed: 7)
        var second = SeededRandom(seed: 7)
        var other = SeededRandom(seed: 8)
        let drawn = first.bytes(64)
        #expect(drawn == second.bytes(64))
        #expect(drawn != other.bytes(64))
    }

    @Test("branches into a stream of its own")
    func branches() {
        var trunk = SeededRandom(seed: 7)
        var branch = trunk.branch()
        #expect(trunk.bytes(32) != branch.bytes(32))
    }

    @Test("says yes about once in n")
    func oneInTen() {
        var random = SeededRandom(seed: 99)
        let hits = (0..<10_000).count { _ in random.oneIn(10) }
        #expect((900...1_100).contains(hits))
    }

    @Test("takes its seed from the name, from the environment, or afresh")
    func seeds() {
        let usual = SeededRandom.seed(for: "torn write", setting: nil)
        #expect(usual == SeededRandom.seed(for: "torn write", setting: nil))
        #expect(usual != SeededRandom.seed(for: "torn writes", setting: nil))
        #expect(SeededRandom.seed(for: "torn write", setting: "18446744073709551615") == .max)
        let fresh = (0..<8).map { _ in SeededRandom.seed(for: "torn write", setting: "fresh") }
        #expect(Set(fresh).count > 1)
    }
}
