// What the command was asked to do.

/// The arguments, checked.
struct Arguments {
    /// What is to be done with the chosen benchmarks.
    enum Task: Equatable {
        case measure(Effort)
        case list
        case help
    }

    /// Why the arguments make no sense, for the person who typed them.
    struct Misuse: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var task = Task.measure(.full)
    /// Sizes beyond it are left out.
    private(set) var largestSize = Int.max
    private var names: [String] = []

    /// - Parameter known: every name given must be part of at least one of these.
    init(_ arguments: some Sequence<String>, names known: [String]) throws(Misuse) {
        for argument in arguments {
            switch argument {
            case _ where argument.hasPrefix("--up-to="): largestSize = try Arguments.size(argument)
            case "--tiny": task = .measure(.tiny)
            case "--list": task = .list
            case "--help", "-h": task = .help
            default:
                guard !argument.hasPrefix("-") else {
                    throw Misuse(description: "HearthBenchmarks: unknown option '\(argument)'")
                }
                guard known.contains(where: { $0.contains(argument) }) else {
                    throw Misuse(description: "HearthBenchmarks: no benchmark has '\(argument)' in its name")
                }
                names.append(argument)
            }
        }
    }

    private static func size(_ argument: String) throws(Misuse) -> Int {
        guard let size = Int(argument.dropFirst("--up-to=".count)), size > 0 else {
            throw Misuse(description: "HearthBenchmarks: '\(argument)' names no size")
        }
        return size
    }

    /// Whether a benchmark is to be run: all are if none was named.
    func chooses(_ name: String) -> Bool {
        names.isEmpty || names.contains { name.contains($0) }
    }
}
