// The built server as a process of its own, which can be killed.
import Foundation
import Glibc

/// A `hearth serve` on a free port.
final class ServerProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let pipe = Pipe()
    private let ended = DispatchSemaphore(value: 0)
    private var output = ""

    /// Small files and frequent checkpoints, so that kills meet them too, and a history that a follower does
    /// not outrun but that does not make the starts longer and longer.
    static let smallFiles = ["--segment", "256kB", "--checkpoint", "128kB", "--history", "8MB"]

    /// Starts it on `directory`.
    ///
    /// - Parameter starter: a program with its arguments that makes itself the server: its last argument is
    ///   followed by the server's program and arguments.
    init(_ directory: String, _ options: [String] = smallFiles, by starter: [String] = []) throws {
        let arguments = ["serve", "--data", directory, "--listen", "127.0.0.1:0"] + options
        let command = starter + [ServerProcess.program.path] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        process.terminationHandler = { [ended] _ in ended.signal() }
        try ServerProcess.unblockingSignals { try process.run() }
        try pipe.fileHandleForWriting.close()
    }

    /// Runs another command of the program to its end.
    ///
    /// - Throws: `Failure` with what it said if it does not end well.
    static func run(_ arguments: String...) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try unblockingSignals { try process.run() }
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "hearth \(arguments.joined(separator: " ")): \(said)")
        }
    }

    /// The `hearth` to test: the one that `HEARTH` names, or the one built together with these tests.
    private static var program: URL {
        if let path = ProcessInfo.processInfo.environment["HEARTH"] { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
    }

    /// Waits for the banner and returns the port; nil when it does not come in time.
    ///
    /// - Throws: `Failure` with the output when the server ends by itself.
    func port(withinMilliseconds patience: Int32) throws -> UInt16? {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        while true {
            if let match = output.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/) { return UInt16(match.1) }
            var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&interest, 1, patience) > 0 else { return nil }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { throw Failure(description: "the server ended by itself:\n\(output)") }
            output += String(decoding: chunk.prefix(count), as: UTF8.self)
        }
    }

    var number: Int32 { process.processIdentifier }

    /// Waits until it has ended by itself, and returns its status and all that it has said.
    func waitForEnd() throws -> (status: Int32, output: String) {
        guard ended.wait(timeout: .now() + 60) == .success else {
            throw Failure(description: "the server does not end:\n\(output)")
        }
        guard process.terminationReason == .exit else {
            throw Failure(description: "the server was ended by signal \(process.terminationStatus)")
        }
        return (process.terminationStatus, output + rest())
    }

    /// Kills it and waits until it is gone.
    func kill() throws {
        try end(by: SIGKILL)
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw Failure(description: "the server ended by itself:\n\(output)\(rest())")
        }
    }

    /// Asks it to stop and waits until it has; it must end well.
    func stop() throws {
        try end(by: SIGTERM)
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "the server did not stop well:\n\(output)\(rest())")
        }
    }

    private func end(by signal: Int32) throws {
        _ = Glibc.kill(process.processIdentifier, signal)
        guard ended.wait(timeout: .now() + 60) == .success else {
            throw Failure(description: "the server does not end on signal \(signal):\n\(output)")
        }
    }

    private func rest() -> String {
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Threads of a test may have blocked signals, which a child would inherit.
    private static func unblockingSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
}
