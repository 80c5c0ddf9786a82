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
                for push in try texts.pushes(of: listen.feed.view, tag: listen.key.tag, after: known) {
                    listen.session.output.push(
                        push.packet, of: push.position, isTagged: listen.key.tag != nil)
                }
                markDirty(listen.session)
            } catch {
                // The window can no longer be found: too many children would have to be sorted.
                revoke(listen, until: 0)
            }
        }
    }

    private func mayBeTold(_ listen: Listen) -> Bool {
        !listen.judgement.reads.usesNow || judgeNewest(listen)
    }
}

/// What a batch of commits says to the listens of one view.
struct PushTexts {
    /// A push, with where its commit ends in the journal.
    struct Push {
        let packet: Packet
        let position: Position
    }

    private struct Key: Hashable {
        let tag: Int64?
        let after: Revision
    }

    private let batch: [Publication]
    /// The pushes of all commits up to their tags; empty for a commit that says nothing.
    private var texts: [(text: [UInt8], publication: Publication)]?
    private var made: [Key: [Push]] = [:]

    init(_ batch: [Publication]) {
        self.batch = batch
    }

    /// The pushes to a listen that knows everything up to `revision`.
    mutating func pushes(of view: View, tag: Int64?, after revision: Revision) throws(Refusal) -> [Push] {
        let key = Key(tag: tag, after: revision)
        if let known = made[key] { return known }
        let texts = try texts(of: view)
        var pushes: [Push] = []
        for (text, publication) in texts where publication.commit.revision > revision {
            var text = text
            RealtimeText.appendEnd(tag: tag, to: &text)
            pushes.append(Push(packet: Packet(text), position: publication.position))
        }
        #if DEBUG
            if PlantedFault.isPlanted(.pushesLastOfBatch) { pushes.removeFirst(max(0, pushes.count - 1)) }
        #endif
        made[key] = pushes
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
