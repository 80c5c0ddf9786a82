// The two times that a server needs, behind a seam so that simulations can set both.
import Glibc

/// Tells the time; safe to ask from any thread.
public protocol Clock: Sendable {
    /// Milliseconds since 1970, UTC; may jump in both directions when the machine's clock is set.
    var milliseconds: Int64 { get }
    /// Nanoseconds since some fixed moment; never goes back. Waiting times are measured with it.
    var monotonicNanoseconds: Int64 { get }
}

/// The machine's clocks.
public struct WallClock: Clock {
    /// Makes the clock, which keeps no state of its own.
    public init() {}

    /// Milliseconds since 1970 by the machine's clock.
    public var milliseconds: Int64 {
        let now = WallClock.read(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Nanoseconds by the machine's monotonic clock.
    public var monotonicNanoseconds: Int64 {
        let now = WallClock.read(CLOCK_MONOTONIC)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    private static func read(_ id: clockid_t) -> timespec {
        var now = timespec()
        clock_gettime(id, &now)
        return now
    }
}

extension Duration {
    /// The whole nanoseconds, at most what fits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product &+ attoseconds / 1_000_000_000
    }
}
