// How long things took, in all.

/// Counts of microseconds: exact below 131 ms, to the millisecond up to a minute.
struct Latencies {
    private static let fineCount = 1 << 17
    private static let coarseCount = 60_000
    private var counts = [UInt32](repeating: 0, count: fineCount + coarseCount)
    /// How many there are.
    private(set) var count = 0

    mutating func add(microseconds: UInt64) {
        let fine = UInt64(Latencies.fineCount)
        let index = microseconds < fine ? microseconds : fine + microseconds / 1_000
        counts[Int(min(index, UInt64(counts.count - 1)))] += 1
        count += 1
    }

    /// The microseconds that a part of them stays within, 0.99 for instance; 0 if there are none.
    func quantile(_ part: Double) -> Double {
        guard count > 0 else { return 0 }
        let wanted = Int((part * Double(count)).rounded(.up))
        var seen = 0
        for (index, times) in counts.enumerated() {
            seen += Int(times)
            guard seen >= max(wanted, 1) else { continue }
            let isFine = index < Latencies.fineCount
            return isFine ? Double(index) : Double(index - Latencies.fineCount) * 1_000
        }
        return 0
    }
}
