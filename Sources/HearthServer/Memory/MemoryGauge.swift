// How much memory the process has, behind a seam so that a shortage can be simulated.
import CLinux
import Glibc

/// Tells how much memory is in use; safe to ask from any thread.
public protocol MemoryGauge: Sendable {
    /// Bytes of memory that the process has at the moment; nil if that cannot be found out.
    var residentBytes: Int? { get }
    /// Gives memory back that was freed and is still held. May take some milliseconds.
    func trim()
}

/// The memory of this process, as the system counts it.
public struct ProcessMemory: MemoryGauge {
    /// Makes the gauge, which keeps no state of its own.
    public init() {}

    /// The resident bytes of this process. Costs some microseconds.
    public var residentBytes: Int? {
        let pages = SystemText.read("/proc/self/statm")?.split(separator: " ").dropFirst().first
        return pages.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// Has the allocator give back the pages that nothing is in.
    public func trim() {
        _ = malloc_trim(0)
    }
}
