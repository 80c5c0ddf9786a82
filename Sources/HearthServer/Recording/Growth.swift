// How much the journal has grown: when the next checkpoint is due, and how far back so many bytes reach.
import HearthStorage

/// Counts the bytes of records that are written.
struct Growth: Sendable {
    /// What is counted between two marks.
    private static let distance = 1 << 20

    var sinceCheckpoint = 0
    var limit = Int.max
    var action: (@Sendable () -> Void)?
    private var total = 0
    private var marks: [(total: Int, position: Position)] = []

    /// Counts a batch, and returns what is to be called when the limit has been passed.
    mutating func add(_ byteCount: Int, upTo position: Position) -> (@Sendable () -> Void)? {
        total += byteCount
        sinceCheckpoint += byteCount
        if total - (marks.last?.total ?? 0) >= Growth.distance { marks.append((total, position)) }
        guard sinceCheckpoint >= limit else { return nil }
        sinceCheckpoint = 0
        return action
    }

    /// The position before which records can go if the newest `byteLimit` bytes are kept; 0 if all are fewer.
    mutating func position(keeping byteLimit: Int) -> Position {
        let bound = total - byteLimit
        let older = marks.prefix { $0.total <= bound }
        let position = older.last?.position ?? 0
        if older.count > 1 { marks.removeFirst(older.count - 1) }
        return position
    }
}
