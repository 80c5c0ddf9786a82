// How much memory this process may come to have, by the machine and by the control groups that it runs in.

/// What the system allows, read from the texts that it gives.
struct AvailableMemory {
    /// Reads a text of the system's by its path; nil if there is none.
    let text: (String) -> String?

    /// Looks at this machine.
    init(text: @escaping (String) -> String? = SystemText.read) {
        self.text = text
    }

    /// The least of the machine's memory and the limits of the control groups; nil if none is known.
    var bytes: Int? {
        ([machineBytes] + groupFiles.map(limit)).compactMap { $0 }.min()
    }

    private var machineBytes: Int? {
        let lines = text("/proc/meminfo")?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix("MemTotal:") }) else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// The files with the limits of the groups, from this process's own one up, and of the older kind.
    private var groupFiles: [String] {
        var files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        for line in text("/proc/self/cgroup")?.split(separator: "\n") ?? [] where line.hasPrefix("0::/") {
            var group = "/sys/fs/cgroup"
            for name in line.dropFirst(4).split(separator: "/") {
                group += "/" + name
                files.append(group + "/memory.max")
            }
        }
        return files
    }

    /// What a group's file says; nil for `max` or no file. The older kind says "no limit" by an absurd
    /// number, which the machine's own memory undercuts.
    private func limit(_ path: String) -> Int? {
        text(path).flatMap { Int($0.filter { $0 != "\n" }) }
    }
}
