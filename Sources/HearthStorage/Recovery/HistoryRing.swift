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
    private struct Entry {
        let name: String
        let generation: Int
        let weight: Int
    }

    private struct Line {
        var generation = 0
        var commits: [Commit] = []
        var start = 0
        var floor: Revision
    }

    private let limits: HistoryLimits
    private var lines: [String: Line] = [:]
    private var queue: [Entry] = []
    private var queueStart = 0
    private var weight = 0
    private var nextGeneration = 0

    init(_ limits: HistoryLimits) {
        self.limits = limits
    }

    /// Forgets a namespace's commits: history is complete from `floor` on.
    mutating func cut(_ name: String, floor: Revision) {
        nextGeneration += 1
        lines[name] = Line(generation: nextGeneration, floor: floor)
    }

    /// Forgets a namespace's commits: history begins with the next one.
    mutating func forget(_ name: String) {
        lines[name] = nil
    }

    /// Appends the next commit; one that cannot be undone cuts.
    mutating func append(_ commit: Commit, to name: String) {
        guard let undo = commit.undo, commit.kind != .rules else { return cut(name, floor: commit.revision) }
        if lines[name] == nil { cut(name, floor: commit.revision - 1) }
        guard var line = lines.removeValue(forKey: name) else { return }
        let size = (commit.edits + undo).reduce(128) { $0 + $1.weight }
        line.commits.append(commit)
        queue.append(Entry(name: name, generation: line.generation, weight: size))
        weight += size
        if line.commits.count - line.start > limits.commitsPerNamespace { HistoryRing.dropFirst(&line) }
        lines[name] = line
        while weight > limits.byteCount && queueStart < queue.count { dropOldest() }
    }

    /// The commits of `name` after the floor, and the floor: not below `lowest`.
    func commits(of name: String, revision: Revision, lowest: Revision) -> (
        floor: Revision, commits: [Commit]
    ) {
        guard let line = lines[name] else { return (revision, []) }
        let floor = max(line.floor, lowest)
        return (floor, Array(line.commits[line.start...].drop { $0.revision <= floor }))
    }

    private mutating func dropOldest() {
        let oldest = queue[queueStart]
        queueStart += 1
        weight -= oldest.weight
        if queueStart > 1_024 && queueStart * 2 > queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
        guard var line = lines[oldest.name], line.generation == oldest.generation else { return }
        lines[oldest.name] = nil
        if line.start < line.commits.count { HistoryRing.dropFirst(&line) }
        lines[oldest.name] = line
    }

    private static func dropFirst(_ line: inout Line) {
        line.floor = line.commits[line.start].revision
        line.start += 1
        if line.start > 1_024 && line.start * 2 > line.commits.count {
            line.commits.removeFirst(line.start)
            line.start = 0
        }
    }
}
