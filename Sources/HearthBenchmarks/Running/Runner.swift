// Measures: rounds until the figure is steady, the checksum of each compared.

/// Runs benchmarks one after the other, in this thread.
final class Runner {
    /// A round gave another result than the one before: what was measured is not what was meant.
    struct Unsteady: Error, CustomStringConvertible {
        let description: String
    }

    private static let minimumRoundCount = 7
    private static let minimumNanoseconds: Int64 = 300_000_000
    private static let tinySize = 200

    private let effort: Effort
    private let largestSize: Int
    private let chats = Chats()

    /// - Parameter largestSize: sizes beyond it are left out, but for the smallest of a benchmark.
    init(effort: Effort, largestSize: Int) {
        self.effort = effort
        self.largestSize = largestSize
    }

    /// Runs a benchmark at each of its sizes and reports each result when it is there.
    func run(_ benchmark: Benchmark, report: (Result) -> Void) throws {
        var smallest: Result?
        for size in sizes(of: benchmark) {
            let input = Input(size: size, operationCount: effort == .tiny ? 10 : 1_000, chats: chats)
            let result = try measure(benchmark, input, since: smallest)
            if smallest == nil { smallest = result }
            report(result)
        }
    }

    private func sizes(of benchmark: Benchmark) -> [Int] {
        guard effort == .full else { return [Self.tinySize] }
        let chosen = benchmark.sizes.filter { $0 <= largestSize }
        return chosen.isEmpty ? Array(benchmark.sizes.prefix(1)) : chosen
    }

    private func measure(_ benchmark: Benchmark, _ input: Input, since smallest: Result?) throws -> Result {
        let work = try benchmark.prepare(input)
        let rival = try benchmark.rival?.prepare(input)
        var rounds = Rounds(work)
        var rivalRounds = rival.map { Rounds($0) }
        repeat {
            try rounds.run(benchmark.name)
            try rivalRounds?.run(benchmark.name)
        } while effort == .full && !rounds.isSteady(Self.minimumRoundCount, Self.minimumNanoseconds)
        return Result(
            benchmark: benchmark, size: input.size, work: work, median: rounds.median, best: rounds.best,
            checksum: rounds.checksum, rivalMedian: rivalRounds?.median, smallest: smallest?.scale)
    }
}

/// The rounds of one piece of work so far.
private struct Rounds {
    private let work: Work
    private var nanoseconds: [Int64] = []
    private(set) var checksum: UInt64 = 0

    init(_ work: Work) {
        self.work = work
    }

    /// Does one more round; the first is done twice, since it alone finds caches cold.
    mutating func run(_ name: String) throws {
        if nanoseconds.isEmpty { checksum = try work.round() }
        let start = CPUClock.nanoseconds
        let found = try work.round()
        nanoseconds.append(CPUClock.nanoseconds - start)
        guard found == checksum else {
            throw Runner.Unsteady(description: "\(name): two rounds have different checksums")
        }
    }

    func isSteady(_ roundCount: Int, _ minimum: Int64) -> Bool {
        nanoseconds.count >= roundCount && nanoseconds.reduce(0, +) >= minimum
    }

    /// Nanoseconds per operation.
    var median: Double { Double(nanoseconds.sorted()[nanoseconds.count / 2]) / Double(work.operationCount) }
    var best: Double { Double(nanoseconds.min() ?? 0) / Double(work.operationCount) }
}
