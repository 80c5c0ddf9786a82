// The commits that a stream can still be told again.

public import HearthCore
import HearthRules

/// The newest commits of a namespace, bounded in bytes and in number.
///
///     revision   1 … floor │ floor + 1 …                               … newest
///                forgotten │ sealed chunk │ sealed chunk │ sealed chunk │ open
///
/// A cursor from the floor on can be resumed; the undo of the kept commits leads back to the floor. Sealed
/// chunks are shared, so that a part of the history can be kept by a replay for nearly free.
struct History: Sendable {
    /// Some commits in a row; does not change any more.
    final class Chunk: Sendable {
        let commits: [Commit]
        let weight: Int

        init(_ commits: [Commit], weight: Int) {
            self.commits = commits
            self.weight = weight
        }
    }

    private static let chunkCommitLimit = 256
    private static let chunkWeightLimit = 32_768

    /// What the kept commits may weigh in all.
    var byteLimit: Int
    /// How many commits may be kept.
    var countLimit: Int
    /// The smallest revision from which what follows can be told.
    private(set) var floor: Revision
    /// What the kept commits weigh.
    private(set) var weight = 0
    /// How many commits are kept.
    private(set) var count = 0

    private var sealed = Queue<Chunk>()
    /// How many commits of the first chunk are forgotten already.
    private var forgottenCount = 0
    private var open: [Commit] = []
    private var openWeight = 0

    /// Remembers nothing from before `floor`.
    init(floor: Revision, byteLimit: Int, countLimit: Int) {
        self.floor = floor
        self.byteLimit = byteLimit
        self.countLimit = countLimit
    }

    /// Remembers a commit and forgets what no longer fits. One without undo cannot be gone back over: it
    /// raises the floor to itself. What was forgotten and is large is handed over, to be freed elsewhere.
    ///
    /// - Complexity: amortised O(1).
    mutating func append(_ commit: Commit, retiring retired: inout [Retired]) {
        precondition(commit.revision == floor + Revision(count) + 1, "history has no gaps")
        let commitWeight = commit.weight
        open.append(commit)
        openWeight += commitWeight
        weight += commitWeight
        count += 1
        if commit.undo == nil {
            seal()
            retired.append(Retired(sealed.removeAll()))
            (weight, count, forgottenCount) = (0, 0, 0)
            floor = commit.revision
        } else if open.count == Self.chunkCommitLimit || openWeight > Self.chunkWeightLimit {
            seal()
        }
        trim(retiring: &retired)
    }

    /// Forgets what no longer fits, for instance after a limit was lowered.
    mutating func trim(retiring retired: inout [Retired]) {
        while count > 0, count > countLimit || weight > byteLimit {
            if sealed.isEmpty { seal() }
            guard let first = sealed.first else { return }
            weight -= first.commits[forgottenCount].weight
            forgottenCount += 1
            floor += 1
            count -= 1
            guard forgottenCount == first.commits.count else { continue }
            _ = sealed.popFirst()
            forgottenCount = 0
            if first.weight > Retired.weightThreshold { retired.append(Retired([first])) }
        }
    }

    /// The commits after `revision`, oldest first, shared with the history.
    ///
    /// - Precondition: `revision` is at or above the floor.
    /// - Complexity: O(chunks).
    func commits(after revision: Revision) -> Missed {
        precondition(revision >= floor, "below the floor nothing is kept")
        return Missed(chunks: sealed.dropFirst(0), open: open, after: revision)
    }

    private mutating func seal() {
        guard !open.isEmpty else { return }
        sealed.append(Chunk(open, weight: openWeight))
        open = []
        openWeight = 0
    }
}

/// The commits that a stream has missed, of all places.
struct Missed: Sendable {
    private var chunks: [History.Chunk]
    private let open: [Commit]
    private let revision: Revision
    /// About how many bytes they weigh, at most.
    let weight: Int

    init(chunks: [History.Chunk], open: [Commit], after revision: Revision) {
        let first = chunks.partitionPoint { ($0.commits.last?.revision ?? 0) <= revision }
        self.chunks = Array(chunks[first...])
        self.open = open
        self.revision = revision
        weight = self.chunks.reduce(0) { $0 + $1.weight } + open.reduce(0) { $0 + $1.weight }
    }

    /// Those that touch a place, oldest first.
    ///
    /// - Complexity: O(commits).
    func touching(_ path: Path) -> [Commit] {
        var touching: [Commit] = []
        for chunk in chunks {
            touching += chunk.commits.filter { $0.revision > revision && $0.touches(path) }
        }
        return touching + open.filter { $0.revision > revision && $0.touches(path) }
    }

    /// Whether one of them may have changed what rules saw of a place that they looked at.
    ///
    /// - Complexity: O(commits · paths).
    func shake(_ reads: ReadSet) -> Bool {
        guard !reads.paths.isEmpty else { return false }
        let isShaking = { (commit: Commit) in commit.revision > revision && commit.shakes(reads) }
        return open.contains(where: isShaking) || chunks.contains { $0.commits.contains(where: isShaking) }
    }
}

extension Commit {
    private static let baseWeight = 200

    /// About how many bytes the commit keeps in memory.
    var weight: Int {
        let redo = edits.reduce(0) { $0 + $1.weight }
        let back = undo?.reduce(0) { $0 + $1.weight } ?? 0
        return Self.baseWeight + redo + back + (rules?.count ?? 0)
    }

    /// Whether what rules see of a place may differ between the states before and after: its own value and
    /// priority, and whether it has children.
    ///
    /// The way back names the highest place that differs in more than a child, so a write below a place that
    /// had children before and after is none for it.
    func shakes(_ reads: ReadSet) -> Bool {
        guard let undo else { return true }
        return undo.contains { edit in reads.paths.contains { edit.path.contains($0) } }
    }

    /// Whether what stands at `path` may differ between the states before and after.
    public func touches(_ path: Path) -> Bool {
        edits.contains { $0.path.contains(path) || path.contains($0.path) }
    }
}
