// Runs Python beside the tests, against the program built together with them.
import Foundation
import Glibc
import Testing

/// A Python script of `Scripts`, run to its end by the interpreter that `.ci/test` has prepared.
struct Script {
    /// What keeps a script from being run; a test fails with it rather than pass unnoticed.
    struct Missing: Error, CustomStringConvertible {
        let description: String

        init(_ what: String) {
            description = "\(what) is missing; run .ci/test, which installs what these tests need"
        }
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let project = folder.deletingLastPathComponent().deletingLastPathComponent()
    private static let patienceSeconds = 240.0

    /// The program `hearth` that was built together with these tests.
    static var hearth: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
    }

    /// The path of a program in PATH.
    static func program(_ name: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let places = folders.map { "\($0)/\(name)" }
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Missing("\(name) in PATH")
        }
        return place
    }

    /// Runs a script and returns the lines that it printed, whatever its end.
    static func run(_ name: String, _ arguments: [String]) throws -> [String] {
        let python = project.appendingPathComponent(".venv/bin/python")
        guard FileManager.default.isExecutableFile(atPath: python.path) else { throw Missing(python.path) }
        let process = Process()
        process.executableURL = python
        process.arguments = [folder.appendingPathComponent("Scripts/\(name)").path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try unblockingSignals { try process.run() }
        let child = process.processIdentifier
        let patience = DispatchWorkItem { kill(child, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + patienceSeconds, execute: patience)
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        patience.cancel()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Starts what `body` starts with all signals open: threads of a test may have blocked them, which a child
/// would inherit, and then never hear that it is to stop.
func unblockingSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}

/// Expects that a script's checks were these, in this order, and that each passed.
func expectPassed(_ checks: [String], in lines: [String], at location: SourceLocation = #_sourceLocation) {
    let told = lines.filter { $0.hasPrefix("passed ") || $0.hasPrefix("failed ") }
    let expected = checks.map { "passed \($0)" }
    #expect(
        told == expected, "the script printed:\n\(lines.joined(separator: "\n"))", sourceLocation: location)
}

/// A folder that is gone after `body`.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("hearth-clients-\(UUID().uuidString)")
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

/// Runs `hearth serve` as an emulator without files on a free port, and calls `body` with its address.
func withEmulator(_ body: (String) throws -> Void) throws {
    let process = Process()
    process.executableURL = Script.hearth
    process.arguments = ["serve", "--emulator", "--ephemeral", "--listen", "127.0.0.1:0", "--log", "error"]
    process.environment = ["PATH": "/usr/bin:/bin"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let talk = Pipe()
    process.standardError = talk
    try unblockingSignals { try process.run() }
    defer {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
    var banner = ""
    while !banner.contains("hearth watch ") {
        let data = talk.fileHandleForReading.availableData
        try #require(!data.isEmpty, "the server did not start:\n\(banner)")
        banner += String(decoding: data, as: UTF8.self)
    }
    let address = try #require(banner.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/), "\(banner)")
    try body(String(address.output))
}
