// Time that stands still until a test moves it, and a machine's clock that can be set wrong.
public import HearthServer
import Synchronization

/// A clock of which both times are set by whoever plays with it. Safe to use from any thread.
public final class SimulatedClock: Clock {
    private struct Times {
        var milliseconds: Int64
        var nanoseconds: Int64 = 1_000_000_000
    }

    private let times: Mutex<Times>

    /// Begins at a moment in milliseconds since 1970.
    public init(milliseconds: Int64 = 1_767_225_600_000) {
        times = Mutex(Times(milliseconds: milliseconds))
    }

    /// The machine's time, as it was set.
    public var milliseconds: Int64 { times.withLock { $0.milliseconds } }

    /// The time that only moves on.
    public var monotonicNanoseconds: Int64 { times.withLock { $0.nanoseconds } }

    /// Lets time pass on both clocks.
    public func advance(milliseconds: Int64) {
        precondition(milliseconds >= 0, "time does not go back; a machine's clock can be set back")
        times.withLock { times in
            times.milliseconds += milliseconds
            times.nanoseconds += milliseconds * 1_000_000
        }
    }

    /// Sets the machine's clock on or back, while no time passes.
    public func jump(byMilliseconds difference: Int64) {
        times.withLock { $0.milliseconds += difference }
    }
}
