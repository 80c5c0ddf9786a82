// The views that connections of one loop listen to, and what has been published for them.
import HearthCore
import HearthEngine
import HearthStorage
import HearthSync

/// A view that subscribers of one loop listen to.
final class Feed {
    let id: FeedID
    let namespace: Namespace
    let view: View
    /// Who listens over HTTP, in no particular order.
    private(set) var subscribers: [Subscriber] = []
    /// Who listens over the realtime protocol, in no particular order.
    private(set) var listens: [Listen] = []
    /// Commits that touch the view and are not told yet, oldest first.
    fileprivate(set) var pending: [Publication] = []

    init(id: FeedID, namespace: Namespace, view: View) {
        self.id = id
        self.namespace = namespace
        self.view = view
    }

    func add(_ subscriber: Subscriber) {
        Feed.add(subscriber, to: &subscribers)
    }

    func add(_ listen: Listen) {
        Feed.add(listen, to: &listens)
    }

    func remove(_ subscriber: Subscriber) {
        Feed.remove(subscriber, from: &subscribers)
    }

    func remove(_ listen: Listen) {
        Feed.remove(listen, from: &listens)
    }

    /// Whether nobody listens.
    var isUnused: Bool { subscribers.isEmpty && listens.isEmpty }

    private static func add<F: Follower>(_ follower: F, to followers: inout [F]) {
        follower.index = followers.count
        followers.append(follower)
    }

    /// O(1): the last one takes its place.
    private static func remove<F: Follower>(_ follower: F, from followers: inout [F]) {
        precondition(followers[follower.index] === follower, "a follower knows its place")
        let last = followers.removeLast()
        guard last !== follower else { return }
        followers[follower.index] = last
        last.index = follower.index
    }

    /// Takes out the commits that are durable.
    fileprivate func takeDurable(_ durable: Position) -> [Publication] {
        #if DEBUG
            let durable = PlantedFault.isPlanted(.tellsUndurable) ? .max : durable
        #endif
        let count = pending.prefix { $0.position <= durable }.count
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }
}

/// Names a view of a namespace.
struct FeedID: Hashable {
    let namespace: Int
    let view: ViewID
}

/// The feeds of one loop.
struct Feeds {
    private var byID: [FeedID: Feed] = [:]
    /// Feeds for which something was published and not yet told.
    private var waiting: [Feed] = []

    /// Notes a commit for the feeds that it touches.
    mutating func take(_ publication: Publication, of namespace: Int) {
        for touched in publication.touched {
            guard let feed = byID[FeedID(namespace: namespace, view: touched.id)] else { continue }
            feed.pending.append(publication)
            if feed.pending.count == 1 { waiting.append(feed) }
        }
    }

    /// Takes out what has become durable, feed by feed.
    mutating func takeDurable(_ durable: Position) -> [(feed: Feed, batch: [Publication])] {
        guard !waiting.isEmpty else { return [] }
        var due: [(feed: Feed, batch: [Publication])] = []
        for feed in waiting {
            let batch = feed.takeDurable(durable)
            if !batch.isEmpty { due.append((feed, batch)) }
        }
        waiting.removeAll { $0.pending.isEmpty }
        return due
    }

    /// The feed of a view, made if there is none.
    mutating func feed(_ id: FeedID, _ namespace: Namespace, _ view: View) -> Feed {
        if let feed = byID[id] { return feed }
        let feed = Feed(id: id, namespace: namespace, view: view)
        byID[id] = feed
        return feed
    }

    /// Forgets a feed that nobody listens to.
    mutating func removeIfUnused(_ feed: Feed) {
        guard feed.isUnused else { return }
        byID[feed.id] = nil
        waiting.removeAll { $0 === feed }
        feed.pending = []
    }

    /// All feeds.
    var all: [Feed] { Array(byID.values) }
}
