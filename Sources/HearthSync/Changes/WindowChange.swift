// Which children entered, left or changed in what a view shows.

import HearthCore

/// What a commit did to the children that a view shows.
struct WindowChange {
    /// A child that the view showed before or shows now, and that differs.
    struct Child {
        let key: Key
        /// Where it stood and what it was; nil if the view did not show it.
        let before: (position: Query.Position, node: Node)?
        /// Where it stands and what it is; nil if the view does not show it.
        let after: (position: Query.Position, node: Node)?
    }

    /// The children that differ in what the view shows, in no particular order.
    let children: [Child]

    private let ordered: OrderedChildren
    /// The window after the commit, if the view has a limit.
    private let limited: [Query.Position]?

    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    /// - Complexity: O(changed · log n), with a limit O(log n + limit) more.
    init?(
        _ change: PlaceChange, view: View, before: State, after: State, sortLimit: Int
    ) throws(Refusal) {
        let query = view.query
        let candidates = change.children(at: view.path).map { child in
            Child(
                key: child.key, before: query.place(child.key, child.before),
                after: query.place(child.key, child.after))
        }.filter { $0.before != nil || $0.after != nil }
        guard !candidates.isEmpty else { return nil }
        ordered = try OrderedChildren(of: view, in: after, sortLimit: sortLimit)
        guard let limit = query.limit else {
            limited = nil
            children = candidates
            return
        }
        let old = try Window(of: view, in: before, sortLimit: sortLimit).positions
        let new = Window(ordered).positions
        limited = new
        children = WindowChange.limited(
            candidates, change: change, from: WindowRange(old, limit: limit),
            to: WindowRange(new, limit: limit))
        if children.isEmpty { return nil }
    }

    /// The key of the child before a shown one in the view's order, nil for the first.
    func previous(of position: Query.Position) -> Key? {
        guard let limited else { return ordered.predecessor(of: position) }
        let index = limited.partitionPoint { $0 < position }
        return index > 0 ? limited[index - 1].key : nil
    }

    /// Narrows the changed children to two windows; others that only moved in or out are added.
    ///
    /// What did not change stands at the same place in both, so that it can only have crossed an edge.
    private static func limited(
        _ candidates: [Child], change: PlaceChange, from old: WindowRange, to new: WindowRange
    ) -> [Child] {
        var children = candidates.compactMap { child -> Child? in
            let before = child.before.flatMap { old.contains($0.position) ? $0 : nil }
            let after = child.after.flatMap { new.contains($0.position) ? $0 : nil }
            return before == nil && after == nil ? nil : Child(key: child.key, before: before, after: after)
        }
        let known = Set(candidates.map(\.key))
        for position in old.positions(outside: new) where !known.contains(position.key) {
            let node = change.before.child(position.key)
            children.append(Child(key: position.key, before: (position, node), after: nil))
        }
        for position in new.positions(outside: old) where !known.contains(position.key) {
            let node = change.after.child(position.key)
            children.append(Child(key: position.key, before: nil, after: (position, node)))
        }
        return children
    }
}

extension Query {
    /// A child with its place, if it is there and the bounds let it through.
    fileprivate func place(_ key: Key, _ node: Node) -> (position: Position, node: Node)? {
        guard !node.isEmpty else { return nil }
        let position = position(of: node, key: key)
        return contains(position) ? (position, node) : nil
    }
}
