// The members of an update, which may be paths.

/// What an update writes, place by place: the last of equal places wins.
struct UpdateChanges: Sendable {
    private var drafts: [(path: Path, draft: Draft)] = []
    private var indexes: [Path: Int] = [:]

    mutating func set(_ path: Path, _ value: DraftAssembly.Finished) {
        let draft = value.draft
        if let index = indexes[path] {
            drafts[index].draft = draft
        } else {
            indexes[path] = drafts.count
            drafts.append((path, draft))
        }
    }

    /// The changes, removals last: so no place between is ever empty, and none loses its priority for that
    /// (rest-api.md §9).
    var removalsLast: [(path: Path, draft: Draft)] {
        drafts.filter { !$0.draft.node.isEmpty } + drafts.filter { $0.draft.node.isEmpty }
    }

    /// Two paths of which one leads on to the other, if there are such.
    ///
    /// - Complexity: O(n log n).
    var overlap: (upper: Path, lower: Path)? {
        let paths = drafts.map(\.path).sorted { $0.keys.lexicographicallyPrecedes($1.keys) }
        // Between a path and one below it, only others below it are sorted in.
        for (upper, lower) in zip(paths, paths.dropFirst()) where upper.contains(lower) {
            return (upper, lower)
        }
        return nil
    }
}
