// The commits that recovery keeps for streams to resume from, bounded over all namespaces.
import HearthCore

/// How much history is kept.
public struct HistoryLimits: Hashable, Sendable {
    /// About how many bytes of redo and undo, over all namespaces.
    public var byteCount: Int
    /// How many commits of one namespace.
    public var commitsPerNamespace: Int

    /// By default 64 MB and 100,000 commits (architecture.md §5).
    public init(byteCount: Int = 64 << 20, commitsPerNamespace: Int = 100_000) {
        self.byteCount = byteCount
        self.commitsPerNamespace = commitsPerNamespace
    }
}

/// The newest commits of each namespace without a gap; when they are too many the oldest of all goes first.
struct HistoryRing {
    private struct Line {
        /// Counts the cuts, so that what the queue knows of commits of before is not mistaken for later ones.
        var generation = 0
        var commits: [Commit] = []
        var start = 0
        /// From which revision on history is complete; nil: it begins with the next commit.
        var floor: Revision?
    }

    private struct Entry {
        let line: Int
        let generation: Int
        let weight: Int
    }

    private let limits: HistoryLimits
    private var lines: [Line] = []
    private var numbers: [String: Int] = [:]
    private var queue: [Entry] = []
    private var queueStart = 0
    private var weight = 0

    init(_ limits: HistoryLimits) {
        self.limits = limits
    }

    /// Forgets a namespace's commits: history is complete from `floor` on, or begins with the next commit.
    mutating func cut(_ name: String, floor: Revision?) {
        cut(number(of: name), floor: floor)
    }

    private mutating func cut(_ line: Int, floor: Revision?) {
        lines[line] = Line(generation: lines[line].generation + 1, floor: floor)
    }

    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = lines.count
        lines.append(Line())
        return lines.count - 1
    }

    /// The revision of the last commit that is remembered, or behind which history begins; nil if neither is
    /// known.
    func newest(of name: String) -> Revision? {
        guard let number = numbers[name] else { return nil }
        return lines[number].commits.last?.revision ?? lines[number].floor
    }

    /// Appends the next commit; one that cannot be undone cuts.
    mutating func append(_ commit: Commit, to name: String) {
        let line = number(of: name)
        guard let undo = commit.undo, commit.kind != .rules else { return cut(line, floor: commit.revision) }
        if lines[line].floor == nil { lines[line].floor = commit.revision - 1 }
        let size = commit.edits.reduce(128) { $0 + $1.weight } + undo.reduce(0) { $0 + $1.weight }
        lines[line].commits.append(commit)
        queue.append(Entry(line: line, generation: lines[line].generation, weight: size))
        weight += size
        if lines[line].commits.count - lines[line].start > limits.commitsPerNamespace { dropFirst(line) }
        while weight > limits.byteCount && queueStart < queue.count { dropOldest() }
    }

    /// The commits of `name` after the floor, and the floor: not below `lowest`.
    func commits(of name: String, revision: Revision, lowest: Revision) -> (
        floor: Revision, commits: [Commit]
    ) {
        guard let number = numbers[name], let own = lines[number].floor else { return (revision, []) }
        let floor = max(own, lowest)
        return (floor, Array(lines[number].commits[lines[number].start...].drop { $0.revision <= floor }))
    }

    private mutating func dropOldest() {
        let oldest = queue[queueStart]
        queueStart += 1
        weight -= oldest.weight
        if queueStart > 1_024 && queueStart * 2 > queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
        let line = lines[oldest.line]
        if line.generation == oldest.generation, line.start < line.commits.count { dropFirst(oldest.line) }
    }

    private mutating func dropFirst(_ line: Int) {
        let start = lines[line].start
        lines[line].floor = lines[line].commits[start].revision
        lines[line].start = start + 1
        if start > 1_024 && start * 2 > lines[line].commits.count {
            lines[line].commits.removeFirst(start + 1)
            lines[line].start = 0
        }
    }
}
