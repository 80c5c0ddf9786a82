// What a server costs: its processor time and its memory, as the kernel counts them.
import Glibc

/// Reads what the processes of one group have used; a server's workers are in its group.
struct ProcessCost {
    private let processes: [pid_t]

    /// Finds the processes that are in the group now.
    init(group: pid_t) {
        let all = TextFile.names(in: "/proc").compactMap { pid_t($0) }
        processes = all.filter { getpgid($0) == group }
    }

    /// Nanoseconds of processor time of all threads that live now.
    var nanoseconds: UInt64 {
        processes.reduce(0) { sum, process in
            let tasks = "/proc/\(process)/task"
            return TextFile.names(in: tasks).reduce(sum) { $0 + ProcessCost.time("\(tasks)/\($1)/schedstat") }
        }
    }

    /// Resident bytes of all processes; what several share is counted in each.
    var residentBytes: Int {
        processes.reduce(0) { sum, process in
            // A process that has just ended has no memory.
            guard let text = try? TextFile.read("/proc/\(process)/statm") else { return sum }
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return sum + pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }

    /// The first number of a thread's `schedstat`: nanoseconds on a processor.
    private static func time(_ path: String) -> UInt64 {
        // A thread that has just ended is gone with its time.
        guard let text = try? TextFile.read(path) else { return 0 }
        return text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
    }
}
