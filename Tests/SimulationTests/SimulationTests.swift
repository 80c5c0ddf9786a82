// Many simulations, each from its seed, and the mistakes that they must notice.
import Foundation
import HearthCore
import HearthTesting
import Testing

@Suite("A simulation")
struct SimulationTests {
    /// How many seeds are played: `HEARTH_SEEDS`.
    private static var seedCount: UInt64 {
        ProcessInfo.processInfo.environment["HEARTH_SEEDS"].flatMap { UInt64($0) } ?? 200
    }

    @Test("keeps every promise, whatever goes wrong", .timeLimit(.minutes(600)))
    func promises() {
        let first = SeededRandom.seed(for: "simulation")
        let begin = ContinuousClock.now
        var total = Totals()
        for seed in first..<first + SimulationTests.seedCount {
            let record = Stage(seed: seed).play()
            total.add(record)
            guard let violation = record.violation else { continue }
            print(record.story)
            Issue.record(
                """
                seed \(seed): \(violation)
                play it alone: HEARTH_SEED=\(seed) HEARTH_SEEDS=1 .ci/simulate
                """)
            return
        }
        print("simulation: \(total), \(ContinuousClock.now - begin)")
        #expect(total.commitCount > 10 * total.seedCount && total.eventCount > 10 * total.seedCount)
    }

    @Test("plays the same from the same seed")
    func sameAgain() {
        for seed in UInt64(1)...6 {
            let first = Stage(seed: seed).play()
            let second = Stage(seed: seed).play()
            #expect(first.digest == second.digest && first.stepCount == second.stepCount, "seed \(seed)")
        }
    }

    #if DEBUG
        /// The seeds that are tried until one sees a mistake; `HEARTH_SEED` names one to be played alone.
        private static var plantedSeeds: ClosedRange<UInt64> {
            let given = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap { UInt64($0) }
            return given.map { $0...$0 } ?? 1...600
        }

        /// Seen by few seeds in thousands: they are tried when `HEARTH_SEEDS` asks for a long run.
        private static let rare: Set<PlantedFault> = [.reusesSegmentTooEarly, .resumesOverChangedPermission]

        private static var usual: [PlantedFault] {
            let isLong = ProcessInfo.processInfo.environment["HEARTH_SEEDS"] != nil
            return PlantedFault.allCases.filter { isLong || !rare.contains($0) }
        }

        @Test("sees a mistake that is made on purpose", arguments: usual)
        func planted(fault: PlantedFault) {
            PlantedFault.$planted.withValue(fault) {
                for seed in SimulationTests.plantedSeeds {
                    let record = Stage(seed: seed).play()
                    guard let violation = record.violation else { continue }
                    if SimulationTests.plantedSeeds.count == 1 { print(record.story) }
                    let reason = violation.description.prefix(160)
                    print("planted: \(fault.rawValue) is seen by seed \(seed): \(reason)")
                    return
                }
                Issue.record("nobody has noticed that the server \(fault.rawValue)")
            }
        }
    #endif
}

/// What many simulations came to.
private struct Totals: CustomStringConvertible {
    private(set) var seedCount = 0
    private(set) var commitCount = 0
    private(set) var eventCount = 0
    private var acknowledgedCount = 0
    private var crashCount = 0
    private var stepCount = 0

    mutating func add(_ record: Record) {
        seedCount += 1
        commitCount += record.commitCount
        eventCount += record.eventCount
        acknowledgedCount += record.acknowledgedCount
        crashCount += record.crashCount
        stepCount += record.stepCount
    }

    var description: String {
        "\(seedCount) seeds, \(stepCount) steps, \(commitCount) commits, \(acknowledgedCount) acknowledged, "
            + "\(eventCount) events and answers to followers, \(crashCount) crashes"
    }
}
