// The members of an update, which may be paths.

/// What an update writes, place by place: the last of equal places wins.
struct UpdateChanges: Sendable {
    private var drafts: [(path: Path, draft: Draft)] = []
    private var indexes: [Path: Int] = [:]
    /// Places whose priority alone is changed.
    private var priorities: [(path: Path, draft: Draft)] = []
    private var priorityIndexes: [Path: Int] = [:]

    mutating func set(_ path: Path, _ value: DraftAssembly.Finished) {
        UpdateChanges.set(path, value.draft, in: &drafts, &indexes)
    }

    mutating func prioritize(_ path: Path, _ priority: Draft.Placeholder.Resolution) {
        UpdateChanges.set(path, Draft(solePriority: priority), in: &priorities, &priorityIndexes)
    }

    private static func set(
        _ path: Path, _ draft: Draft, in drafts: inout [(path: Path, draft: Draft)],
        _ indexes: inout [Path: Int]
    ) {
        if let index = indexes[path] {
            drafts[index].draft = draft
        } else {
            indexes[path] = drafts.count
            drafts.append((path, draft))
        }
    }

    /// The changes, removals last: so no place between is ever empty, and none loses its priority for that
    /// (rest-api.md §9). Priorities follow what they may be given to.
    var removalsLast: [(path: Path, draft: Draft)] {
        drafts.filter { !$0.draft.node.isEmpty } + priorities + drafts.filter { $0.draft.node.isEmpty }
    }

    /// Two paths of which one leads on to the other, if there are such. A priority lies below its place.
    ///
    /// - Complexity: O(n log n).
    var overlap: (upper: Path, lower: Path)? {
        let paths = drafts.map(\.path).sorted { $0.keys.lexicographicallyPrecedes($1.keys) }
        // Between a path and one below it, only others below it are sorted in.
        for (upper, lower) in zip(paths, paths.dropFirst()) where upper.contains(lower) {
            return (upper, lower)
        }
        for (path, _) in priorities {
            for depth in 0...path.depth where indexes[path.prefix(depth)] != nil {
                return (path.prefix(depth), path)
            }
        }
        return nil
    }
}
