// A server of its own for a test: the built program, on a port of the system's choice.

import Foundation
import Testing

/// Runs `hearth serve` on a directory, and can stop, kill and start it again.
final class ServedDirectory {
    let folder: Folder
    /// The data directory, which is also where the administrator's token is.
    let data: String
    private(set) var url = ""
    private(set) var banner = ""
    private var process: Process?
    private let options: [String]

    /// Starts to serve an empty directory, or one that is there.
    init(_ options: [String] = [], serving directory: String? = nil) throws {
        folder = try Folder()
        data = directory ?? folder.path("data")
        self.options = options
        try start()
    }

    deinit {
        if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Starts it, at the same address as before if there was one, and returns when it answers.
    func start() throws {
        let process = Process()
        process.executableURL = ProgramRun.binary
        let address = url.isEmpty ? "127.0.0.1:0" : String(url.dropFirst(7))
        process.arguments = ["serve", "--data", data, "--listen", address, "--log", "error"] + options
        process.environment = ["PATH": "/usr/bin:/bin"]
        let talk = Pipe()
        process.standardError = talk
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        banner = try Self.readBanner(talk.fileHandleForReading)
        let words = banner.split(whereSeparator: \.isWhitespace)
        url = try #require(words.first { $0.hasPrefix("http://") }.map(String.init), "\(banner)")
    }

    /// Asks it to stop and returns its exit status.
    func stop() throws -> Int32 {
        let process = try #require(process)
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Ends it as a power cut would end a process.
    func killHard() throws {
        let process = try #require(process)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Runs a command against it, as its administrator.
    func run(_ words: [String], input: String = "") throws -> ProgramRun {
        try ProgramRun(
            words, input: Data(input.utf8),
            environment: ["HEARTH_URL": url, "HEARTH_TOKEN": try token()], directory: folder.url)
    }

    /// Runs a command that has to succeed and returns what it printed, without the last line end.
    func output(_ words: [String], input: String = "", at location: SourceLocation = #_sourceLocation) throws
        -> String
    {
        let run = try run(words, input: input)
        #expect(run.status == 0, "\(words): \(run.talk)", sourceLocation: location)
        return run.output.hasSuffix("\n") ? String(run.output.dropLast()) : run.output
    }

    private func token() throws -> String {
        try String(contentsOfFile: data + "/admin-token", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
    }

    /// The banner ends with the third command to try.
    private static func readBanner(_ handle: FileHandle) throws -> String {
        var text = ""
        while !text.contains("hearth watch ") || !text.hasSuffix("\n") {
            let data = handle.availableData
            guard !data.isEmpty else { throw ServeFailure(talk: text) }
            text += String(decoding: data, as: UTF8.self)
        }
        return text
    }
}

/// A server that did not start.
struct ServeFailure: Error {
    let talk: String
}
