// What one seed decides beforehand: how the server is set, who is there, and how bad it gets.
import HearthTesting

@testable import HearthServer

/// The circumstances of one simulation.
struct Plan {
    var loopCount: Int
    var segmentBytes: Int
    var checkpointBytes: Int
    var historyBytes: Int
    /// Whether the administrator has the past dropped now and then.
    var mayPurge: Bool
    /// Whether clients of the realtime protocol play, and no others follow.
    var hasSessionsAlone = false
    /// After which time a silent client of the realtime protocol is taken to be gone.
    let patience = Duration.seconds(2)
    /// How many steps clients write.
    var stepCount: Int
    /// How often things go wrong: once in so many steps, or calls to the disk; nil for never.
    var cutOdds: Int?
    var crashOdds: Int?
    var diskOdds: Int?
    var clockOdds: Int?

    /// Which of the calls that change something on the disk fail, counted from the first: true as on a full
    /// disk.
    var diskFailures: [Int: Bool] = [:]
    /// Which of the server's calls on sockets fail, and with which error; `Plan.short` sends one byte alone.
    var socketFailures: [Int: Int32] = [:]

    /// Stands for a call that does less than it was asked to.
    static let short: Int32 = -1

    init(using random: inout SeededRandom) {
        loopCount = Int.random(in: 1...2, using: &random)
        segmentBytes = [8_192, 16_384][Int.random(in: 0..<2, using: &random)]
        checkpointBytes = [12_000, 40_000][Int.random(in: 0..<2, using: &random)]
        historyBytes = random.oneIn(3) ? 4_000 : 64 << 20
        mayPurge = random.oneIn(4)
        stepCount = Int.random(in: 300...1_200, using: &random)
        cutOdds = random.oneIn(3) ? nil : Int.random(in: 40...300, using: &random)
        crashOdds = random.oneIn(3) ? nil : Int.random(in: 40...400, using: &random)
        diskOdds = random.oneIn(2) ? nil : Int.random(in: 60...300, using: &random)
        clockOdds = random.oneIn(2) ? nil : Int.random(in: 50...200, using: &random)
    }

    /// Whether cursors are good for as long as rules stay: history is never cut.
    var keepsHistory: Bool { historyBytes > 1 << 20 && !mayPurge }

    /// Nothing goes wrong by chance, and only a little is played.
    mutating func becomeQuiet(stepCount: Int) {
        (cutOdds, crashOdds, diskOdds, clockOdds) = (nil, nil, nil, nil)
        (mayPurge, historyBytes) = (false, 64 << 20)
        self.stepCount = stepCount
    }

    /// Sessions alone are played, for longer, and are cut often.
    mutating func becomeSessions() {
        hasSessionsAlone = true
        mayPurge = false
        diskOdds = nil
        cutOdds = (cutOdds ?? 160) / 2
        stepCount += 600
    }

    func configuration(_ log: Log) -> Configuration {
        var configuration = Configuration()
        configuration.storage = .directory("/data")
        configuration.loopCount = loopCount
        configuration.segmentBytes = segmentBytes
        configuration.checkpointBytes = checkpointBytes
        configuration.historyByteLimit = historyBytes
        configuration.limits.inlineBytes = 3_000
        configuration.limits.memoryBytes = 1 << 30
        configuration.timeouts.realtime = patience
        configuration.log = log
        return configuration
    }
}

/// Memory of which there is always enough.
struct AmpleMemory: MemoryGauge {
    var residentBytes: Int? { 1 }
    func trim() {}
}
