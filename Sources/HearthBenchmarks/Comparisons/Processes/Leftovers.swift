// What must not be left behind: started programs and temporary folders.
import Glibc
import Synchronization

/// Everything that comparisons have started or made, ended and removed in one place: after each row, after a
/// failure, and when the program is interrupted.
enum Leftovers {
    private struct Contents {
        var processes: [ChildProcess] = []
        var folders: [String] = []
        /// Set for good by an interruption: nothing is started any more.
        var isClosed = false
    }

    private static let contents = Mutex(Contents())
    private static let interruptions = [SIGINT, SIGTERM, SIGHUP]

    /// Starts a program.
    static func start(
        _ program: String, _ arguments: [String], output: String
    ) throws(ComparisonFailure) -> ChildProcess {
        try contents.withLock { contents throws(ComparisonFailure) in
            guard !contents.isClosed else { throw ComparisonFailure("interrupted") }
            let process = try ChildProcess(program, arguments, output: output)
            contents.processes.append(process)
            return process
        }
    }

    /// Makes an empty folder.
    static func makeFolder() throws(ComparisonFailure) -> String {
        try contents.withLock { contents throws(ComparisonFailure) in
            guard !contents.isClosed else { throw ComparisonFailure("interrupted") }
            let folder = try TextFile.makeFolder()
            contents.folders.append(folder)
            return folder
        }
    }

    /// Ends all programs, waits for their ends, and removes all folders.
    static func clear(forGood: Bool = false) {
        contents.withLock { contents in
            contents.isClosed = contents.isClosed || forGood
            for process in contents.processes { process.signal(SIGTERM) }
            for process in contents.processes { process.stop() }
            for folder in contents.folders { TextFile.remove(folder) }
            contents.processes = []
            contents.folders = []
        }
    }

    /// From now on an interruption clears up, then ends the program.
    ///
    /// Call it once, before any thread is started: the signals are blocked here and waited for by a thread.
    static func clearWhenInterrupted() {
        var signals = signalSet
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { _ in Leftovers.waitForInterruption() }, nil)
        precondition(code == 0, "a thread is needed")
        pthread_detach(thread)
    }

    private static var signalSet: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in interruptions { sigaddset(&signals, number) }
        return signals
    }

    private static func waitForInterruption() -> UnsafeMutableRawPointer? {
        var signals = signalSet
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        clear(forGood: true)
        _exit(128 + number)
    }
}
