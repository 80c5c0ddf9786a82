// A client of the realtime protocol as far as its copies go: what pushes do to them, and what they ignore.

public import HearthCore

/// The copies that one client keeps for its listens, changed by pushes exactly as the SDKs do it: a window is
/// filtered again, better children displace others, changes of what is not there are ignored.
///
/// A slow model for tests. Source: wire-protocol.md §6.1, §6.5.
public struct Replica: Sendable {
    /// What the SDKs do not survive.
    public enum Fault: Error, Equatable {
        /// A tagged push is for a place above the query's.
        case aboveQuery
        /// A merge of a filtered listen came before its first value.
        case mergeBeforeValue
    }

    fileprivate struct Listen: Sendable {
        let path: Path
        let query: Query
        let tag: Int64?
        var copy: ReplicaCopy
    }

    private var listens: [Listen] = []

    /// A client that listens to nothing.
    public init() {}

    /// Begins to listen. Filtered listens have a tag, others have none.
    ///
    /// - Precondition: a listen with that path and tag does not exist, and the query is filtered if there is
    ///   a tag.
    public mutating func listen(to path: Path, query: Query = .whole, tag: Int64? = nil) {
        precondition(query.isUnfiltered == (tag == nil), "filtered listens have tags, others have none")
        precondition(index(path, tag) == nil, "one listen at a place has one tag")
        listens.append(Listen(path: path, query: query, tag: tag, copy: ReplicaCopy(query)))
    }

    /// Ends a listen.
    public mutating func unlisten(from path: Path, tag: Int64? = nil) {
        listens.removeAll { $0.path == path && $0.tag == tag }
    }

    /// Takes in that a listen was answered: what it holds is all there is.
    public mutating func complete(_ path: Path, tag: Int64? = nil) {
        if let index = index(path, tag) { listens[index].copy.complete() }
    }

    /// What the client would send as the hash of what it holds for a listen.
    public func hash(of path: Path, tag: Int64? = nil) -> String {
        value(of: path, tag: tag).listenHash
    }

    /// What a listener sees; nothing if there is no such listen.
    public func value(of path: Path, tag: Int64? = nil) -> Node {
        index(path, tag).map { listens[$0].copy.value } ?? .empty
    }

    /// Takes in a push. One with a tag that no listen has is ignored.
    public mutating func receive(_ push: Push, tag: Int64? = nil) throws(Fault) {
        guard let tag else {
            for index in listens.indices { listens[index].receive(push) }
            return
        }
        guard let index = listens.firstIndex(where: { $0.tag == tag }) else { return }
        guard listens[index].path.contains(push.path) else { throw .aboveQuery }
        if case .merge = push, !listens[index].copy.isComplete { throw .mergeBeforeValue }
        listens[index].receive(push, isTagged: true)
    }

    private func index(_ path: Path, _ tag: Int64?) -> Int? {
        listens.firstIndex { $0.path == path && $0.tag == tag }
    }
}

extension Replica.Listen {
    fileprivate mutating func receive(_ push: Push, isTagged: Bool = false) {
        switch push {
        case .overwrite(let place, let content):
            receive(content, at: place, isTagged: isTagged)
        case .merge(let base, let members):
            // One place of the merge may be at the listen's or above it: that is an overwrite.
            var below: [Push.Member] = []
            for member in members {
                let place = base.appending(member.path)
                if place.depth > path.depth, path.contains(place) {
                    below.append(.init(path: place.dropping(path.depth), content: member.content))
                } else {
                    receive(member.content, at: place, isTagged: isTagged)
                }
            }
            copy.merge(below, isTagged: isTagged)
        }
    }

    private mutating func receive(_ content: Push.Content, at place: Path, isTagged: Bool) {
        if path.contains(place) {
            copy.overwrite(place.dropping(path.depth), content, isTagged: isTagged)
        } else if place.contains(path), case .node(let node) = content {
            let part = node.descendant(at: path.dropping(place.depth))
            copy.overwrite(.root, .node(part), isTagged: isTagged)
        }
    }
}
