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
        let notes = Notes(for: context.records)
        let answer = read(at: path, query: query, in: context, notes)
        return Verdict(answer, notes)
    }

    /// Judges a write as a whole: every edit needs its own grant and its own validation, all against the same
    /// new state.
    ///
    /// - Parameters:
    ///   - edits: what is written, server values resolved; of their paths none leads on to another.
    ///   - after: the whole database as it would be: where a node is put, just that node.
    /// - Complexity: O(edits · depth) rules, and one for each written node below that has a `.validate`.
    public func judgeWrite(_ edits: [Edit], leadingTo after: Node, in context: JudgingContext) -> Verdict {
        let notes = Notes(for: context.records)
        let answer = write(edits, leadingTo: after, in: context, notes)
        return Verdict(answer, notes)
    }

    /// Judges a download, an upload or a removal of a file by the rules under `files`; what is written needs
    /// a grant and every `.validate` on its way, what removes a file, and so sends nothing, the grant alone.
    ///
    /// - Parameter names: the steps of the file's path, which need not be keys.
    public func judgeFile(
        _ kind: RuleReference.Kind, at names: [String], _ facts: FileFacts, in context: JudgingContext
    ) -> Verdict {
        let notes = Notes(for: context.records)
        let circumstances = Circumstances(files: facts, names: names)
        let answer = Judge.judge(
            context, leadingTo: context.root, under: files, circumstances, notes, .file(kind, circumstances))
        return Verdict(answer, notes)
    }

    /// Whether a read is allowed, with notes of what is to be kept.
    func read(at path: Path, query: Query?, in context: JudgingContext, _ notes: Notes?) -> Answer {
        let circumstances = query.map { Circumstances(query: $0) }
        return Judge.judge(
            context, leadingTo: context.root, under: root, circumstances, notes, .read(path))
    }

    /// Whether a write is allowed, with notes of what is to be kept.
    func write(
        _ edits: [Edit], leadingTo after: Node, in context: JudgingContext, _ notes: Notes?
    ) -> Answer {
        Judge.judge(context, leadingTo: after, under: root, nil, notes, .write(edits))
    }
}

extension Evaluation.Outcome {
    /// Why the rule could not be evaluated, if it could not.
    var failure: String? {
        if case .failed(let reason) = self { return reason }
        return nil
    }
}

extension Notes {
    /// Nil if nothing is to be noted: counts are kept by the rules themselves.
    fileprivate convenience init?(for records: JudgingContext.Records) {
        if records.isDisjoint(with: [.reads, .evaluations]) { return nil }
        self.init()
    }
}
