// The command: chooses the benchmarks, runs them, prints a line for each result.
import Glibc

/// `HearthBenchmarks [--tiny] [--list] [--up-to=SIZE] [NAME …]`, or `HearthBenchmarks compare …`.
enum BenchmarkProgram {
    static let help = """
        usage: HearthBenchmarks [--tiny] [--list] [--up-to=SIZE] [NAME ...]

        Runs every benchmark at every size and prints one line per result: nanoseconds of CPU time per
        operation (median of the rounds, and the best one), growth since the smallest size, and a checksum
        that depends on the seed and nothing else. "over" marks a result that is beyond its bound.

          NAME     only the benchmarks whose name contains this text; several names add up
          --up-to  leaves larger sizes out, but never a benchmark's smallest
          --tiny   each benchmark once with little input, so that a test can run them all
          --list   the names, and nothing else

        Build it with: swift build -c release --product HearthBenchmarks

        HearthBenchmarks compare holds Hearth against nginx, nchan and Redis; see compare --help.

        """

    /// In the order in which they run.
    static let benchmarks =
        Benchmark.addresses + Benchmark.nodes + Benchmark.json + Benchmark.windows + Benchmark.writes
        + Benchmark.views + Benchmark.rules + Benchmark.journal

    /// Does what the process's arguments say, then ends it: 0 done, 1 failed, 2 misused.
    static func run() -> Never {
        do {
            if CommandLine.arguments.dropFirst().first == "compare" {
                exit(try CompareProgram.run(CommandLine.arguments.dropFirst(2)) ? 0 : 1)
            }
            if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "send",
                let port = UInt16(CommandLine.arguments[2])
            {
                try SendingFloor.run(port: port)
            }
            let arguments = try Arguments(CommandLine.arguments.dropFirst(), names: benchmarks.map(\.name))
            try run(arguments)
            exit(0)
        } catch let error as Arguments.Misuse {
            write(error.description + "\n" + help, to: STDERR_FILENO)
            exit(2)
        } catch {
            write("HearthBenchmarks: \(error)\n", to: STDERR_FILENO)
            exit(1)
        }
    }

    private static func run(_ arguments: Arguments) throws {
        let chosen = benchmarks.filter { arguments.chooses($0.name) }
        switch arguments.task {
        case .help: write(help, to: STDOUT_FILENO)
        case .list: for benchmark in chosen { write(benchmark.name + "\n", to: STDOUT_FILENO) }
        case .measure(let effort):
            let runner = Runner(effort: effort, largestSize: arguments.largestSize)
            for benchmark in chosen {
                try runner.run(benchmark) { write($0.line + "\n", to: STDOUT_FILENO) }
            }
        }
    }

    /// Writes at once, so that a line is seen when it is measured. A reader that has gone ends the run.
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { exit(1) }
            rest = rest.dropFirst(count)
        }
    }
}
