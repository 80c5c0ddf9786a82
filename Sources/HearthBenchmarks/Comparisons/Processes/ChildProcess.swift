// A program that was started beside the generator.
import Glibc
import Synchronization

/// A running program with its own process group, so that what it starts itself ends with it.
///
/// Only `Leftovers` starts one, and ends it.
final class ChildProcess: Sendable {
    /// How long a program that was asked to stop may take, in seconds.
    private static let patience = 10.0

    /// The process, which is also the number of its group.
    let id: pid_t
    /// The program's name and the file that has what it writes, for reports.
    let program: String
    let outputPath: String
    /// How it ended, as `waitpid` tells it; nil while it runs.
    private let status = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - program: a path.
    ///   - outputPath: is made, and gets standard output and standard error.
    init(_ program: String, _ arguments: [String], output outputPath: String) throws(ComparisonFailure) {
        self.program = program
        self.outputPath = outputPath
        var id: pid_t = 0
        let code = ChildProcess.spawn(&id, [program] + arguments, output: outputPath)
        guard code == 0 else {
            throw ComparisonFailure("cannot start \(program): \(String(cString: strerror(code)))")
        }
        self.id = id
    }

    /// Whether it has ended by itself or by a signal.
    var hasEnded: Bool { ending != nil }

    /// Its exit status, 128 and more for a signal; nil while it runs.
    var ending: Int32? {
        status.withLock { status -> Int32? in
            if status == nil {
                var found: Int32 = 0
                let result = waitpid(id, &found, WNOHANG)
                if result == id { status = found & 0x7F == 0 ? found >> 8 & 0xFF : 128 + found & 0x7F }
                if result < 0 { status = -1 }
            }
            return status
        }
    }

    /// What it has written so far.
    var output: String { (try? TextFile.read(outputPath)) ?? "" }  // An unreadable file has nothing to show.

    /// Sends a signal to the process alone, or to its whole group.
    func signal(_ number: Int32, group: Bool = false) {
        guard group || !hasEnded else { return }
        _ = kill(group ? -id : id, number)
    }

    /// Waits for its end; false when it still runs after `seconds`.
    func waitForEnd(seconds: Double) -> Bool {
        let deadline = Now.microseconds + UInt64(seconds * 1_000_000)
        while !hasEnded {
            guard Now.microseconds < deadline else { return false }
            usleep(2_000)
        }
        return true
    }

    /// Ends it, in order if it can, and waits for that.
    func stop() {
        signal(SIGTERM)
        if waitForEnd(seconds: ChildProcess.patience) { return }
        signal(SIGKILL, group: true)
        _ = waitForEnd(seconds: ChildProcess.patience)
    }

    private static func spawn(_ id: inout pid_t, _ words: [String], output: String) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let mode = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, mode, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        return posix_spawn(&id, words[0], &actions, &attributes, arguments, environ)
    }
}
