// How the memory that there is, and that is used, is found out.
import Testing

@testable import HearthServer

@Suite("The memory that a process may have")
struct AvailableMemoryTests {
    private static let machine = "MemTotal:       16384000 kB\nMemFree:         1024 kB\n"

    private func bytes(_ texts: [String: String]) -> Int? {
        AvailableMemory { texts[$0] }.bytes
    }

    @Test("is the machine's when no control group limits it")
    func machine() {
        let whole = 16_384_000 << 10
        #expect(bytes(["/proc/meminfo": Self.machine]) == whole)
        #expect(bytes(["/proc/meminfo": Self.machine, "/sys/fs/cgroup/memory.max": "max\n"]) == whole)
        let absurd = ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"]
        #expect(bytes(["/proc/meminfo": Self.machine].merging(absurd) { $1 }) == whole)
    }

    @Test("is the least of the control groups from the process's own one up")
    func groups() {
        var texts = [
            "/proc/meminfo": Self.machine,
            "/proc/self/cgroup": "1:name=systemd:/x\n0::/chat.slice/hearth.service\n",
            "/sys/fs/cgroup/chat.slice/memory.max": "4000000\n",
            "/sys/fs/cgroup/chat.slice/hearth.service/memory.max": "max\n",
        ]
        #expect(bytes(texts) == 4_000_000)
        texts["/sys/fs/cgroup/chat.slice/hearth.service/memory.max"] = "3000000\n"
        #expect(bytes(texts) == 3_000_000)
        texts["/sys/fs/cgroup/memory.max"] = "2000000\n"
        #expect(bytes(texts) == 2_000_000)
    }

    @Test("is unknown where the system says nothing that can be read")
    func unknown() {
        #expect(bytes([:]) == nil)
        #expect(bytes(["/proc/meminfo": "nothing", "/sys/fs/cgroup/memory.max": "much"]) == nil)
    }

    @Test("is known on this machine, and the process uses some of it")
    func here() throws {
        let all = try #require(AvailableMemory().bytes)
        let used = try #require(ProcessMemory().residentBytes)
        #expect(used > 1 << 20)
        #expect(all > 16 << 20)
    }

    @Test("grows by what is touched")
    func growth() throws {
        let before = try #require(ProcessMemory().residentBytes)
        let block = [UInt8](repeating: 1, count: 64 << 20)
        let after = try #require(ProcessMemory().residentBytes)
        #expect(block.count == 64 << 20)
        // Other tests of this process may give memory back at the same time.
        #expect(after > before + (16 << 20))
    }
}
