// Gives each commit its place in the journal, before anything else may follow from it.
import HearthCore
import HearthStorage
import Synchronization

/// Where records go on their way to the disk: a leaf lock that is taken last, while a namespace is locked,
/// so that the order of the journal is the order of the commits.
///
/// Without files positions are still given, but nothing is kept of the records.
final class Recorder: Sendable {
    private struct Waiting {
        /// What waits for the disk; nil without files.
        var records: PendingRecords?
        var last: Position
        /// Whether those who have appended what waits are done: half of a turn is no batch.
        var isHandedOver = false
        /// Whether the journal's thread has found nothing, and was not woken for records since.
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

    /// Appends a record, which must be there if records are kept. Whoever does so hands it over afterwards:
    /// a loop all records of its turn at once, so that they are synced together, everybody else each one.
    ///
    /// - Parameter isReserved: whether room was taken for it.
    func append(_ record: EncodedRecord?, isReserved: Bool) -> Position {
        waiting.withLock { waiting in
            if let record {
                waiting.last =
                    waiting.records?.append(record, reserved: isReserved ? record.byteCount : nil)
                    ?? waiting.last + 1
            } else {
                precondition(waiting.records == nil, "a journal keeps every record")
                waiting.last += 1
            }
            return waiting.last
        }
    }

    /// Gives the journal's thread all records so far, and wakes it if it sleeps; to be called after all
    /// locks are given back.
    func handOver() {
        #if DEBUG
            if PlantedFault.isPlanted(.keepsRecordsBack) { return }
        #endif
        let wakes = waiting.withLock { waiting in
            guard waiting.records?.isEmpty == false else { return false }
            waiting.isHandedOver = true
            defer { waiting.isAsleep = false }
            return waiting.isAsleep
        }
        if wakes { bell.ring() }
    }

    /// Whether records wait that nobody has handed over.
    var keepsRecordsBack: Bool {
        waiting.withLock { !$0.isHandedOver && $0.records?.isEmpty == false }
    }

    /// Wakes the journal's thread for something else than records.
    func wake() {
        bell.ring()
    }

    /// Takes what was handed over, for a flush; nil when nothing was: then the caller is to be woken for
    /// records.
    ///
    /// - Parameter all: whether what was not handed over is taken, too.
    func take(all: Bool = false) -> Batch? {
        waiting.withLock { waiting in
            guard waiting.records?.isEmpty == false, all || waiting.isHandedOver else {
                waiting.isAsleep = true
                return nil
            }
            waiting.isHandedOver = false
            return waiting.records?.take()
        }
    }

    /// Sleeps until there may be a record, or somebody has woken the thread for another reason.
    func awaitWake(atMostNanoseconds: Int64?) {
        bell.listen(atMostNanoseconds: atMostNanoseconds)
    }

    /// Says how much room the journal has now.
    func update(room: JournalRoom) {
        waiting.withLock { waiting in
            waiting.records?.update(room: room)
        }
    }

    /// The same after a flush, whose batch gives its memory back.
    func update(room: JournalRoom, reusing batch: inout Batch) {
        waiting.withLock { waiting in
            waiting.records?.update(room: room)
            waiting.records?.reuse(&batch)
        }
    }
}
