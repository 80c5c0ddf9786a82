// Which children of a view's place a commit has really changed.

import HearthCore

/// A child of a view's place before and after a commit. They differ.
struct ChildChange {
    let key: Key
    /// Empty if it was not there.
    let before: Node
    /// Empty if it is gone.
    let after: Node
}

/// What a commit did to a view's place.
struct PlaceChange {
    /// What stood there before.
    let before: Node
    /// What stands there now.
    let after: Node
    /// The edits at the place or above that put a value there.
    let hasReplacement: Bool
    /// The edits below the place that changed something, in their order.
    let editsBelow: [Edit]

    /// - Complexity: O(size of what was written), never that of what was not.
    init(_ commit: Commit, at path: Path, before: State, after: State) {
        self.before = before.root.descendant(at: path)
        self.after = after.root.descendant(at: path)
        let (old, new) = (self.before, self.after)
        hasReplacement = commit.edits.contains { edit in
            if case .put = edit { return edit.path.contains(path) }
            return false
        }
        editsBelow = commit.edits.filter { edit in
            guard edit.path.depth > path.depth, path.contains(edit.path) else { return false }
            let place = edit.path.dropping(path.depth)
            return old.descendant(at: place) != new.descendant(at: place)
        }
    }

    /// The children that differ, in no particular order, each once.
    ///
    /// - Complexity: O(written · log n); after a replacement O(children) unless they are shared.
    func children(at path: Path) -> [ChildChange] {
        if hasReplacement {
            return Node.childDifferences(from: before, to: after).map {
                ChildChange(key: $0.key, before: $0.before, after: $0.after)
            }
        }
        var seen: Set<Key> = []
        return editsBelow.compactMap { edit in
            let key = edit.path.keys[path.depth]
            guard seen.insert(key).inserted else { return nil }
            return ChildChange(key: key, before: before.child(key), after: after.child(key))
        }
    }

    /// Whether the value of the place differs, its own priority left aside.
    var changesValue: Bool {
        if !hasReplacement { return !editsBelow.isEmpty }
        return before.settingPriority(.none) != after.settingPriority(.none)
    }
}
