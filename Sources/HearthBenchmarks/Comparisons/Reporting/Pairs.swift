// The numbers of one figure over all runs, and what follows from them.

/// Numbers of both sides, the nth of each from the nth pair of runs.
struct Pairs {
    private(set) var hearth: [Double] = []
    private(set) var peer: [Double] = []

    /// - Parameter peer: nil where there is none, in all pairs.
    mutating func add(hearth: Double, peer: Double?) {
        self.hearth.append(hearth)
        if let peer { self.peer.append(peer) }
    }

    /// The relation in each pair, ascending; none where a side has nothing to divide by.
    func ratios(_ relation: Figure.Relation) -> [Double] {
        zip(hearth, peer).map { hearth, peer in
            relation == .hearthToPeer ? hearth / peer : peer / hearth
        }.filter(\.isFinite).sorted()
    }

    /// Whether the target is reached by the median; nil if there is none.
    func isReached(_ figure: Figure) -> Bool? {
        let ratio = Pairs.median(ratios(figure.relation))
        switch figure.target {
        case .none: return nil
        case .atLeast(let bound): return ratio >= bound
        case .atMost(let bound): return ratio <= bound
        case .ownAtMost(let bound): return Pairs.median(hearth) <= bound
        case .ownAtLeast(let bound): return Pairs.median(hearth) >= bound
        }
    }

    /// The middle of the numbers, the mean of the middle two if their count is even; not a number if there
    /// are none.
    static func median(_ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        guard !sorted.isEmpty else { return .nan }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
