// The time that durations and latencies are taken from.
import Glibc

enum Now {
    /// Microseconds of a clock that never jumps; its zero means nothing.
    static var microseconds: UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    }

    /// Today in UTC, `2026-01-31`.
    static var date: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let month = Int(parts.tm_mon) + 1
        let day = Int(parts.tm_mday)
        return "\(Int(parts.tm_year) + 1_900)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
