// Push IDs: they ascend with time, and within one millisecond.
import HearthCore
import HearthTesting
import Testing

@Suite("A push ID")
struct PushIDTests {
    private let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    /// A generator whose numbers are all the same.
    private struct Constant: RandomNumberGenerator {
        let value: UInt64
        func next() -> UInt64 { value }
    }

    @Test("has 20 characters, the first eight of which are the time")
    func shape() {
        var random = SeededRandom(seed: 1)
        var ids = PushIDGenerator()
        let time: Int64 = 1_700_000_000_123
        let bytes = ids.next(at: time, using: &random).utf8Bytes
        #expect(bytes.count == 20)
        let digits = bytes.map { alphabet.firstIndex(of: $0) ?? -1 }
        #expect(digits.allSatisfy { $0 >= 0 })
        #expect(digits.prefix(8).reduce(0) { $0 * 64 + Int64($1) } == time)
    }

    @Test("ascends within a millisecond, over milliseconds, and when the clock goes back")
    func ascending() {
        var random = SeededRandom(for: "push IDs")
        var ids = PushIDGenerator()
        var time: Int64 = 1_700_000_000_000
        var last: Key?
        for _ in 0..<5_000 {
            time += [0, 0, 0, 1, 50, -20].randomElement(using: &random) ?? 0
            let id = ids.next(at: time, using: &random)
            if let last { #expect(last < id) }
            last = id
        }
    }

    @Test("carries over when the last digit is used up, at the end into the time")
    func carry() {
        // The greatest number makes every digit the last of the alphabet.
        var highest = Constant(value: .max)
        var ids = PushIDGenerator()
        let first = ids.next(at: 1_000, using: &highest)
        let second = ids.next(at: 1_000, using: &highest)
        let third = ids.next(at: 1_001, using: &highest)
        #expect(first.text.hasSuffix("zzzzzzzzzzzz"))
        #expect(second.text.hasSuffix("------------"))
        #expect(first < second && second < third)
        #expect(third.text.hasSuffix("-----------0"))
    }

    @Test("is no integer in the order of keys, so it comes after all of them")
    func order() throws {
        var random = SeededRandom(seed: 5)
        var ids = PushIDGenerator()
        #expect(try Key("2147483647") < ids.next(at: 0, using: &random))
    }
}
