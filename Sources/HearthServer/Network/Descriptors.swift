// How many descriptors the process may have, and how a full table is survived.
import Glibc

/// The process's share of descriptors.
enum Descriptors {
    /// Kept back for the journal, checkpoints, backups, the poller and administration.
    static let reserved = 64

    /// Raises the soft limit to the hard one, as far as the system allows, and returns how many may be open.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_max : soft)
    }
}

/// A descriptor kept open for nothing, so that it can be given up when a connection is waiting and none is
/// left: the connection is then taken and closed, instead of being announced by the poller for ever.
struct SpareDescriptor: ~Copyable {
    private var number: Int32

    init() {
        number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        if number >= 0 { _ = close(number) }
    }

    /// Takes one waiting connection of `listener` and closes it at once.
    mutating func turnAway(_ listener: Int32, by poller: any Poller) {
        if number >= 0 { _ = close(number) }
        let visitor = poller.accept(listener).number
        if visitor >= 0 { poller.close(visitor) }
        number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}
