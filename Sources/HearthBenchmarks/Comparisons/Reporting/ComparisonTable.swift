// The table that comparisons print, in Markdown.

/// Lines of the table; each stands as soon as its row is measured.
enum ComparisonTable {
    static let head = """
        | Work | Measured | Hearth | Peer | Ratio (range) | Target | Met |
        |---|---|--:|--:|--:|--:|---|

        """

    /// The line of one figure.
    static func line(_ comparison: Comparison, _ figure: Figure, _ pairs: Pairs) -> String {
        let cells = [
            comparison.work, figure.name, text(Pairs.median(pairs.hearth), figure.unit),
            pairs.peer.isEmpty
                ? "" : "\(comparison.peer.name) " + text(Pairs.median(pairs.peer), figure.unit),
            ratio(figure, pairs), target(figure), pairs.isReached(figure).map { $0 ? "yes" : "no" } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }

    /// The line of a row that was not run.
    static func line(_ comparison: Comparison, skipped reason: String) -> String {
        "| \(comparison.work) | skipped: \(reason) | | | | | |\n"
    }

    private static func ratio(_ figure: Figure, _ pairs: Pairs) -> String {
        let ratios = pairs.ratios(figure.relation)
        guard let least = ratios.first, let most = ratios.last else { return "" }
        return "\(Pairs.median(ratios).text(places: 2)) (\(least.text(places: 2))–\(most.text(places: 2)))"
    }

    private static func target(_ figure: Figure) -> String {
        switch figure.target {
        case .none: ""
        case .atLeast(let bound): "≥ \(bound.text(places: 1))"
        case .atMost(let bound): "≤ \(bound.text(places: 1))"
        case .ownAtMost(let bound): "Hearth ≤ \(bound.text(places: 0)) \(figure.unit.rawValue)"
        case .ownAtLeast(let bound): "Hearth ≥ \(bound.text(places: 0)) \(figure.unit.rawValue)"
        }
    }

    private static func text(_ number: Double, _ unit: Figure.Unit) -> String {
        switch unit {
        case .perSecond: "\(number.text(places: 0))\(unit.rawValue)"
        case .microseconds, .milliseconds, .kilobytes, .megabytes, .megabytesPerSecond:
            "\(number.text(places: number < 10 ? 2 : 1)) \(unit.rawValue)"
        }
    }
}
