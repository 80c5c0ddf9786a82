// What the rules of a namespace say about its files.
import HearthCore
import HearthEngine
import HearthRules

extension Namespace {
    /// Judges a request to a file by what was seen.
    ///
    /// - Throws: `permissionDenied`.
    func judge(_ judgement: FileJudgement, _ sight: Sight, now: Int64) throws(Refusal) {
        let verdict = try judgement.verdict(sight.state, under: sight.rules, now: now)
        guard let verdict, !verdict.isAllowed else { return }
        noteDenial(of: .root, isWrite: judgement.isWrite, verdict.denial, at: now)
        throw .permissionDenied
    }
}
