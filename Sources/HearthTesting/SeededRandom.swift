// Chance that can be repeated: every random test draws from here and prints the seed it began with.
import Glibc

/// A small, fast generator whose whole future follows from its seed (SplitMix64, Steele, Lea and Flood 2014).
///
/// It is for tests and benchmarks only; nothing that must not be guessed may come from it.
/// Equal seeds give equal numbers on every machine and in every build.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at `seed`; every value, zero included, is a good one.
    public init(seed: UInt64) {
        state = seed
    }

    /// Begins at the seed that `seed(for:)` chooses for `name`, which is printed.
    public init(for name: String) {
        self.init(seed: SeededRandom.seed(for: name))
    }

    /// Returns the next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns `count` random bytes, for contents that must not compress or repeat.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Returns true once in `n` calls on average; `n` is at least 1.
    public mutating func oneIn(_ n: Int) -> Bool {
        Int.random(in: 0..<n, using: &self) == 0
    }

    /// Returns a generator that runs on independently of this one, for a second thread or a part that draws
    /// a varying number of times.
    public mutating func branch() -> SeededRandom {
        SeededRandom(seed: next())
    }

    /// Returns the seed for the test `name` and prints it with the way to repeat the run.
    ///
    /// Without the environment variable `HEARTH_SEED` it follows from the name, so that every run of the
    /// tests does the same; `HEARTH_SEED=fresh` draws another one each time, to look further; a number is
    /// taken as it is.
    ///
    /// - Precondition: `HEARTH_SEED`, where set, is `fresh` or a number from 0 to 2^64 - 1.
    public static func seed(for name: String) -> UInt64 {
        let seed = seed(for: name, setting: getenv("HEARTH_SEED").map { String(cString: $0) })
        print("\(name): seed \(seed) (repeat with HEARTH_SEED=\(seed))")
        return seed
    }

    /// The same for a given value of the variable, without printing.
    static func seed(for name: String, setting: String?) -> UInt64 {
        switch setting {
        case nil: return name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) } % 1_000_000_000
        case "fresh": return UInt64.random(in: 1..<1_000_000_000)
        case let text?:
            guard let seed = UInt64(text) else {
                preconditionFailure("HEARTH_SEED is '\(text)', not 'fresh' or a number from 0 to 2^64 - 1")
            }
            return seed
        }
    }
}
