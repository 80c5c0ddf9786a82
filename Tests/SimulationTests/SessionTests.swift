// Sessions of the realtime protocol that are cut at random, on the simulated disk, network and clock.
import Foundation
import HearthCore
import HearthTesting
import Testing

@Suite("Sessions that are cut at random")
struct SessionTests {
    /// How many seeds are played: `HEARTH_SEEDS`.
    private static var seedCount: UInt64 {
        ProcessInfo.processInfo.environment["HEARTH_SEEDS"].flatMap { UInt64($0) } ?? 20
    }

    static func play(_ seed: UInt64) -> Record { Stage(seed: seed) { $0.becomeSessions() }.play() }

    @Test(
        "are whole again when they come back, and each has left exactly once what it left",
        .timeLimit(.minutes(600)))
    func whole() {
        let first = SeededRandom.seed(for: "sessions cut at random")
        var (sessionCount, crossingCount, pushCount, crashCount) = (0, 0, 0, 0)
        for seed in first..<first + SessionTests.seedCount {
            let record = SessionTests.play(seed)
            sessionCount += record.sessionCount
            crossingCount += record.crossingCount
            pushCount += record.pushCount
            crashCount += record.crashCount
            guard let violation = record.violation else { continue }
            print(record.story)
            Issue.record("seed \(seed): \(violation)")
            return
        }
        print(
            "sessions: \(sessionCount), \(crossingCount) gone over, \(pushCount) pushes, "
                + "\(crashCount) crashes")
        #expect(sessionCount > 10 * SessionTests.seedCount && pushCount > 40 * SessionTests.seedCount)
        // A few plays may have none.
        #expect(SessionTests.seedCount < 20 || crossingCount > SessionTests.seedCount / 4)
    }
}
