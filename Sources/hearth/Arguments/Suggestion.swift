// Guesses what somebody meant to type.

/// Finds the word nearest to a mistyped one.
enum Suggestion {
    /// The candidate that `word` begins, or that differs from it in at most a third of its letters; nil if
    /// none does.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        if word.count >= 4, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
        let scored = candidates.map { (word: $0, distance: distance(Array(word), Array($0))) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, word.count / 3) ? best.word : nil
    }

    /// Letters to insert, remove, replace, or swap with their neighbour, to come from one word to the other.
    /// - Complexity: O(product of the lengths).
    static func distance(_ from: [Character], _ to: [Character]) -> Int {
        guard !from.isEmpty, !to.isEmpty else { return max(from.count, to.count) }
        var rows = [Array(0...to.count)]
        for row in 1...from.count {
            var current = [row]
            for column in 1...to.count {
                let same = from[row - 1] == to[column - 1]
                var least = min(rows[row - 1][column], current[column - 1]) + 1
                least = min(least, rows[row - 1][column - 1] + (same ? 0 : 1))
                if row > 1, column > 1, from[row - 1] == to[column - 2], from[row - 2] == to[column - 1] {
                    least = min(least, rows[row - 2][column - 2] + 1)
                }
                current.append(least)
            }
            rows.append(current)
        }
        return rows[from.count][to.count]
    }
}
