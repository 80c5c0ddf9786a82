// The way of a subscription: registration and first state in one step, so that nothing falls between.

public import HearthCore
public import HearthRules
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
    /// Counts a subscriber of the administrator's; see the judged form.
    public mutating func subscribe(to view: View, on loop: Int, since cursor: Cursor? = nil) -> Subscription {
        enter(view, on: loop, since: cursor, depending: ReadSet())
    }

    /// Counts a subscriber of a view on a loop and says how it begins, if it may read the newest state. A
    /// window in the order by priority gets an index, if it needs one.
    ///
    /// - Parameters:
    ///   - cursor: what the subscriber has seen; nil if nothing.
    ///   - judgement: who asks for what; it holds afterwards what the permission depends on, which is watched
    ///     from now on.
    ///   - now: the clock in ms since 1970.
    /// - Throws: `permissionDenied`.
    /// - Complexity: O(depth), the rules' own work, and with a cursor O(commits since), up to a thousand.
    public mutating func subscribe(
        to view: View, on loop: Int, since cursor: Cursor? = nil, by judgement: inout ReadJudgement,
        now: Int64
    ) throws(Refusal) -> Subscription {
        try judgement.judge(newest, under: rules(of: newest), now: now, keepsReads: true)
        watches.watch(judgement.reads, on: loop)
        return enter(view, on: loop, since: cursor, depending: judgement.reads)
    }

    private mutating func enter(
        _ view: View, on loop: Int, since cursor: Cursor?, depending reads: ReadSet
    ) -> Subscription {
        if view.query.order == .priority, view.query.limit != nil { demandIndex(for: view) }
        let resumption = resume(view, from: cursor, depending: reads)
        let id = views.subscribe(to: view, on: loop)
        return Subscription(id: id, resumption: resumption, state: newest, position: newestPosition)
    }

    /// Counts one subscriber less, and no longer watches what its permission depended on.
    ///
    /// - Precondition: that loop has a subscriber of it, entered with this judgement.
    public mutating func unsubscribe(from id: ViewID, on loop: Int, judged judgement: ReadJudgement) {
        views.unsubscribe(from: id, on: loop)
        watches.unwatch(judgement.reads, on: loop)
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
    /// Another epoch, a revision that was never made, or one below the history's floor is a resync. So is
    /// every cursor from before something changed on which the permission to read depends: what was true
    /// then may not have been for these eyes. Rules that have changed are below the floor.
    ///
    /// - Parameter reads: what the present permission depends on.
    /// - Complexity: O(commits since), up to a thousand; then the replay looks through them.
    public func resume(
        _ view: View, from cursor: Cursor?, depending reads: ReadSet = ReadSet()
    ) -> Resumption {
        guard let given = cursor else { return .present }
        #if DEBUG
            let cursor = Self.misplaced(given, above: history.floor, upTo: newest.revision)
        #else
            let cursor = given
        #endif
        guard cursor.epoch == epoch, cursor.revision >= history.floor, cursor.revision <= newest.revision
        else { return .resync }
        guard newest.revision > cursor.revision else { return .current }
        guard !reads.usesNow else { return .resync }
        let missed = history.commits(after: cursor.revision)
        guard newest.revision - cursor.revision <= Self.inlineLimit else {
            // So many are not looked through here, and one of them may have mattered.
            guard reads.isEmpty else { return .resync }
            return .replay(Replay(missed, at: view.path, present: newest))
        }
        guard !missed.shake(reads) else { return .resync }
        let touching = missed.touching(view.path)
        return touching.isEmpty ? .current : .replay(Replay(touching: touching, present: newest))
    }

    #if DEBUG
        /// The cursor that a mistake makes of another.
        private static func misplaced(_ cursor: Cursor, above floor: Revision, upTo last: Revision) -> Cursor
        {
            var revision = cursor.revision
            if PlantedFault.isPlanted(.tellsTwiceOnResume), revision > floor { revision -= 1 }
            if PlantedFault.isPlanted(.skipsOneOnResume), revision < last { revision += 1 }
            return Cursor(epoch: cursor.epoch, revision: revision, part: cursor.part)
        }
    #endif

    /// More commits than this are not looked through under the lock.
    private static var inlineLimit: Revision { 1_000 }
}
