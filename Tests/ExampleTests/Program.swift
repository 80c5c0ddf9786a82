// Runs programs of the project as a person would, with a bound on every wait.
import Foundation
import Glibc

/// A started program whose output is read line by line.
final class Program {
    /// What kept a program from being watched further.
    enum Failure: Error, CustomStringConvertible {
        case silent(command: String, output: String)
        case failed(command: String, status: Int32, output: String)

        var description: String {
            switch self {
            case .silent(let command, let output): "'\(command)' fell silent after:\n\(output)"
            case .failed(let command, let status, let output):
                "'\(command)' ended with \(status) after:\n\(output)"
            }
        }
    }

    /// The `hearth` to test: the one that `HEARTH` names, or the one built together with these tests.
    static var hearth: URL {
        if let path = ProcessInfo.processInfo.environment["HEARTH"] { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
    }

    /// The top of this checkout.
    static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let process = Process()
    private let pipe = Pipe()
    private let command: String
    private let ended = DispatchSemaphore(value: 0)
    private var pending: [UInt8] = []
    private var hasEnded = false
    /// Everything read so far, for the report of a failure.
    private(set) var output = ""

    /// Starts `command` in bash, in `folder`, with `hearth` in PATH and standard output and error as one.
    init(_ command: String, in folder: URL, environment: [String: String] = [:], errors: Bool = true) throws {
        self.command = command
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        var variables = ProcessInfo.processInfo.environment
        for name in ["HEARTH_TOKEN", "HEARTH_URL", "FIREBASE_DATABASE_EMULATOR_HOST"] {
            variables[name] = nil
        }
        variables["PATH"] = Program.hearth.deletingLastPathComponent().path + ":" + (variables["PATH"] ?? "")
        variables["HEARTH"] = Program.hearth.path
        process.environment = variables.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        if errors { process.standardError = pipe }
        process.terminationHandler = { [ended] _ in ended.signal() }
        try unblockingSignals { try process.run() }
        try pipe.fileHandleForWriting.close()
    }

    /// The next line without its end, or nil when the program has closed its output.
    func line() throws -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                return line
            }
            if hasEnded {
                defer { pending = [] }
                return pending.isEmpty ? nil : String(decoding: pending, as: UTF8.self)
            }
            try receive()
        }
    }

    /// Reads to the end and returns the lines; the program must end with status 0.
    func finish() throws -> [String] {
        defer { stop() }
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        guard ended.wait(timeout: .now() + 30) == .success else {
            throw Failure.silent(command: command, output: output)
        }
        ended.signal()
        guard process.terminationStatus == 0 else {
            throw Failure.failed(command: command, status: process.terminationStatus, output: output)
        }
        return lines
    }

    /// Asks the program to stop, if it runs, and makes it after ten seconds.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        guard ended.wait(timeout: .now() + 10) != .success else { return }
        kill(process.processIdentifier, SIGKILL)
    }

    /// Reads what comes within half a minute.
    private func receive() throws {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&interest, 1, 30_000) > 0 else {
            throw Failure.silent(command: command, output: output)
        }
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &chunk, chunk.count)
        hasEnded = count <= 0
        pending += chunk.prefix(max(count, 0))
        output += String(decoding: chunk.prefix(max(count, 0)), as: UTF8.self)
    }
}

/// Starts what `body` starts with all signals open: threads of a test may have blocked them, which a child
/// would inherit, and then never hear that it is to stop.
private func unblockingSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}

/// A folder that is gone after `body`.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("hearth-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("left behind: \(folder.path): \(error)")
        }
    }
    return try body(folder)
}

/// Runs `hearth serve` on a free port in `folder` and calls `body` with the server's address.
func withServer(_ options: String, in folder: URL, _ body: (String) throws -> Void) throws {
    let server = try Program("exec hearth serve --listen 127.0.0.1:0 \(options)", in: folder)
    defer { server.stop() }
    while let line = try server.line() {
        guard let address = line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/) else { continue }
        return try body(String(address.output))
    }
    throw Program.Failure.failed(command: "hearth serve", status: 0, output: server.output)
}
