// What is to be written when a session ends: a sparse tree of values (wire-protocol.md §14.2).

/// The on-disconnect writes of one session.
///
///     /rooms/lobby/online/ann    ·
///     /rooms/lobby/typing        └── rooms ── lobby ─┬─ online ── ann    remove
///                                                    └─ typing           set {…}
///
/// A value replaces all that was to be written at and below its place, and becomes part of one that is to be
/// written above it. Of the places that are left none leads on to another.
public struct OnDisconnectWrites: Sendable {
    /// A place of the tree.
    fileprivate struct Place: Sendable {
        /// What is to stand here; then nothing is kept below.
        var draft: Draft?
        /// The priority that is to be given to what stands here.
        var priority: Draft.Placeholder.Resolution?
        var children: [Key: Place] = [:]

        var isEmpty: Bool { draft == nil && priority == nil && children.isEmpty }
    }

    /// A write that is left.
    public enum Item: Sendable {
        /// Replaces value and priority at a place.
        case set(Path, Draft)
        /// Changes just the priority of a place.
        case prioritize(Path, Draft.Placeholder.Resolution)

        /// The written place.
        public var path: Path {
            switch self {
            case .set(let path, _), .prioritize(let path, _): path
            }
        }
    }

    private var root = Place()

    /// Nothing is to be written.
    public init() {}

    /// Whether nothing is to be written.
    public var isEmpty: Bool { root.isEmpty }

    /// Adds a write. Rules are never written so.
    ///
    /// - Precondition: the write is no change of rules.
    /// - Complexity: O(places · depth · log n).
    public mutating func add(_ write: Write) {
        switch write {
        case .set(let path, let draft): root.set(draft, at: path.keys[...])
        case .update(let base, let changes):
            for change in changes {
                let keys = base.appending(change.path).keys[...]
                if let priority = change.draft.solePriority {
                    root.prioritize(priority, at: keys)
                } else {
                    root.set(change.draft, at: keys)
                }
            }
        case .prioritize(let path, let priority): root.prioritize(priority, at: path.keys[...])
        case .rules: preconditionFailure("rules are not written when a session ends")
        }
    }

    /// Drops what is to be written at and below a place.
    ///
    /// If a place above is to be written as a whole, its other children still are, each by itself, and its
    /// own priority is not. Where a leaf or nothing is to stand above, nothing is dropped: there is nothing
    /// of it below. (The JavaScript SDK forgets a removal then; to forget it here would leave data behind
    /// that the client asked to be removed.)
    public mutating func cancel(at path: Path) {
        root.cancel(at: path.keys[...])
    }

    /// The writes that are left, in the order of their paths.
    public var items: [Item] {
        var items: [Item] = []
        root.collect(at: .root, into: &items)
        return items
    }
}

extension OnDisconnectWrites.Place {
    mutating func set(_ new: Draft, at keys: ArraySlice<Key>) {
        guard let key = keys.first else {
            self = Self(draft: new)
            return
        }
        if let draft {
            self.draft = draft.setting(new, at: Path(Array(keys)))
        } else {
            children[key, default: Self()].set(new, at: keys.dropFirst())
        }
    }

    mutating func prioritize(_ new: Draft.Placeholder.Resolution, at keys: ArraySlice<Key>) {
        if let draft {
            self.draft = draft.settingPriority(new, at: Path(Array(keys)))
        } else if let key = keys.first {
            children[key, default: Self()].prioritize(new, at: keys.dropFirst())
        } else {
            priority = new
        }
    }

    mutating func cancel(at keys: ArraySlice<Key>) {
        guard let key = keys.first else {
            self = Self()
            return
        }
        if let draft {
            guard draft.node.childCount > 0 else { return }
            self = Self()
            for child in draft.node.children() { children[child.key] = Self(draft: draft.child(child.key)) }
        }
        children[key]?.cancel(at: keys.dropFirst())
        if children[key]?.isEmpty ?? false { children[key] = nil }
    }

    func collect(at path: Path, into items: inout [OnDisconnectWrites.Item]) {
        if let draft { items.append(.set(path, draft)) }
        if let priority { items.append(.prioritize(path, priority)) }
        for (key, place) in children.sorted(by: { $0.key < $1.key }) {
            place.collect(at: path.appending(key), into: &items)
        }
    }
}
