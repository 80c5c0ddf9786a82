// The seam behind which records become durable: today files, later a table that several machines share.

/// An ordered log of records: what is appended is durable when `append` returns.
public protocol CommitLog: ~Copyable {
    /// The position of the last record that is durable.
    var durable: Position { get }

    /// The position of the oldest record that can still be read; one after `durable` if there is none.
    var oldest: Position { get }

    /// Makes `batch` durable; its first position is the one after the last.
    ///
    /// - Throws: a failure after which nothing is known about the batch is fatal.
    mutating func append(_ batch: Batch) throws(StorageFailure)

    /// The durable records from `position` on, at most about `byteLimit` bytes of them but at least one if
    /// there is one.
    ///
    /// - Throws: `.missing` if `position` is older than `oldest`.
    func read(from position: Position, byteLimit: Int) throws(StorageFailure) -> [PlacedRecord]
}
