// The promise of an acknowledgement, tried out: clients write while their server is killed.
import Foundation
import HearthTesting
import Testing

@Suite("What was acknowledged")
struct LedgerTests {
    /// `HEARTH_KILLS` runs longer.
    private static var killCount: Int {
        ProcessInfo.processInfo.environment["HEARTH_KILLS"].flatMap { Int($0) } ?? 100
    }

    @Test(
        "is there after any number of kills, restores in between, whole, and told to a follower once",
        .timeLimit(.minutes(60)))
    func survives() async throws {
        let killCount = LedgerTests.killCount
        let random = SeededRandom(for: "ledger")
        let begin = ContinuousClock.now
        // The run waits for processes; on a thread of its own it keeps no other test from running.
        let result: Result<Findings, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try Run(killCount: killCount).play(random) })
            }
        }
        let findings = try result.get()
        print(
            "ledger: \(killCount) kills, \(findings.acknowledgedCount) writes acknowledged,",
            "\(findings.childCount) children, \(findings.checkpointCount) checkpoints begun,",
            "\(findings.segmentCount) segments, \(findings.restoreCount) restores,",
            "\(findings.followedServerCount) servers followed, \(ContinuousClock.now - begin)")
        #expect(findings.faults.isEmpty, "\(findings.faults.prefix(10).joined(separator: "\n"))")
        #expect(findings.acknowledgedCount >= killCount * 5)
        #expect(findings.followedServerCount >= killCount / 5)
        #expect(findings.checkpointCount >= killCount / 20)
        #expect(findings.segmentCount > findings.restoreCount && findings.restoreCount >= killCount / 50)
    }
}
