// The end of a process that must not go on.
import Glibc
import HearthStorage

/// Ends the process after the disk has failed in a way that leaves its content unknown.
enum Fatal {
    /// Logs the failure and ends the process at once, without any further write.
    static func stop(_ failure: StorageFailure, _ log: Log) -> Never {
        log.error("stopped: the disk cannot be trusted any more", ("reason", "\(failure)"))
        _exit(1)
    }
}
