// Gives a message to a program such as `sendmail -t -i`.
import CLinux
import Glibc

/// A program that takes a message on its standard input; it is run without a shell.
struct MailCommand: Sendable {
    /// How long the program may take, in milliseconds.
    private static let patience: Int32 = 30_000

    private let words: [String]

    /// - Precondition: there is at least the name of the program.
    init(_ words: [String]) {
        precondition(!words.isEmpty, "a command has a name")
        self.words = words
    }

    /// Runs the program once and waits for its end. Blocks.
    ///
    /// - Returns: why the message was not taken; nil if the program ended with 0.
    func run(_ message: [UInt8]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { return "no socket: \(SystemFailure.text(of: errno))" }
        let ours = Descriptor(owning: ends[0])
        var pid: pid_t = 0
        let code: Int32
        do {
            let theirs = Descriptor(owning: ends[1])
            code = spawn(theirs.number, &pid)
        }
        guard code == 0 else { return "cannot run \(words[0]): \(SystemFailure.text(of: code))" }
        let process = hearth_open_process(pid)
        defer { if process >= 0 { close(process) } }
        let isTaken = feed(message, to: ours.number)
        _ = shutdown(ours.number, Int32(SHUT_WR))
        return wait(for: pid, process, isTaken)
    }

    /// Starts the program with its own signals, and the socket as its standard input.
    private func spawn(_ input: Int32, _ pid: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var pipes = sigset_t()
        sigemptyset(&pipes)
        sigaddset(&pipes, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &pipes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        return posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ)
    }

    /// Sends the message as the program reads it; false if it does not.
    private func feed(_ message: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < message.count {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, MailCommand.patience) > 0 else { return false }
            let count = message.withUnsafeBytes { bytes in
                send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private func wait(for pid: pid_t, _ process: Int32, _ isTaken: Bool) -> String? {
        var request = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        if process >= 0, poll(&request, 1, MailCommand.patience) == 0 {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            return "\(words[0]) did not end within \(MailCommand.patience / 1_000) s"
        }
        var status: Int32 = 0
        guard waitpid(pid, &status, 0) == pid else { return "\(words[0]) cannot be waited for" }
        let isExit = status & 0x7F == 0
        guard isExit, status >> 8 & 0xFF == 0 else {
            return isExit
                ? "\(words[0]) ended with \(status >> 8 & 0xFF)" : "\(words[0]) was ended by a signal"
        }
        return isTaken ? nil : "\(words[0]) did not read the whole message"
    }
}
