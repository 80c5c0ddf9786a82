// How long to wait before asking again.

/// Waiting times that double from failure to failure, each shortened by up to a half at random, so that the
/// clients of a server that comes back do not all come at once.
public struct BackOff: Equatable, Sendable {
    /// The first waiting time before it is shortened; 250 ms by default.
    public var first: Duration
    /// What the doubling stops at; 15 seconds by default.
    public var longest: Duration
    private var failures = 0

    /// Takes the defaults for whatever is not given.
    public init(first: Duration = .milliseconds(250), longest: Duration = .seconds(15)) {
        self.first = first
        self.longest = longest
    }

    /// Begins anew after a success.
    public mutating func reset() { failures = 0 }

    /// The time to wait after one more failure: from half of the doubled time up to all of it; with
    /// `retryAfter` seconds, if the server named them, from those to one and a half times as many.
    public mutating func next(
        retryAfter: Int?, using random: inout some RandomNumberGenerator
    ) -> Duration {
        if let retryAfter {
            let bounded = Double(min(max(retryAfter, 0), 3_600))
            return .seconds(bounded * Double.random(in: 1...1.5, using: &random))
        }
        let whole = min(longest, first * (1 << min(failures, 20)))
        failures += 1
        return whole * Double.random(in: 0.5...1, using: &random)
    }
}
