// What a server stands on: the machine, or a simulation of one.
import HearthCrypto
import HearthStorage

/// Everything that a server does not decide itself: time, memory, files, chance, threads and its own end.
struct Outside: Sendable {
    var clock: any Clock = WallClock()
    var memory: any MemoryGauge = ProcessMemory()
    /// The directory with that path.
    var disk: @Sendable (String) -> any Disk = { SystemDisk($0) }
    /// A generator that nobody else draws from.
    var randomness: @Sendable () -> Randomness = { Randomness() }
    /// The administrator's token; nil where its file is to be read or made.
    var adminToken: String?
    /// How many threads do what would hold up a loop; with none somebody calls `Workers.runNext()`.
    var workerCount = 2
    /// Makes turns of the journal until nothing is left to do; nil where a thread does.
    var journalTurns: (@Sendable () -> Void)?
    /// Ends the process, whose disk cannot be trusted any more. Whoever calls it leaves things as they are.
    var end: @Sendable (StorageFailure, Log) -> Void = { Fatal.stop($0, $1) }
}

/// Random numbers that nobody can guess, or a simulation's.
struct Randomness: RandomNumberGenerator, Sendable {
    private var secure = SecureRandom()
    private var given: (any RandomNumberGenerator & Sendable)?

    /// Draws from the system unless it is given a generator.
    init(_ given: (any RandomNumberGenerator & Sendable)? = nil) {
        self.given = given
    }

    mutating func next() -> UInt64 {
        given?.next() ?? secure.next()
    }
}
