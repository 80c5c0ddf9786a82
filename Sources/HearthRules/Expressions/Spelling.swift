// Which known name a mistyped one may have meant.

/// Finds names that differ by few letters.
enum Spelling {
    /// The known name nearest to `name`: at most a third of its letters, and at most two, inserted, left out,
    /// changed or swapped; nil if there is none.
    static func nearest(to name: String, among known: [String]) -> String? {
        let most = min(2, max(1, name.count / 3))
        let ranked = known.map { (name: $0, distance: distance(name, $0, most: most)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= most else {
            return nil
        }
        return best.name
    }

    /// How many letters are inserted, left out, changed or swapped with the next; long names are not
    /// compared.
    private static func distance(_ first: String, _ second: String, most: Int) -> Int {
        let left = Array(first.utf8)
        let right = Array(second.utf8)
        guard abs(left.count - right.count) <= most, left.count <= 64 else { return .max }
        var rows = [Array(0...right.count)]
        for row in 1..<(left.count + 1) {
            var next = [row]
            for column in 1..<(right.count + 1) {
                let isSame = left[row - 1] == right[column - 1]
                var least = min(rows[row - 1][column] + 1, next[column - 1] + 1)
                least = min(least, rows[row - 1][column - 1] + (isSame ? 0 : 1))
                let isSwap =
                    row > 1 && column > 1 && left[row - 1] == right[column - 2]
                    && left[row - 2] == right[column - 1]
                if isSwap { least = min(least, rows[row - 2][column - 2] + 1) }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
