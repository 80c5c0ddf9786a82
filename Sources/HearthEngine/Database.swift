// One namespace: its states, its history, and who listens to it.

public import HearthCore
import HearthSync

/// One namespace. It lives in a lock; nothing in it blocks, and it never calls out.
///
///     durable ──▶ pending, oldest … newest        states
///     floor … newest                              history: commits with redo and undo
///     view trie                                   who must hear of a commit
///     rules, watched places                       who may, and when to ask again
///     on-disconnect writes                        what sessions leave for their end
///
/// A write goes through `prepare`, then through the journal, then through `commit`, all under the lock.
public struct Database: ~Copyable, Sendable {
    /// What limits the memory that a database keeps beside its newest state.
    public struct Limits: Hashable, Sendable {
        /// What the history may weigh.
        public var historyByteCount: Int
        /// How many commits the history may have.
        public var historyCommitCount: Int
        /// The largest undo that is kept, in bytes of JSON; a commit with a larger one raises the floor.
        public var undoByteCount: Int

        /// The default limits are those of architecture.md §4 and §5.
        public init(
            historyByteCount: Int = 64 << 20, historyCommitCount: Int = 100_000, undoByteCount: Int = 65_536
        ) {
            self.historyByteCount = historyByteCount
            self.historyCommitCount = historyCommitCount
            self.undoByteCount = undoByteCount
        }
    }

    /// A state that has an end in the journal but is not known to be synced.
    struct Pending: Sendable {
        let position: Int64
        var state: State
        /// Whether its commit replaced more than is freed under the lock.
        let dropsMuch: Bool
    }

    /// The first part of this namespace's cursors.
    public let epoch: String
    /// The limits that hold now; a lower history limit takes effect at once.
    public var limits: Limits { didSet { applyLimits() } }

    /// What all commits so far made; may hold what a crash can still undo.
    public internal(set) var newest: State
    /// The newest state that is synced: what reads are served from.
    public internal(set) var durable: State
    /// Where the newest state's record ends in the journal; 0 before the first commit of this run.
    public internal(set) var newestPosition: Int64 = 0

    var pending = Queue<Pending>()
    var history: History
    var views = ViewTree()
    var watches = WatchTree()
    var timeline: RuleTimeline
    var retired: [Retired] = []
    var pushIDs = PushIDGenerator()
    var indexing = Indexing()
    var onDisconnect = OnDisconnectTable()

    /// Opens a namespace at a state that is durable.
    ///
    /// - Parameters:
    ///   - epoch: letters and digits; another one than before whenever revisions may be used again.
    ///   - history: commits without gap that end at the state's revision; they can be resumed from.
    public init(
        epoch: String, state: State = State(), history commits: [Commit] = [], limits: Limits = Limits()
    ) {
        self.epoch = epoch
        self.limits = limits
        newest = state
        durable = state
        timeline = RuleTimeline(state)
        history = History(
            floor: state.revision - Revision(commits.count), byteLimit: limits.historyByteCount,
            countLimit: limits.historyCommitCount)
        for commit in commits { history.append(commit, retiring: &retired) }
    }

    /// The number of commits so far.
    public var revision: Revision { newest.revision }

    /// The smallest revision from which a cursor can be resumed.
    public var historyFloor: Revision { history.floor }

    /// What a client is told about a state that it saw.
    public func cursor(of state: State) -> Cursor {
        Cursor(epoch: epoch, revision: state.revision)
    }

    /// What a commit's `now` is: never less than that of the commit before.
    public func time(now: Int64) -> Int64 {
        #if DEBUG
            if PlantedFault.isPlanted(.goesBackInTime) { return now }
        #endif
        return max(newest.time, now)
    }

    /// The name of a child to be made by a POST, with the same time as the commit that follows.
    public mutating func pushID(now: Int64, using generator: inout some RandomNumberGenerator) -> Key {
        pushIDs.next(at: time(now: now), using: &generator)
    }

    /// Hands over what is to be freed; most often there is nothing.
    public mutating func takeRetired() -> [Retired] {
        defer { retired = [] }
        return retired
    }

    private mutating func applyLimits() {
        history.byteLimit = limits.historyByteCount
        history.countLimit = limits.historyCommitCount
        history.trim(retiring: &retired)
    }
}
