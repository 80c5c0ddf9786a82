// Ctrl-C as a descriptor that can be waited for.

import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a readable descriptor, once; a second signal ends the process as usual.
enum Interruption {
    private static let writeEnd = Atomic<Int32>(-1)
    private static let requested = Atomic<Bool>(false)

    /// Whether a signal has come.
    static var isRequested: Bool { requested.load(ordering: .acquiring) }

    /// Begins to listen; returns the descriptor that becomes readable at the first signal.
    static func listen() throws(CommandFailure) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failed("cannot make a pipe: \(systemMessage(errno))") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        writeEnd.store(ends[1], ordering: .releasing)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in Interruption.note() }
        action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            sigaction(number, &action, nil)
            sigaddset(&signals, number)
        }
        // Whoever started the program may have blocked them, and the mask is inherited.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return ends[0]
    }

    /// Runs inside the signal handler: two atomics and one write, all of which may be done there.
    private static func note() {
        let code = errno
        requested.store(true, ordering: .releasing)
        var byte: UInt8 = 1
        _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = code
    }
}
