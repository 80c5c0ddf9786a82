// What a listener on a view is told about its children.

public import HearthCore

/// One thing that a listener on a view's children is told. Source: event-streams.md §2.
public struct ChildEvent: Sendable, Equatable {
    /// What happened. The cases stand in the order in which the events of one commit are told.
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        /// It is gone, or no longer in the window.
        case removed
        /// It is new, or has come into the window.
        case added
        /// Its ordered value has changed; it may still have the same neighbours. `changed` follows.
        case moved
        /// Its value or priority has changed.
        case changed
    }

    /// What happened.
    public let kind: Kind
    /// The child's name.
    public let key: Key
    /// The key of the child before it in the view's order after the commit; nil for the first, and for
    /// `removed`.
    public let previous: Key?
    /// The child as it is now; what it was if it is removed.
    public let data: Node

    /// Puts an event together.
    public init(_ kind: Kind, key: Key, previous: Key?, data: Node) {
        self.kind = kind
        self.key = key
        self.previous = previous
        self.data = data
    }
}

/// What a listener on a view is told about one commit.
public struct ViewEvents: Sendable {
    /// The child events in the order in which they are told: removed, added, moved, changed, each kind in
    /// the view's order.
    public let children: [ChildEvent]
    /// Whether the value that the view shows has changed: then `value` follows, for those who asked for
    /// it.
    public let isValueChanged: Bool
}

extension View {
    /// What a listener on this view is told about a commit.
    ///
    /// Pure: it may run anywhere, for live commits and replayed ones alike.
    /// - Throws: `Refusal.tooLarge` if more than `sortLimit` children would have to be sorted.
    /// - Complexity: O(written · log n), with a limit O(log n + limit) more.
    public func events(
        of commit: Commit, before: State, after: State, sortLimit: Int = Window.defaultSortLimit
    ) throws(Refusal) -> ViewEvents {
        let change = PlaceChange(commit, at: path, before: before, after: after)
        let window = try WindowChange(change, view: self, before: before, after: after, sortLimit: sortLimit)
        let children = window?.events(in: query.order) ?? []
        // Without bounds and limit a leaf is a value too, and there are no children to tell of.
        let leafChanges = query.isUnfiltered && shown(change.before).leaf != shown(change.after).leaf
        return ViewEvents(children: children, isValueChanged: !children.isEmpty || leafChanges)
    }
}

extension WindowChange {
    fileprivate func events(in order: Query.Order) -> [ChildEvent] {
        var removed: [(position: Query.Position, event: ChildEvent)] = []
        var added = removed
        var moved = removed
        var changed = removed
        for child in children {
            guard let after = child.after else {
                guard let before = child.before else { continue }
                removed.append(
                    (before.position, .init(.removed, key: child.key, previous: nil, data: before.node)))
                continue
            }
            func event(_ kind: ChildEvent.Kind) -> (position: Query.Position, event: ChildEvent) {
                let previous = previous(of: after.position)
                return (after.position, .init(kind, key: child.key, previous: previous, data: after.node))
            }
            guard let before = child.before else {
                added.append(event(.added))
                continue
            }
            if before.position != after.position { moved.append(event(.moved)) }
            changed.append(event(.changed))
        }
        return [removed, added, moved, changed].flatMap { events in
            events.sorted { $0.position < $1.position }.map(\.event)
        }
    }
}
