// The command that holds Hearth against other programs, side by side.
import Glibc

/// `HearthBenchmarks compare [--runs=N] [--tiny] [--list] [ROW …]`
enum CompareProgram {
    static let help = """
        usage: HearthBenchmarks compare [--runs=N] [--tiny] [--list] [ROW ...]

        Gives the same work to Hearth and to nginx, nchan, Redis or Node in turns, and prints a table in
        Markdown: medians, the ratio within each pair of runs (its median and range), and the target.
        Processor time is the server's alone, from the kernel's account of its threads; in the lines of
        requests the ratio says how many Hearth answers in the time that the other takes for one.

        The servers are started for each row, on loopback ports and in temporary folders, with one loop or
        worker unless the row says otherwise. Hearth is the program beside this one; build both:
        swift build -c release --product hearth; swift build -c release --product HearthBenchmarks
        The others are Debian's: apt-get install nginx libnginx-mod-nchan redis-server nodejs. A row whose
        program is missing is skipped, with the reason.

          ROW     only the rows with this name, or with this text in their name; several add up
          --runs  how often each side runs, in turns; 5 if not given
          --tiny  each row once, with little load, so that a test can run them all
          --list  the names of the rows, and nothing else

        """

    /// In the order in which they run.
    static let comparisons =
        Comparison.requests + Comparison.pushes + Comparison.fanOuts + Comparison.idleListeners
        + Comparison.starts + Comparison.largeTrees

    /// Does what the arguments say.
    ///
    /// - Returns: whether all rows that could be run were.
    static func run(_ words: some Sequence<String>) throws -> Bool {
        let arguments = try CompareArguments(words, of: comparisons)
        switch arguments.task {
        case .help: BenchmarkProgram.write(help, to: STDOUT_FILENO)
        case .list:
            for row in arguments.rows { BenchmarkProgram.write(row.name + "\n", to: STDOUT_FILENO) }
        case .compare(let load): return compare(arguments.rows, load)
        }
        return true
    }

    private static func compare(_ rows: [Comparison], _ load: Load) -> Bool {
        Leftovers.clearWhenInterrupted()
        raiseDescriptorLimit()
        defer { Leftovers.clear() }
        let peers = Peer.allCases.filter { peer in rows.contains { $0.peer == peer } }
        BenchmarkProgram.write(Machine.description(peers: peers, load) + "\n", to: STDOUT_FILENO)
        Leftovers.clear()
        BenchmarkProgram.write(ComparisonTable.head, to: STDOUT_FILENO)
        var isComplete = true
        for row in rows {
            defer { Leftovers.clear() }
            if let reason = row.peer.whatIsMissing {
                BenchmarkProgram.write(ComparisonTable.line(row, skipped: reason), to: STDOUT_FILENO)
                continue
            }
            do {
                let pairs = try measure(row, load)
                for (figure, pairs) in zip(row.figures, pairs) {
                    BenchmarkProgram.write(ComparisonTable.line(row, figure, pairs), to: STDOUT_FILENO)
                }
            } catch {
                BenchmarkProgram.write("\(row.name): \(error)\n", to: STDERR_FILENO)
                isComplete = false
            }
        }
        return isComplete
    }

    /// Runs both sides in turns; which goes first changes from pair to pair.
    private static func measure(_ row: Comparison, _ load: Load) throws -> [Pairs] {
        let sides = try row.prepare(load)
        var all = Array(repeating: Pairs(), count: row.figures.count)
        for run in 0..<load.runCount {
            BenchmarkProgram.write("\(row.name): run \(run + 1) of \(load.runCount)\n", to: STDERR_FILENO)
            let early = run.isMultiple(of: 2) ? nil : try sides.peer?(run)
            let hearth = try sides.hearth(run)
            let peer = try early ?? sides.peer?(run)
            for index in all.indices { all[index].add(hearth: hearth[index], peer: peer?[index]) }
        }
        return all
    }

    /// Ten thousand listeners need as many descriptors here as in a server.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
