// The way of a write: resolve, build, condition, commit (style.md §5).

public import HearthCore
public import HearthSync

/// A write that is allowed and stands ready: what its journal record says, and what it leads to.
public struct Proposal: Sendable {
    /// What is to be recorded.
    public let commit: Commit
    /// The state that it was prepared on.
    public let before: State
    /// The state that it makes.
    public let after: State
}

/// A commit that has its place in the journal, and whom it concerns.
public struct Publication: Sendable {
    /// Where its record ends in the journal; nothing of it may be told before that is durable.
    public let position: Int64
    /// What was written.
    public let commit: Commit
    /// The state before.
    public let before: State
    /// The state that it made.
    public let after: State
    /// The views that it may change, each once.
    public let touched: [ViewTree.Touched]
}

extension Database {
    /// Works a write out without doing it: nothing changes if it is refused, nor if the proposal is
    /// dropped.
    ///
    /// - Parameters:
    ///   - condition: what must stand at the written place now.
    ///   - now: the clock in ms since 1970.
    /// - Throws: `conditionFailed`, `tooDeep`, `invalidRules`.
    /// - Precondition: of the paths of an update none leads on to another; removals come last
    ///   (`UpdateReader` sees to both).
    /// - Complexity: O(edits · depth · log n), and a walk over values below 64 KB.
    public func prepare(
        _ write: Write, condition: WriteCondition? = nil, now: Int64
    ) throws(Refusal) -> Proposal {
        if let condition, !condition.isMet(by: newest.root.descendant(at: write.path)) {
            throw .conditionFailed
        }
        let time = time(now: now)
        if case .rules(let text) = write {
            _ = try StoredRules(checking: text)
            return proposal(Commit(revision: newest.revision + 1, time: time, rules: text), content: newest)
        }
        let edits = try write.resolved(now: time, over: newest.root)
        let (content, undo) = newest.applyingWithUndo(edits)
        let weight = undo.reduce(0) { $0 + $1.weight }
        let commit = Commit(
            revision: newest.revision + 1, time: time, kind: write.kind, base: write.path, edits: edits,
            undo: weight > limits.undoByteCount ? nil : undo)
        return proposal(commit, content: content)
    }

    private func proposal(_ commit: Commit, content: State) -> Proposal {
        Proposal(commit: commit, before: newest, after: content.marked(as: commit))
    }

    /// Does what was prepared, now that its record has a place in the journal.
    ///
    /// - Precondition: the proposal is of the newest state, and positions ascend.
    public mutating func commit(_ proposal: Proposal, at position: Int64) -> Publication {
        precondition(
            proposal.commit.revision == newest.revision + 1, "a proposal is committed before the next")
        precondition(position > newestPosition, "positions ascend")
        let dropsMuch = proposal.commit.undo == nil
        pending.append(Pending(position: position, state: proposal.after, dropsMuch: dropsMuch))
        newest = proposal.after
        newestPosition = position
        history.append(proposal.commit, retiring: &retired)
        indexing.missed(proposal.commit)
        return Publication(
            position: position, commit: proposal.commit, before: proposal.before, after: proposal.after,
            touched: views.touched(by: proposal.commit.edits))
    }

    /// Applies a commit that was read back from the journal; it is durable already. Indexes are to be built
    /// afterwards (`beginIndexBuild`).
    ///
    /// - Precondition: the commits come in order, and no write was prepared yet.
    public mutating func replay(_ commit: Commit) {
        newest = newest.replaying(commit)
        durable = newest
        history.append(commit, retiring: &retired)
        // Nobody waits for the lock yet.
        retired = []
    }
}

extension Write {
    /// The place that the request named; the root for rules.
    var path: Path {
        switch self {
        case .set(let path, _), .update(let path, _), .prioritize(let path, _): path
        case .rules: .root
        }
    }

    var kind: Commit.Kind {
        switch self {
        case .set, .prioritize: .set
        case .update: .update
        case .rules: .rules
        }
    }

    /// The edits with all server values replaced and the depth checked.
    func resolved(now: Int64, over root: Node) throws(Refusal) -> [Edit] {
        switch self {
        case .set(let path, let draft):
            return [try draft.edit(at: path, now: now, over: root)]
        case .update(let base, let changes):
            var edits: [Edit] = []
            for change in changes {
                edits.append(try change.draft.edit(at: base.appending(change.path), now: now, over: root))
            }
            return edits
        case .prioritize(let path, .known(let priority)):
            return [.prioritize(path, priority)]
        case .prioritize(let path, .serverValue(let value)):
            let old = root.descendant(at: path).priority
            return [.prioritize(path, value.priority(after: old, now: now))]
        case .rules:
            return []
        }
    }
}

extension Draft {
    /// What is heavier is not walked once more under the lock: its reader, which knew the path, has
    /// counted.
    private static let walkWeightLimit = 65_536

    fileprivate func edit(at path: Path, now: Int64, over root: Node) throws(Refusal) -> Edit {
        let node = placeholders.isEmpty ? self.node : resolved(old: root.descendant(at: path), now: now)
        let levelsLeft = Path.depthLimit - path.depth
        guard levelsLeft >= 0 else { throw .tooDeep }
        if node.weight <= Self.walkWeightLimit, node.isDeeper(than: levelsLeft) { throw .tooDeep }
        return .put(path, node)
    }
}
