// How much work one guess at a password takes.

/// The parameters of scrypt (RFC 7914 §2): how much memory and time one hash takes.
public struct PasswordCost: Hashable, Sendable {
    /// The binary logarithm of N: 10 to 20.
    public let logarithm: Int
    /// r: 1 to 32. A hash takes about 128 · N · r bytes of memory.
    public let blockSize: Int
    /// p: 1 to 16. A hash takes p times as long and no more memory.
    public let parallelism: Int

    /// 32 MiB and some 0.4 s of one core.
    public static let usual = PasswordCost(checked: 15, 8, 3)
    /// 1 MiB and some 4 ms, for emulators and tests, whose passwords are worth nothing.
    public static let light = PasswordCost(checked: 10, 8, 1)

    private init(checked logarithm: Int, _ blockSize: Int, _ parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Checks the parameters; nil for one out of range, or for more than 512 MiB.
    public init?(logarithm: Int, blockSize: Int, parallelism: Int) {
        guard 10...20 ~= logarithm, 1...32 ~= blockSize, 1...16 ~= parallelism,
            (128 * blockSize) << logarithm <= 512 << 20
        else { return nil }
        self.init(checked: logarithm, blockSize, parallelism)
    }

    /// Whether a hash at this cost resists less than one at `other`.
    public func isWeaker(than other: PasswordCost) -> Bool {
        work < other.work || logarithm < other.logarithm && blockSize <= other.blockSize
    }

    private var work: Int { (blockSize * parallelism) << logarithm }

    /// The most memory that OpenSSL may take: what is needed and a little more; it refuses beyond 32 MiB
    /// unless it is told.
    var memoryLimit: Int { 128 * blockSize * ((1 << logarithm) + parallelism + 2) + (1 << 20) }
}
