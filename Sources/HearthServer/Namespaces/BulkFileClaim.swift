// Who answers for the file of a large value until the journal names it.
import HearthStorage
import Synchronization

/// A synced bulk file that a record is to name.
///
/// If none ever does, since the write is refused or its client is gone, a worker removes the file when the
/// last who might still write it lets go.
final class BulkFileClaim: Sendable {
    let reference: BulkReference
    private let isRecorded = Atomic(false)
    private let services: Services

    init(_ reference: BulkReference, _ services: Services) {
        self.reference = reference
        self.services = services
    }

    deinit {
        guard !isRecorded.load(ordering: .acquiring) else { return }
        let (reference, services) = (reference, services)
        services.workers.run { services.remove(reference) }
    }

    /// Notes that the record at `position` names the file: from now on it stays as long as that is needed.
    /// Call it under the lock under which the record was appended, so that no checkpoint that holds the
    /// record can begin before.
    func noteRecorded(at position: Position) {
        isRecorded.store(true, ordering: .releasing)
        services.vault?.directory.noteRecorded(reference, at: position)
    }
}

extension Services {
    /// Removes a bulk file that no record names. Blocks.
    fileprivate func remove(_ file: BulkReference) {
        do throws(StorageFailure) {
            try vault?.directory.abandon(file)
        } catch {
            log.warning("bulk file not removed", ("reason", "\(error)"))
        }
    }
}
