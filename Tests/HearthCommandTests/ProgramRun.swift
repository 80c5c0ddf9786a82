// Runs the built program as a user would.

import Foundation
import HearthTesting
import Testing

/// One finished run of the program.
struct ProgramRun {
    let status: Int32
    /// What it wrote to standard output.
    let output: String
    /// What it wrote to standard error.
    let talk: String

    /// The program lies beside the tests.
    static let binary: URL = {
        // Without /proc there is no program to be found, and every run fails with that.
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("hearth")
    }()

    /// Runs `hearth` with these words; nothing of the tests' own environment counts.
    init(
        _ words: [String], input: Data = Data(), environment: [String: String] = [:], directory: URL? = nil
    ) throws {
        let process = Process()
        process.executableURL = Self.binary
        process.arguments = words
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { _, given in given }
        if let directory { process.currentDirectoryURL = directory }
        // Files, not pipes: nobody has to empty them while the program runs.
        let folder = try Folder()
        let paths = ["in", "out", "talk"].map { folder.url.appendingPathComponent($0) }
        try input.write(to: paths[0])
        for path in paths[1...] { try Data().write(to: path) }
        process.standardInput = try FileHandle(forReadingFrom: paths[0])
        process.standardOutput = try FileHandle(forWritingTo: paths[1])
        process.standardError = try FileHandle(forWritingTo: paths[2])
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        output = try String(contentsOf: paths[1], encoding: .utf8)
        talk = try String(contentsOf: paths[2], encoding: .utf8)
    }

    /// Runs it against a scripted server and returns what that was asked.
    static func against(
        _ answers: [ScriptedServer.Answer], _ words: [String], input: String = "",
        environment: [String: String] = [:]
    ) throws -> (run: ProgramRun, requests: [ScriptedServer.Request]) {
        let server = ScriptedServer(answers)
        let all = environment.merging(["HEARTH_URL": "http://127.0.0.1:\(server.port)"]) { given, _ in given }
        let run = try ProgramRun(words, input: Data(input.utf8), environment: all)
        return (run, server.finish())
    }
}

/// A directory of its own that goes with the value.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // What is left over in the system's own directory for it harms nobody.
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in it.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Makes a file in it and returns the path.
    func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        return path(name)
    }

    /// The names of what is in it.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
