// Which streams of a loop must be judged again when something changes.
import HearthCore
import HearthEngine
import HearthIdentity
import HearthRules

/// The subscribers of one loop that rules have a say in, by what their permission depends on.
struct JudgedSubscribers {
    /// Subscribers, and the number of each, in whose order they are looked at: where they lie in memory must
    /// decide nothing, or no run would be like another.
    private typealias Entries = [ObjectIdentifier: (follower: Follower, number: Int)]

    private struct Group {
        var all: Entries = [:]
        var byPath: [Path: Entries] = [:]
    }

    private var groups: [Int: Group] = [:]
    private var byUser: [String: Entries] = [:]
    private var count = 0

    /// Enters a subscriber with what its permission depends on. The administrator's are left out.
    mutating func add(_ subscriber: Follower) {
        guard subscriber.judgement.isJudged else { return }
        let id = ObjectIdentifier(subscriber)
        let entry = (subscriber, count)
        count += 1
        if let user = (subscriber as? Subscriber)?.user { byUser[user, default: [:]][id] = entry }
        var group = groups.removeValue(forKey: subscriber.feed.namespace.number) ?? Group()
        group.all[id] = entry
        for path in subscriber.judgement.reads.paths { group.byPath[path, default: [:]][id] = entry }
        groups[subscriber.feed.namespace.number] = group
    }

    /// Takes a subscriber out.
    mutating func remove(_ subscriber: Follower) {
        guard var group = groups.removeValue(forKey: subscriber.feed.namespace.number) else { return }
        let id = ObjectIdentifier(subscriber)
        if let user = (subscriber as? Subscriber)?.user {
            byUser[user]?[id] = nil
            if byUser[user]?.isEmpty ?? false { byUser[user] = nil }
        }
        group.all[id] = nil
        for path in subscriber.judgement.reads.paths {
            group.byPath[path]?[id] = nil
            if group.byPath[path]?.isEmpty ?? false { group.byPath[path] = nil }
        }
        if !group.all.isEmpty { groups[subscriber.feed.namespace.number] = group }
    }

    /// The polls and streams that show a token of this user.
    func subscribers(of user: String) -> [Subscriber] {
        JudgedSubscribers.inOrder(byUser[user] ?? [:]).compactMap { $0 as? Subscriber }
    }

    /// The subscribers whose permission a commit may have ended.
    ///
    /// - Complexity: O(changed places), and O(n log n) in what is returned.
    func shaken(by publication: Publication, in namespace: Int) -> [Follower] {
        let isRules = publication.commit.kind == .rules
        guard isRules || !publication.shaken.isEmpty, let group = groups[namespace] else { return [] }
        if isRules { return JudgedSubscribers.inOrder(group.all) }
        var found: Entries = [:]
        for shaken in publication.shaken {
            found.merge(group.byPath[shaken.path] ?? [:]) { first, _ in first }
        }
        return JudgedSubscribers.inOrder(found)
    }

    private static func inOrder(_ entries: Entries) -> [Follower] {
        entries.values.sorted { $0.number < $1.number }.map(\.follower)
    }
}

extension Subscriber {
    /// The user whose token it shows.
    fileprivate var user: String? {
        guard case .user(let token) = request.caller else { return nil }
        return token.uid
    }
}
