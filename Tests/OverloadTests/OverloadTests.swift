// More than a server should have to bear, in a short form; `.ci/overload` plays the full one.
import Foundation
import Glibc
import Testing

@Suite("An overloaded server")
struct OverloadTests {
    @Test("bounds its memory, refuses clearly, loses nothing and goes on", .timeLimit(.minutes(10)))
    func short() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("overload.py")
        let hearth = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
        // It waits for a process; on a thread of its own it keeps no other test from running.
        let result: Result<String, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let arguments = ["python3", script.path, hearth.path, "0.02"]
                continuation.resume(returning: Result { try OverloadTests.output(of: arguments) })
            }
        }
        let output = try result.get()
        print(output)
        #expect(output.hasSuffix("overload: ok\n"), "\(output)")
    }

    private static func output(of arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        // Threads of a test may have blocked signals, which a child would inherit.
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}
