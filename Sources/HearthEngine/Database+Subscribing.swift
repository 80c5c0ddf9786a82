// The way of a subscription: registration and first state in one step, so that nothing falls between.

public import HearthCore
public import HearthSync

/// A subscription that has been entered: every later commit that touches the view is published to its
/// loop.
public struct Subscription: Sendable {
    /// The view, shared with all who ask the same.
    public let id: ViewID
    /// How to begin.
    public let resumption: Resumption
    /// The state that the beginning leads to; commits published later follow it.
    public let state: State
    /// Nothing of `state` may be told before the journal is durable up to here.
    public let position: Int64
}

extension Database {
    /// Counts a subscriber of a view on a loop and says how it begins. A window in the order by priority gets
    /// an index, if it needs one.
    ///
    /// - Parameter cursor: what the subscriber has seen; nil if nothing.
    /// - Complexity: O(depth), and with a cursor O(commits since), up to a thousand.
    public mutating func subscribe(to view: View, on loop: Int, since cursor: Cursor? = nil) -> Subscription {
        if view.query.order == .priority, view.query.limit != nil { demandIndex(for: view) }
        let resumption = resume(view, from: cursor)
        let id = views.subscribe(to: view, on: loop)
        return Subscription(id: id, resumption: resumption, state: newest, position: newestPosition)
    }

    /// Counts one subscriber less. Publications that were made before may still arrive at the loop.
    ///
    /// - Precondition: that loop has a subscriber of it.
    public mutating func unsubscribe(from id: ViewID, on loop: Int) {
        views.unsubscribe(from: id, on: loop)
    }

    /// How many views have subscribers.
    public var viewCount: Int { views.count }

    /// How a stream goes on that has seen what `cursor` says; it leads to the newest state.
    ///
    /// Another epoch, a revision that was never made, or one below the history's floor is a resync.
    /// - Complexity: O(commits since), up to a thousand; then the replay looks through them.
    public func resume(_ view: View, from cursor: Cursor?) -> Resumption {
        guard let cursor else { return .present }
        guard cursor.epoch == epoch, cursor.revision >= history.floor, cursor.revision <= newest.revision
        else { return .resync }
        let missed = history.commits(after: cursor.revision)
        guard newest.revision - cursor.revision <= Self.inlineLimit else {
            return .replay(Replay(missed, at: view.path, present: newest))
        }
        let touching = missed.touching(view.path)
        return touching.isEmpty ? .current : .replay(Replay(touching: touching, present: newest))
    }

    /// More commits than this are not looked through under the lock.
    private static var inlineLimit: Revision { 1_000 }
}
