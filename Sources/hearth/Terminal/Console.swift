// Standard input, output and error, and which of them a person sits at.

import Glibc

/// Where the program talks: data to standard output, everything else to standard error.
struct Console: Sendable {
    /// Whether a person types what is read.
    let inputIsTerminal: Bool
    /// Whether a person reads the data.
    let outputIsTerminal: Bool
    /// Whether a person reads the talk; only then there is progress.
    let errorIsTerminal: Bool
    /// Whether data may be coloured: a terminal, and neither NO_COLOR nor a dumb terminal.
    let outputTakesColor: Bool

    /// Looks at the three descriptors of the process.
    static func ofProcess(environment: [String: String]) -> Console {
        let isDumb = environment["TERM"] == "dumb" || environment["NO_COLOR"].map { !$0.isEmpty } == true
        return Console(
            inputIsTerminal: isatty(STDIN_FILENO) == 1, outputIsTerminal: isatty(STDOUT_FILENO) == 1,
            errorIsTerminal: isatty(STDERR_FILENO) == 1,
            outputTakesColor: isatty(STDOUT_FILENO) == 1 && !isDumb)
    }

    /// Says one line on standard error. Nobody can be told when that fails, so it is not looked at.
    func tell(_ line: String) {
        tellWithoutLineEnd(line + "\n")
    }

    /// Says `text` on standard error as it is, for questions and progress.
    func tellWithoutLineEnd(_ text: String) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { _ = writeAll($0, to: STDERR_FILENO) }
    }

    /// Writes a line of data to standard output.
    func print(_ line: String) throws(CommandFailure) {
        try printBytes(Array((line + "\n").utf8))
    }

    /// Writes data to standard output as it is.
    func printBytes(_ bytes: [UInt8]) throws(CommandFailure) {
        let code = bytes.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
        if let failure = Console.outputFailure(code) { throw failure }
    }

    /// Why standard output could not take data, nil for code 0.
    static func outputFailure(_ code: Int32) -> CommandFailure? {
        switch code {
        case 0: nil
        case EPIPE: .outputClosed
        default: .failed("cannot write to standard output: \(systemMessage(code))")
        }
    }

    /// Asks a question that only `y` or `yes` answers with yes.
    ///
    /// - Throws: when no terminal is there to ask at; the text recommends `--force`.
    func confirm(_ question: String, otherwise reason: String) throws(CommandFailure) {
        guard inputIsTerminal, errorIsTerminal else {
            throw .failed("\(reason); nothing was done. Say --force to do it without being asked")
        }
        tellWithoutLineEnd("\(question) [y/N] ")
        let answer = (readLine() ?? "").trimmed.lowercased()
        guard answer == "y" || answer == "yes" else { throw .failed("nothing was done") }
    }
}

/// Writes all of `bytes`; returns 0, or the code of the error that stopped it.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&wanted, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}

/// What the system says about an error code, without a capital letter, since it stands inside a sentence.
func systemMessage(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    let message = String(cString: text)
    return message.prefix(1).lowercased() + message.dropFirst()
}
