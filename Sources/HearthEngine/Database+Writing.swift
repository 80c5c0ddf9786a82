// The way of a write: resolve, build, condition, commit (style.md §5).

public import HearthCore
public import HearthRules
public import HearthSync

/// A write that is allowed and stands ready: what its journal record says, and what it leads to.
public struct Proposal: Sendable {
    /// What is to be recorded.
    public let commit: Commit
    /// The state that it was prepared on.
    public let before: State
    /// The state that it makes.
    public let after: State
    /// The rules that it brings, if it replaces them.
    let rules: StandingRules?
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
    /// The rules in force after it; nil if none were ever stored.
    public let rules: StandingRules?
    /// The places that changed and that permissions of streams depend on, each once.
    public let shaken: [Shaken]
}

extension Database {
    /// Works a write of the administrator out without doing it; see the judged form.
    public func prepare(
        _ write: Write, condition: WriteCondition? = nil, now: Int64
    ) throws(Refusal) -> Proposal {
        var judgement = WriteJudgement(.administrator)
        return try prepare(write, by: &judgement, condition: condition, now: now)
    }

    /// Works a write out without doing it: nothing changes if it is refused, nor if the proposal is
    /// dropped.
    ///
    /// - Parameters:
    ///   - judgement: who asks; it holds afterwards what the rules said.
    ///   - condition: what must stand at the written place now.
    ///   - now: the clock in ms since 1970.
    /// - Throws: `conditionFailed`, `tooDeep`, `invalidRules`, `permissionDenied`. Whoever may not read the
    ///   place is not told that a condition failed.
    /// - Precondition: of the paths of an update none leads on to another; removals come last
    ///   (`UpdateReader` sees to both).
    /// - Complexity: O(edits · depth · log n), a walk over values below 64 KB, and the rules' own work, which
    ///   is bounded.
    public func prepare(
        _ write: Write, by judgement: inout WriteJudgement, condition: WriteCondition? = nil, now: Int64
    ) throws(Refusal) -> Proposal {
        let time = time(now: now)
        #if DEBUG
            let condition = PlantedFault.isPlanted(.ignoresCondition) ? nil : condition
        #endif
        if let condition, !condition.isMet(by: newest.root.descendant(at: write.path)) {
            try judgement.judgeRead(of: write.path, in: newest, under: rules(of: newest), now: time)
            throw .conditionFailed
        }
        if case .rules(let text) = write {
            guard judgement.asker == .administrator else { throw .permissionDenied }
            do throws(RuleError) {
                return prepare(try RuleSet(reading: text), now: now)
            } catch {
                throw .invalidRules(error.description)
            }
        }
        let edits = try write.resolved(now: time, over: newest.root)
        let proposal = propose(edits, kind: write.kind, base: write.path, at: time)
        try judgement.judge(
            proposal.commit, from: newest, to: proposal.after, under: rules(of: newest))
        return proposal
    }

    /// Prepares that other rules take the place of the present ones; they were compiled before, where that
    /// holds nobody up. Only the administrator may ask for it.
    public func prepare(_ rules: RuleSet, now: Int64) -> Proposal {
        let commit = Commit(revision: newest.revision + 1, time: time(now: now), rules: rules.text)
        return proposal(commit, content: newest, rules: StandingRules(rules, since: commit.revision))
    }

    /// What edits lead to that are resolved and not judged yet.
    ///
    /// - Complexity: O(edits · depth · log n).
    func propose(_ edits: [Edit], kind: Commit.Kind, base: Path, at time: Int64) -> Proposal {
        let (content, undo) = newest.applyingWithUndo(edits)
        let weight = undo.reduce(0) { $0 + $1.weight }
        let commit = Commit(
            revision: newest.revision + 1, time: time, kind: kind, base: base, edits: edits,
            undo: weight > limits.undoByteCount ? nil : undo)
        return proposal(commit, content: content)
    }

    private func proposal(_ commit: Commit, content: State, rules: StandingRules? = nil) -> Proposal {
        Proposal(commit: commit, before: newest, after: content.marked(as: commit), rules: rules)
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
        if let rules = proposal.rules { timeline.append(rules) }
        return Publication(
            position: position, commit: proposal.commit, before: proposal.before, after: proposal.after,
            touched: views.touched(by: proposal.commit.edits), rules: rules(of: newest),
            shaken: watches.shaken(
                by: proposal.commit.edits, from: proposal.before.root, to: proposal.after.root))
    }

    /// Applies a commit that was read back from the journal; it is durable already. Indexes are to be built
    /// afterwards (`beginIndexBuild`).
    ///
    /// - Precondition: the commits come in order, and no write was prepared yet.
    public mutating func replay(_ commit: Commit) {
        newest = newest.replaying(commit)
        durable = newest
        if let text = commit.rules { timeline.append(StandingRules(stored: text, since: commit.revision)) }
        timeline.forget(before: newest.revision)
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
        case .prioritize(let path, let priority):
            return [priority.edit(at: path, now: now, over: root)]
        case .rules:
            return []
        }
    }
}

extension Draft {
    /// What is heavier is not walked once more under the lock: its reader, which knew the path, has
    /// counted.
    private static let walkWeightLimit = 65_536

    func edit(at path: Path, now: Int64, over root: Node) throws(Refusal) -> Edit {
        if let solePriority { return solePriority.edit(at: path, now: now, over: root) }
        let node = placeholders.isEmpty ? self.node : resolved(old: root.descendant(at: path), now: now)
        let levelsLeft = Path.depthLimit - path.depth
        guard levelsLeft >= 0 else { throw .tooDeep }
        if node.weight <= Self.walkWeightLimit, node.isDeeper(than: levelsLeft) { throw .tooDeep }
        return .put(path, node)
    }
}

extension Draft.Placeholder.Resolution {
    /// The change of a place's priority.
    func edit(at path: Path, now: Int64, over root: Node) -> Edit {
        .prioritize(path, resolved(old: root.descendant(at: path), now: now))
    }
}
