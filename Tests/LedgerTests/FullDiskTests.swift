// A real server on a disk that is really full, by a small file system or by a limit of the process.
import Foundation
import Glibc
import HearthTesting
import Testing

@Suite("A server whose disk is full", .timeLimit(.minutes(5)))
struct FullDiskTests {
    /// A server with what was written to it.
    private final class Stage {
        let directory: String
        private(set) var server: ServerProcess
        private var port: UInt16 = 0
        private var number = 0
        private(set) var acknowledgedCount = 0

        init(_ directory: String, _ options: [String], by starter: [String]) throws {
            self.directory = directory
            server = try ServerProcess(directory, options, by: starter)
            port = try #require(try server.port(withinMilliseconds: 60_000))
        }

        /// Starts another server on the same directory, without limits.
        func startAgain() throws {
            server = try ServerProcess(directory)
            port = try #require(try server.port(withinMilliseconds: 60_000))
        }

        /// Writes so many times, and each time it is taken.
        func write(_ count: Int) throws {
            let client = try WireClient(port: port)
            for _ in 0..<count { #expect(try write(over: client).status == 200) }
        }

        /// Writes until something else than 200 comes, and returns that; nil if the connection ends.
        func writeUntilRefused() throws -> WireClient.Answer? {
            let client = try WireClient(port: port)
            let count = 5_000
            for _ in 0..<count {
                do throws(WireFault) {
                    let answer = try write(over: client)
                    if answer.status != 200 { return answer }
                } catch {
                    return nil
                }
            }
            Issue.record("\(count) writes of 4 kB were taken by a disk that has no room for them")
            return nil
        }

        private func write(over client: WireClient) throws(WireFault) -> WireClient.Answer {
            number += 1
            let body = #"{"number":\#(number),"text":"\#(String(repeating: "x", count: 4_000))"}"#
            let answer = try client.ask("PUT", "/full/n\(number).json", body: Array(body.utf8))
            if answer.status == 200 { acknowledgedCount += 1 }
            return answer
        }

        /// Writes until a write is taken again.
        func writeUntilTaken() throws {
            let client = try WireClient(port: port)
            let end = ContinuousClock.now + .seconds(60)
            while try write(over: client).status != 200 {
                try #require(ContinuousClock.now < end, "there is room again, and writes are still refused")
            }
        }

        /// How many children there are.
        func count() throws -> Int {
            let answer = try WireClient(port: port).ask("GET", "/full.json?shallow=true")
            #expect(answer.status == 200)
            return answer.text.split(separator: ":").count - 1
        }
    }

    private static func withDirectory(_ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-full-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: url)
            } catch {
                Issue.record("\(url.path) is left behind: \(error)")
            }
        }
        try body(url.path)
    }

    /// Whether a process may have file systems of its own here.
    private static let mayMount: Bool = {
        do {
            return try status(of: "unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt") == 0
        } catch {
            return false
        }
    }()

    /// Runs a program of the system to its end.
    private static func status(of command: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func expectClearRefusal(_ answer: WireClient.Answer?) throws {
        let answer = try #require(answer, "the server ended instead of refusing")
        #expect(answer.status == 503 && answer.text.contains("has no room"), "\(answer)")
    }

    @Test(
        "refuses writes clearly, still reads, and goes on when there is room again: a small file system",
        .enabled(if: mayMount, "a process may not mount anything here"))
    func smallFileSystem() throws {
        try FullDiskTests.withDirectory { directory in
            let mount = "mount -t tmpfs -o size=4m none '\(directory)' && exec \"$@\""
            let stage = try Stage(
                directory + "/data", ServerProcess.smallFiles,
                by: ["/usr/bin/env", "unshare", "-Urm", "sh", "-c", mount, "sh"])
            try stage.write(20)
            // The file system is the server's alone: others reach it through the process.
            let filler = "/proc/\(stage.server.number)/root\(directory)/filler"
            let size = try fill(filler)
            #expect(size > 0)
            for _ in 0..<2 { try expectClearRefusal(try stage.writeUntilRefused()) }
            #expect(try stage.count() == stage.acknowledgedCount)
            #expect(unlink(filler) == 0)
            try stage.writeUntilTaken()
            #expect(try stage.count() == stage.acknowledgedCount)
            try stage.server.stop()
        }
    }

    /// Writes a file until there is no room.
    private func fill(_ path: String) throws -> Int {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0, "\(path): \(String(cString: strerror(errno)))")
        defer { close(file) }
        let block = [UInt8](repeating: 7, count: 4_096)
        var size = 0
        while true {
            let written = write(file, block, block.count)
            guard written > 0 else { break }
            size += written
        }
        #expect(errno == ENOSPC)
        return size
    }

    @Test("refuses writes clearly and goes on when it may write more: a limit on the size of files")
    func limitedSegments() throws {
        try FullDiskTests.withDirectory { directory in
            // The first segment has 1 MiB, the second one would have 4.
            let stage = try Stage(
                directory + "/data", ["--segment", "4MB"],
                by: ["/bin/sh", "-c", "ulimit -S -f 4096 && exec \"$@\"", "sh"])
            for _ in 0..<2 { try expectClearRefusal(try stage.writeUntilRefused()) }
            #expect(stage.acknowledgedCount > 100)
            #expect(try stage.count() == stage.acknowledgedCount)
            try setLimit(nil, of: stage.server)
            try stage.writeUntilTaken()
            try stage.server.stop()
            try stage.startAgain()
            #expect(try stage.count() == stage.acknowledgedCount)
            try stage.server.stop()
        }
    }

    @Test("ends at once with the reason when a write to the journal fails, and nothing acknowledged is lost")
    func failingWrite() throws {
        try FullDiskTests.withDirectory { directory in
            let stage = try Stage(directory + "/data", ["--segment", "4MB"], by: [])
            try stage.write(20)
            try setLimit(200_000, of: stage.server)
            #expect(try stage.writeUntilRefused() == nil)
            let (status, output) = try stage.server.waitForEnd()
            #expect(status == 1)
            #expect(output.contains("journal") && output.contains("File too large"), "\(output)")
            try stage.startAgain()
            let count = try stage.count()
            // What was not answered may have been written or not.
            #expect((stage.acknowledgedCount...stage.acknowledgedCount + 1).contains(count))
            #expect(stage.acknowledgedCount > 20)
            try stage.server.stop()
        }
    }

    /// Bounds how long the files may be that a server writes; nil for no bound.
    private func setLimit(_ byteCount: Int?, of server: ServerProcess) throws {
        let limit = byteCount.map { "\($0)" } ?? "unlimited"
        let status = try FullDiskTests.status(
            of: "prlimit", "--pid", "\(server.number)", "--fsize=\(limit):")
        try #require(status == 0, "prlimit ends with \(status)")
    }
}
