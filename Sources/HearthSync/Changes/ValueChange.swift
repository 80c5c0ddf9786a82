// What keeps a client's copy of a view's value equal to the value.

public import HearthCore

/// The smallest change that keeps a client's copy of a view's value equal to it. Paths are read from the
/// view's place. Source: rest-api.md §7.
public enum ValueChange: Sendable, Equatable {
    /// One member of a patch: what stands at a place now.
    public struct Member: Sendable, Equatable {
        /// The place, read from that of the patch.
        public let path: Path
        /// The value there, priority included; empty if nothing is there.
        public let node: Node
    }

    /// Replaces what stands at the place.
    case put(Path, Node)
    /// Replaces what stands at each member, read from the place; nothing between is touched.
    case patch(Path, [Member])
    /// Changes the priority of what stands at the place, and no value.
    case prioritize(Path, Priority)
}

extension View {
    /// What a commit changes in the value that this view shows; nil if nothing.
    ///
    /// Applied in turn, changes keep a client's copy equal to `value(in:)`. With bounds or a limit,
    /// children that leave are put to nothing and those that enter are put whole. Pure: it may run
    /// anywhere, for live commits and replayed ones alike.
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    /// - Complexity: O(written · log n), with a limit O(log n + limit) more.
    public func change(
        by commit: Commit, before: State, after: State, sortLimit: Int = Window.defaultSortLimit
    ) throws(Refusal) -> ValueChange? {
        let change = PlaceChange(commit, at: path, before: before, after: after)
        guard !query.isUnfiltered else { return wholeChange(change, by: commit) }
        guard
            let window = try WindowChange(
                change, view: self, before: before, after: after, sortLimit: sortLimit)
        else { return nil }
        if change.hasReplacement {
            return .put(.root, try Window(of: self, in: after, sortLimit: sortLimit).result)
        }
        return windowChange(window, edits: change.editsBelow)
    }

    private func wholeChange(_ change: PlaceChange, by commit: Commit) -> ValueChange? {
        if change.hasReplacement {
            let (old, new) = (shown(change.before), shown(change.after))
            return old == new ? nil : .put(.root, new)
        }
        if case .prioritize(path, let priority) = commit.edits.first {
            return change.before.priority == change.after.priority ? nil : .prioritize(.root, priority)
        }
        guard let first = change.editsBelow.first else { return nil }
        // The base of an update may lie above the view; then the members are read from the view itself.
        let base = path.contains(commit.base) ? commit.base.dropping(path.depth) : .root
        if commit.kind == .update, path.contains(commit.base) || change.editsBelow.count > 1 {
            return .patch(base, members(of: commit, below: path.appending(base)))
        }
        let place = first.path.dropping(path.depth)
        switch first {
        case .put(_, let node): return .put(place, node)
        case .prioritize(_, let priority): return .prioritize(place, priority)
        }
    }

    /// What an update wrote below a place, changed or not.
    private func members(of commit: Commit, below base: Path) -> [ValueChange.Member] {
        commit.edits.compactMap { edit in
            guard case .put(let path, let node) = edit, base.contains(path) else { return nil }
            return ValueChange.Member(path: path.dropping(base.depth), node: node)
        }
    }

    /// A change of children that the view shows, by edits below its place.
    private func windowChange(_ window: WindowChange, edits: [Edit]) -> ValueChange? {
        let children = window.children
        if let only = children.first, children.count == 1 {
            if only.before != nil, only.after != nil, edits.count == 1 { return edits[0].change(below: path) }
            return .put(Path([only.key]), only.after?.node ?? .empty)
        }
        let members = children.sorted { $0.key < $1.key }.map {
            ValueChange.Member(path: Path([$0.key]), node: $0.after?.node ?? .empty)
        }
        return .patch(.root, members)
    }
}

extension Edit {
    fileprivate func change(below base: Path) -> ValueChange {
        switch self {
        case .put(let path, let node): .put(path.dropping(base.depth), node)
        case .prioritize(let path, let priority): .prioritize(path.dropping(base.depth), priority)
        }
    }
}
