// Where the numbers come from: the machine, and the versions of what was compared.
import Glibc

/// What is said above the table.
enum Machine {
    /// One sentence.
    static func description(peers: [Peer], _ load: Load) -> String {
        let present = [.itself] + peers.filter { $0 != .itself && $0.whatIsMissing == nil }
        let versions = present.compactMap(\.version)
        let runs =
            load.runCount == 1 ? "one run of each side" : "medians of \(load.runCount) interleaved runs"
        let warning = load.isTiny ? "; tiny, so that the numbers mean nothing" : ""
        return """
            \(Now.date), \(processorCount) × \(processor), Linux \(kernel); \
            \(versions.joined(separator: ", "))\(build); \(runs)\(warning).

            """
    }

    #if DEBUG
        private static let build = ", a debug build"
    #else
        private static let build = ""
    #endif

    private static var processorCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    private static var processor: String {
        // The name is for the reader alone.
        let text = (try? TextFile.read("/proc/cpuinfo")) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "processor"
    }

    private static var kernel: String {
        // The same.
        let text = (try? TextFile.read("/proc/sys/kernel/osrelease")) ?? "?"
        return String(text.prefix { $0 != "\n" && $0 != "-" })
    }
}
