// CPU time: on a machine that others use too, the time on the wall says little.
import Glibc

/// The CPU time of this thread.
enum CPUClock {
    static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
