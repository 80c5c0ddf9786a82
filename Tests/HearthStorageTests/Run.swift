// A whole run on a simulated disk: every kind of step in a random order, until the story is told or
// something fails.
import HearthCore
import HearthTesting

@testable import HearthStorage

/// Tells a story to a directory, step by step, and remembers what was acknowledged.
///
/// The same seed makes the same calls to the disk, so that a fault can be planned for each of them.
struct Run {
    /// What a failed step was.
    enum Step: Hashable {
        case open, flush, prepare, checkpoint, release, close, bulk
    }

    private(set) var story: Story
    /// How many records are told to be durable.
    private(set) var acknowledged = 0
    /// How many records were handed to the journal.
    private(set) var offered = 0
    /// How many records the newest finished checkpoint holds.
    private(set) var checkpointed = 0
    private(set) var failedStep: Step?
    private(set) var failure: StorageFailure?
    private let recordCount: Int
    private let options: DirectoryOptions
    private var random: SeededRandom

    init(recordCount: Int = 36, options: DirectoryOptions = Rig.options, using random: inout SeededRandom) {
        self.recordCount = recordCount
        self.options = options
        self.random = random.branch()
        story = Story(using: &self.random)
    }

    /// Runs to the end of the story or to the first failure.
    mutating func go(on disk: SimulatedDisk) {
        do {
            while offered < recordCount {
                failedStep = .open
                var rig = try Rig(disk, options, seed: random.next())
                acknowledged = Int(rig.journal.durable)
                try session(&rig)
                failedStep = .close
                if random.oneIn(2) { try rig.directory.close() }
                disk.endProcess()
            }
            failedStep = nil
        } catch {
            failure = error
            disk.endProcess()
        }
    }

    /// Goes on after a crash from what was found: the story forgets what was lost.
    mutating func goOn(from count: Int, on disk: SimulatedDisk) {
        story.forget(after: count)
        offered = count
        failedStep = nil
        failure = nil
        go(on: disk)
    }

    private mutating func session(_ rig: inout Rig) throws(StorageFailure) {
        for _ in 0..<Int.random(in: 3...12, using: &random) where offered < recordCount {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                failedStep = .checkpoint
                checkpointed = max(checkpointed, Int(try rig.checkpoint(story.now).position))
            case 1:
                failedStep = .release
                try rig.journal.release(before: Position(checkpointed - 5))
            case 2, 3:
                failedStep = .prepare
                try rig.journal.prepareNextSegment()
            case 4: try bulk(&rig)
            default: try flush((0..<Int.random(in: 1...3, using: &random)).map { _ in story.next() }, &rig)
            }
        }
    }

    private mutating func bulk(_ rig: inout Rig) throws(StorageFailure) {
        guard let name = story.now.keys.min(), let state = story.now[name] else { return }
        failedStep = .bulk
        let node = random.node(levels: 3)
        let file =
            random.oneIn(2) ? try bulkText(of: node, rig.directory) : try rig.directory.writeBulkFile(node)
        let commit = BulkCommit(
            revision: state.revision + 1, time: state.lastTime, path: .known("/rooms"),
            mode: random.oneIn(2) ? .merge : .replace, file: file, undo: nil)
        rig.directory.noteRecorded(file, at: rig.journal.written + 1)
        try flush([story.add(JournalRecord(namespace: name, .bulk(commit)), bulk: node)], &rig)
    }

    private mutating func bulkText(of node: Node, _ directory: DataDirectory) throws(StorageFailure)
        -> BulkReference
    {
        var text = try directory.beginBulkText()
        var rest = NodeSerializer.bytes(of: node, .export)[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &random)
            try text.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return try text.finish()
    }

    private mutating func flush(_ records: [JournalRecord], _ rig: inout Rig) throws(StorageFailure) {
        failedStep = .flush
        offered += records.count
        try rig.flush(records)
        acknowledged = offered
    }

    /// Why what was found at `position` may not be there; empty if it may.
    func faults(of found: [String: RecoveredNamespace], at position: Position) -> [String] {
        guard (acknowledged...offered).contains(Int(position)) else {
            return ["record \(position) is the last, not one of \(acknowledged)…\(offered)"]
        }
        return found.differences(from: story.states[Int(position)])
    }
}
