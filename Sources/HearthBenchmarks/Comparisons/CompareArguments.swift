// What `HearthBenchmarks compare` was asked to do.

/// The arguments behind `compare`, checked.
struct CompareArguments {
    enum Task {
        case compare(Load)
        case list
        case help
    }

    private(set) var task: Task
    /// The rows to run, in the order of the table.
    private(set) var rows: [Comparison]

    init(_ arguments: some Sequence<String>, of all: [Comparison]) throws(Arguments.Misuse) {
        var isTiny = false
        var runCount: Int?
        var names: [String] = []
        var other: Task?
        for argument in arguments {
            switch argument {
            case _ where argument.hasPrefix("--runs="): runCount = try CompareArguments.count(argument)
            case "--tiny": isTiny = true
            case "--list": other = .list
            case "--help", "-h": other = .help
            default:
                guard !argument.hasPrefix("-") else {
                    throw Arguments.Misuse(description: "HearthBenchmarks: unknown option '\(argument)'")
                }
                guard all.contains(where: { $0.name.contains(argument) }) else {
                    throw Arguments.Misuse(
                        description: "HearthBenchmarks: no comparison has '\(argument)' in its name")
                }
                names.append(argument)
            }
        }
        task = other ?? .compare(Load(isTiny: isTiny, runCount: runCount))
        // A name that is one row's alone means that row, though others may contain it.
        rows = all.filter { row in
            names.isEmpty
                || names.contains { name in
                    all.contains { $0.name == name } ? row.name == name : row.name.contains(name)
                }
        }
    }

    private static func count(_ argument: String) throws(Arguments.Misuse) -> Int {
        guard let count = Int(argument.dropFirst("--runs=".count)), (1...1_000).contains(count) else {
            throw Arguments.Misuse(description: "HearthBenchmarks: '\(argument)' is no number of runs")
        }
        return count
    }
}
