// Whether somebody may read, store or remove an uploaded file.

public import HearthCore
public import HearthRules

/// The question whether somebody may do something with a file.
public struct FileJudgement: Sendable {
    /// Who asks.
    public let asker: Asker
    /// Whether it is to be stored or removed; else it is to be read.
    public let isWrite: Bool
    /// The steps of the file's path, which need not be keys.
    public let names: [String]
    /// What is sent and what is there; nothing is sent to remove a file.
    public let facts: FileFacts

    /// Puts a question together.
    public init(_ asker: Asker, isWrite: Bool, names: [String], facts: FileFacts) {
        self.asker = asker
        self.isWrite = isWrite
        self.names = names
        self.facts = facts
    }

    /// Answers the question for a state.
    ///
    /// - Parameters:
    ///   - rules: those in force at that state.
    ///   - now: the clock in ms since 1970.
    /// - Returns: what the rules said; nil where they have no say. Where no rules were ever stored, files are
    ///   as open as data is.
    /// - Throws: `permissionDenied` where there are none and nothing is open.
    public func verdict(
        _ state: State, under rules: StandingRules?, now: Int64
    ) throws(Refusal) -> Verdict? {
        guard let standing = try asker.standing(under: rules) else { return nil }
        let context = JudgingContext(
            auth: standing.auth, now: max(now, state.time), root: state.root, records: .counts)
        return standing.rules.set.judgeFile(isWrite ? .write : .read, at: names, facts, in: context)
    }
}
