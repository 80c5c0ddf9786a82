// Filling in what a client left to the server (rest-api.md §8).

extension Draft {
    /// The value with every placeholder filled in.
    ///
    /// - Parameters:
    ///   - old: what stands at the written place now; each increment begins at the number that stands in
    ///     it at the very same location.
    ///   - now: the commit's time in ms since 1970.
    /// - Complexity: O(placeholders · depth · log n).
    public func resolved(old: Node, now: Int64) -> Node {
        var resolved = node
        for placeholder in placeholders {
            let before = old.descendant(at: placeholder.path)
            switch placeholder.target {
            case .value(let priority):
                let leaf = placeholder.serverValue.leaf(after: before.leaf, now: now)
                resolved.set(Node(leaf, priority: priority), at: placeholder.path)
            case .priority:
                let priority = placeholder.serverValue.priority(after: before.priority, now: now)
                let node = resolved.descendant(at: placeholder.path)
                resolved.set(node.settingPriority(priority), at: placeholder.path)
            }
        }
        return resolved
    }
}

extension Draft.Placeholder.Resolution {
    /// The priority, filled in if that was left to the server.
    ///
    /// - Parameter old: what stands at the place now.
    public func resolved(old: Node, now: Int64) -> Priority {
        switch self {
        case .known(let priority): priority
        case .serverValue(let value): value.priority(after: old.priority, now: now)
        }
    }
}

extension ServerValue {
    /// The value that takes the place of `old`: integers stay integers, sums beyond 64 bits become
    /// doubles, and what is no number counts as absent.
    public func leaf(after old: Leaf?, now: Int64) -> Leaf {
        switch self {
        case .timestamp: .integer(now)
        case .increment(let delta): ServerValue.sum(old, delta)
        }
    }

    /// The priority that takes the place of `old`.
    public func priority(after old: Priority, now: Int64) -> Priority {
        let before: Leaf? = if case .number(let number) = old { Leaf(number: number) } else { nil }
        return leaf(after: before, now: now).number.map(Priority.number) ?? .none
    }

    private static func sum(_ old: Leaf?, _ delta: Leaf) -> Leaf {
        guard let old, let before = old.number, let change = delta.number else { return delta }
        if case .integer(let left) = old, case .integer(let right) = delta {
            let (sum, overflow) = left.addingReportingOverflow(right)
            if !overflow { return .integer(sum) }
        }
        let sum = before + change
        // Two finite numbers can add up to more than any double holds; the largest one is nearest.
        let largest = Double.greatestFiniteMagnitude
        return Leaf(number: min(max(sum, -largest), largest))
    }
}
