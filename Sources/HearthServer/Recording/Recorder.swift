// Gives each commit its place in the journal, before anything else may follow from it.
import HearthStorage
import Synchronization

/// Where records go on their way to the disk: a leaf lock that is taken last, while a namespace is locked,
/// so that the order of the journal is the order of the commits.
///
/// Without files positions are still given, but nothing is kept of the records.
final class Recorder: Sendable {
    /// A record's place, and whether the journal's thread must be woken for it.
    struct Place {
        let position: Position
        let wakes: Bool
    }

    private struct Waiting {
        /// What waits for the disk; nil without files.
        var records: PendingRecords?
        var last: Position
        var isAsleep = false
    }

    private let waiting: Mutex<Waiting>
    private let bell: Bell
    /// Whether records are kept at all; if not, encoding them is a waste.
    let keepsRecords: Bool

    /// Records go to the journal's thread, or nowhere if there is no journal.
    init(_ records: PendingRecords?) throws(SystemFailure) {
        bell = try Bell(blocking: true)
        keepsRecords = records != nil
        waiting = Mutex(Waiting(records: records, last: records?.last ?? 0))
    }

    /// The position of the newest record.
    var last: Position {
        waiting.withLock { $0.last }
    }

    /// Takes room for a record before anything is accepted; ends with `append` or `release`.
    ///
    /// - Throws: `.noSpace` when the disk has none.
    func reserve(_ byteCount: Int) throws(StorageFailure) {
        try waiting.withLock { waiting throws(StorageFailure) in
            try waiting.records?.reserve(byteCount)
        }
    }

    /// Gives a reservation back.
    func release(_ byteCount: Int) {
        waiting.withLock { waiting in
            waiting.records?.release(reserved: byteCount)
        }
    }

    /// Appends a record, which must be there if records are kept.
    ///
    /// - Parameter isReserved: whether room was taken for it.
    func append(_ record: EncodedRecord?, isReserved: Bool) -> Place {
        waiting.withLock { waiting in
            if let record {
                waiting.last =
                    waiting.records?.append(record, reserved: isReserved ? record.byteCount : nil)
                    ?? waiting.last + 1
            } else {
                precondition(waiting.records == nil, "a journal keeps every record")
                waiting.last += 1
            }
            defer { waiting.isAsleep = false }
            return Place(position: waiting.last, wakes: waiting.isAsleep)
        }
    }

    /// Wakes the journal's thread; to be called after all locks are given back.
    func wake() {
        bell.ring()
    }

    /// Takes what waits, for a flush; nil when there is nothing, and the next record will wake the caller.
    func take() -> Batch? {
        waiting.withLock { waiting in
            guard waiting.records?.isEmpty == false else {
                waiting.isAsleep = true
                return nil
            }
            return waiting.records?.take()
        }
    }

    /// Sleeps until there may be a record, or somebody has woken the thread for another reason.
    func sleep(atMostNanoseconds: Int64?) {
        bell.listen(atMostNanoseconds: atMostNanoseconds)
    }

    /// Says how much room the journal has now.
    func update(room: JournalRoom) {
        waiting.withLock { waiting in
            waiting.records?.update(room: room)
        }
    }
}
