// From commits to listens: derived once for each view, written once for each tag.
import HearthCore
import HearthEngine
import HearthRules
import HearthStorage
import HearthSync
import HearthWire

extension Loop {
    /// Tells commits, which are durable, to listens of one feed.
    func deliver(_ batch: [Publication], to listens: [Listen]) {
        guard let last = batch.last?.commit.revision, let first = batch.first?.commit.revision else { return }
        guard let view = listens.first?.feed.view else { return }
        var texts = PushTexts(batch)
        for listen in listens {
            if case .catchingUp(let backlog) = listen.phase {
                listen.phase = .catchingUp(backlog + batch)
                continue
            }
            guard listen.revision < last, mayBeTold(listen) else { continue }
            let known = max(listen.revision, first - 1)
            listen.revision = last
            do throws(Refusal) {
                let pushes = try texts.pushes(of: view, tag: listen.key.tag, after: known)
                if !pass(pushes, to: listen) { queue(pushes, for: listen) }
            } catch {
                // The window can no longer be found: too many children would have to be sorted.
                revoke(listen, until: 0)
            }
        }
    }

    /// Has pushes take their place among all that the session is owed.
    private func queue(_ pushes: Pushes, for listen: Listen) {
        let session = listen.session
        for push in pushes.list {
            session.output.push(push.packet, of: push.position, isTagged: listen.key.tag != nil)
        }
        markDirty(session)
    }

    /// Has pushes leave at once where there is nothing else whose place they could take: the session has one
    /// listen and is owed no reply.
    ///
    /// - Returns: whether they are on their way.
    private func pass(_ pushes: Pushes, to listen: Listen) -> Bool {
        let session = listen.session
        guard case .webSocket(let connection) = session.link, session.isOwedNothing,
            session.listens.count == 1, case .webSocket(let link) = connection.incoming
        else { return false }
        guard !pushes.list.isEmpty else { return true }
        connection.outbox.append(shared: pushes.frames(link.compresses ? compression : nil))
        if keepsUp(session, connection) { settleSoon(connection) }
        return true
    }

    private func mayBeTold(_ listen: Listen) -> Bool {
        !listen.judgement.reads.usesNow || judgeNewest(listen)
    }
}

/// Pushes that many listens are sent. It belongs to one loop.
final class Pushes {
    /// A push, with where its commit ends in the journal.
    struct Push {
        let packet: Packet
        let position: Position
    }

    /// In the order of their commits.
    let list: [Push]
    private var frames: [UInt8]?
    private var compressedFrames: [UInt8]?

    init(_ list: [Push]) {
        self.list = list
    }

    /// The frames of all one after the other, made when first needed.
    func frames(_ compression: Compression?) -> [UInt8] {
        if list.count == 1 { return list[0].packet.frames(compression) }
        if let made = compression == nil ? frames : compressedFrames { return made }
        let made = list.reduce(into: [UInt8]()) { $0 += $1.packet.frames(compression) }
        if compression == nil { frames = made } else { compressedFrames = made }
        return made
    }
}

@available(*, unavailable)
extension Pushes: Sendable {}

/// What a batch of commits says to the listens of one view.
struct PushTexts {
    private struct Key: Hashable {
        let tag: Int64?
        let after: Revision
    }

    private let batch: [Publication]
    /// The pushes of all commits up to their tags; empty for a commit that says nothing.
    private var texts: [(text: [UInt8], publication: Publication)]?
    private var made: [Key: Pushes] = [:]
    /// The pushes that were asked for last: most often the next listen is told the same.
    private var lastMade: (key: Key, pushes: Pushes)?

    init(_ batch: [Publication]) {
        self.batch = batch
    }

    /// The pushes to a listen that knows everything up to `revision`.
    mutating func pushes(of view: View, tag: Int64?, after revision: Revision) throws(Refusal) -> Pushes {
        let key = Key(tag: tag, after: revision)
        if let lastMade, lastMade.key == key { return lastMade.pushes }
        if let known = made[key] { return known }
        let texts = try texts(of: view)
        var list: [Pushes.Push] = []
        for (text, publication) in texts where publication.commit.revision > revision {
            var text = text
            RealtimeText.appendEnd(tag: tag, to: &text)
            list.append(Pushes.Push(packet: Packet(text), position: publication.position))
        }
        #if DEBUG
            if PlantedFault.isPlanted(.pushesLastOfBatch) { list.removeFirst(max(0, list.count - 1)) }
        #endif
        let pushes = Pushes(list)
        made[key] = pushes
        lastMade = (key, pushes)
        return pushes
    }

    private mutating func texts(
        of view: View
    ) throws(Refusal) -> [(text: [UInt8], publication: Publication)] {
        if let texts { return texts }
        var made: [(text: [UInt8], publication: Publication)] = []
        for publication in batch {
            guard
                let push = try view.push(
                    by: publication.commit, before: publication.before, after: publication.after)
            else { continue }
            var text: [UInt8] = []
            RealtimeText.append(push, to: &text)
            made.append((text, publication))
        }
        texts = made
        return made
    }
}
