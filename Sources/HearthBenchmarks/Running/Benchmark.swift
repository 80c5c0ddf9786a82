// What a benchmark is: a name, sizes, and how to get ready for one of them.
import HearthTesting

/// One curve: the same work at several sizes.
struct Benchmark: Sendable {
    /// Gets everything ready for a size, outside the time that is measured.
    typealias Preparation = @Sendable (Input) throws -> Work

    /// `subject/what`, in small letters.
    let name: String
    /// How many children, views or commits there are; ascending.
    let sizes: [Int]
    /// How many times the smallest size's time the largest size's may be; nil where nothing is promised.
    let growthLimit: Double?
    /// What this is held against, in alternating rounds; nil for most.
    let rival: Rival?
    let prepare: Preparation

    /// The same work done more simply.
    struct Rival: Sendable {
        /// How the ratio is called in the result: `NAME of this one's time to that of …`.
        let name: String
        /// How many times the rival's time this may take.
        let limit: Double?
        let prepare: Preparation
    }

    static let decades = [100, 1_000, 10_000, 100_000, 1_000_000]

    init(
        _ name: String, sizes: [Int] = decades, growthLimit: Double? = nil, against rival: Rival? = nil,
        prepare: @escaping Preparation
    ) {
        self.name = name
        self.sizes = sizes
        self.growthLimit = growthLimit
        self.rival = rival
        self.prepare = prepare
    }
}

/// How much is done.
enum Effort: Equatable {
    /// All sizes, as many rounds as a steady figure needs.
    case full
    /// One small size, one round: whether it works.
    case tiny
}

/// What a benchmark gets ready from.
struct Input {
    let size: Int
    /// How many operations a round should have, where it is not given by the size.
    let operationCount: Int
    /// Data that benchmarks share, made when it is first asked for.
    let chats: Chats

    /// Chance for this benchmark: the same in every run.
    var random: SeededRandom { SeededRandom(seed: UInt64(size)) }
}

/// What is measured: it can be done any number of times and has the same result each time.
struct Work {
    /// How many operations a round is.
    let operationCount: Int
    /// How many bytes a round reads or writes; 0 if bytes are not what it is about.
    let byteCount: Int
    /// Does a round and returns a checksum of what came out.
    let round: () throws -> UInt64

    init(operations: Int, bytes: Int = 0, round: @escaping () throws -> UInt64) {
        operationCount = operations
        byteCount = bytes
        self.round = round
    }
}
