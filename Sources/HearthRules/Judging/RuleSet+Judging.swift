// Who may do what (security-rules.md §2 and §3).
public import HearthCore

extension RuleSet {
    /// Judges a read, or a query, of a place.
    ///
    /// Only the rule that stands at the place itself sees the query.
    ///
    /// - Parameter query: what is asked of the place's children; nil for a plain read.
    /// - Complexity: O(depth) rules, each bounded by the context's limits.
    public func judgeRead(at path: Path, query: Query? = nil, in context: JudgingContext) -> Verdict {
        var judge = Judge(context)
        let denial = judge.read(path, query: query, by: root)
        return judge.verdict(denial)
    }

    /// Judges a write as a whole: every edit needs its own grant and its own validation, all against the same
    /// new state.
    ///
    /// - Parameters:
    ///   - edits: what is written, server values resolved; of their paths none leads on to another.
    ///   - after: the whole database as it would be.
    /// - Complexity: O(edits · depth) rules, and one for each written node below that has a `.validate`.
    public func judgeWrite(_ edits: [Edit], leadingTo after: Node, in context: JudgingContext) -> Verdict {
        var judge = Judge(context, after: after)
        let denial = judge.write(edits, by: root)
        return judge.verdict(denial)
    }

    /// Judges a download, an upload or a removal of a file by the rules under `files`; what is written needs
    /// a grant and every `.validate` on its way, what removes a file, and so sends nothing, the grant alone.
    ///
    /// - Parameter names: the steps of the file's path, which need not be keys.
    public func judgeFile(
        _ kind: RuleReference.Kind, at names: [String], _ facts: FileFacts, in context: JudgingContext
    ) -> Verdict {
        var judge = Judge(context, files: facts, names: names)
        return judge.verdict(judge.file(kind, by: files))
    }
}

extension Judge {
    func verdict(_ denial: Denial?) -> Verdict {
        Verdict(denial: denial, reads: reads, evaluations: evaluations)
    }

    mutating func read(_ path: Path, query: Query?, by root: RuleNode) -> Denial? {
        begin(path)
        var node = root
        var last: (rule: Rule, outcome: Evaluation.Outcome)?
        var depth = 0
        while true {
            if let rule = node.read {
                self.query = QueryFacts(query: depth == path.depth ? query : nil)
                let outcome = evaluate(rule, at: depth)
                if outcome == .satisfied { return nil }
                last = (rule, outcome)
            }
            guard depth < path.depth, let next = node.child(path.keys[depth]) else { break }
            node = next
            depth += 1
        }
        return Denial(path: path, rule: last?.rule.reference, failure: last?.outcome.failure)
    }

    mutating func write(_ edits: [Edit], by root: RuleNode) -> Denial? {
        for edit in edits {
            if let denial = write(edit, by: root) { return denial }
        }
        return nil
    }

    private mutating func write(_ edit: Edit, by root: RuleNode) -> Denial? {
        let path = edit.path
        begin(path)
        if let denial = grant(path, by: root, at: 0, after: nil) { return denial }
        if case .put = edit { return validate(path, andBelow: true, by: root, at: 0) }
        return validate(path, andBelow: false, by: root, at: 0)
    }

    /// Looks for a `.write` that is true, from a place on the way on.
    ///
    /// - Parameter last: what the one before came to.
    private mutating func grant(
        _ path: Path, by node: RuleNode, at depth: Int, after last: (rule: Rule, outcome: Evaluation.Outcome)?
    ) -> Denial? {
        var last = last
        if let rule = node.write {
            let outcome = evaluate(rule, at: depth)
            if outcome == .satisfied { return nil }
            last = (rule, outcome)
        }
        if depth < path.depth, let next = node.child(path.keys[depth]) {
            return grant(path, by: next, at: depth + 1, after: last)
        }
        return Denial(path: path, rule: last?.rule.reference, failure: last?.outcome.failure)
    }

    /// Validates what would stand on the way, from a place on.
    ///
    /// - Parameter andBelow: whether what stands below its end is new, too.
    private mutating func validate(
        _ path: Path, andBelow: Bool, by node: RuleNode, at depth: Int
    ) -> Denial? {
        if let rule = node.validate, !new(at: depth).isEmpty, let denial = validate(rule, at: depth) {
            return denial
        }
        guard depth < path.depth else { return andBelow ? validateChildren(node) : nil }
        guard let next = node.child(path.keys[depth]) else { return nil }
        return validate(path, andBelow: andBelow, by: next, at: depth + 1)
    }

    private mutating func validate(_ rule: Rule, at depth: Int) -> Denial? {
        let outcome = evaluate(rule, at: depth)
        if outcome == .satisfied { return nil }
        return Denial(
            path: Path(Array(keys[..<depth])), rule: rule.reference, failure: outcome.failure)
    }

    /// Validates what was written below the present place, which is the written one or below it.
    ///
    /// The recursion is as deep as the rules, which are bounded.
    private mutating func validateChildren(_ node: RuleNode) -> Denial? {
        guard node.validatesBelow else { return nil }
        if let wildcard = node.wildcard, wildcard.validates {
            for entry in new(at: keys.count).children() {
                guard let below = node.child(entry.key), below.validates else { continue }
                if let denial = validateChild(entry.key, entry.node, below) { return denial }
            }
            return nil
        }
        let written = new(at: keys.count)
        for (key, below) in node.validatingChildren {
            let child = written.child(key)
            guard !child.isEmpty else { continue }
            if let denial = validateChild(key, child, below) { return denial }
        }
        return nil
    }

    private mutating func validateChild(_ key: Key, _ written: Node, _ node: RuleNode) -> Denial? {
        descend(key, to: written)
        if let rule = node.validate, let denial = validate(rule, at: keys.count) { return denial }
        if let denial = validateChildren(node) { return denial }
        ascend()
        return nil
    }

    mutating func file(_ kind: RuleReference.Kind, by root: RuleNode) -> Denial? {
        let nodes = fileNodes(root)
        var denial: Denial? = Denial(path: .root, rule: nil, failure: nil)
        for (depth, node) in nodes.enumerated() where denial != nil {
            guard let rule = kind == .read ? node.read : node.write else { continue }
            let outcome = evaluate(rule, at: depth)
            denial =
                outcome == .satisfied
                ? nil : Denial(path: .root, rule: rule.reference, failure: outcome.failure)
        }
        guard denial == nil, kind != .read, files.request.size != nil else { return denial }
        for (depth, node) in nodes.enumerated() {
            guard let rule = node.validate else { continue }
            let outcome = evaluate(rule, at: depth)
            if outcome != .satisfied {
                return Denial(path: .root, rule: rule.reference, failure: outcome.failure)
            }
        }
        return nil
    }

    /// The nodes on the way to the file, as far as there are rules; a name with a dot is no literal child.
    private func fileNodes(_ root: RuleNode) -> [RuleNode] {
        var nodes = [root]
        var node = root
        for name in names ?? [] {
            let keys = Key.steps(of: name) ?? []
            let literal = keys.count == 1 ? node.literal(keys[0]) : nil
            guard let next = literal ?? node.wildcard else { break }
            nodes.append(next)
            node = next
        }
        return nodes
    }
}

extension Evaluation.Outcome {
    /// Why the rule could not be evaluated, if it could not.
    var failure: String? {
        if case .failed(let reason) = self { return reason }
        return nil
    }
}
