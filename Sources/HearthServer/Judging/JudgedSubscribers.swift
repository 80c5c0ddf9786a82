// Which streams of a loop must be judged again when something changes.
import HearthCore
import HearthEngine
import HearthIdentity
import HearthRules

/// The subscribers of one loop that rules have a say in, by what their permission depends on.
struct JudgedSubscribers {
    private struct Group {
        var all: [ObjectIdentifier: Follower] = [:]
        var byPath: [Path: [ObjectIdentifier: Follower]] = [:]
    }

    private var groups: [Int: Group] = [:]
    private var byUser: [String: [ObjectIdentifier: Subscriber]] = [:]

    /// Enters a subscriber with what its permission depends on. The administrator's are left out.
    mutating func add(_ subscriber: Follower) {
        guard subscriber.judgement.isJudged else { return }
        let id = ObjectIdentifier(subscriber)
        if let stream = subscriber as? Subscriber, let user = stream.user {
            byUser[user, default: [:]][id] = stream
        }
        var group = groups.removeValue(forKey: subscriber.feed.namespace.number) ?? Group()
        group.all[id] = subscriber
        for path in subscriber.judgement.reads.paths { group.byPath[path, default: [:]][id] = subscriber }
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
        Array((byUser[user] ?? [:]).values)
    }

    /// The subscribers whose permission a commit may have ended.
    ///
    /// - Complexity: O(changed places) and what is returned.
    func shaken(by publication: Publication, in namespace: Int) -> [Follower] {
        let isRules = publication.commit.kind == .rules
        guard isRules || !publication.shaken.isEmpty, let group = groups[namespace] else { return [] }
        if isRules { return Array(group.all.values) }
        var found: [ObjectIdentifier: Follower] = [:]
        for shaken in publication.shaken {
            found.merge(group.byPath[shaken.path] ?? [:]) { first, _ in first }
        }
        return Array(found.values)
    }
}

extension Subscriber {
    /// The user whose token it shows.
    fileprivate var user: String? {
        guard case .user(let token) = request.caller else { return nil }
        return token.uid
    }
}
