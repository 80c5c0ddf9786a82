// The comparisons cannot rot either: each whose other program is here is run with little load.
import Foundation
import Testing

@testable import HearthBenchmarks

@Suite("The comparisons", .serialized)
struct ComparisonTests {
    @Test("measure both sides of every row, or say which program is missing")
    func tiny() throws {
        try withFolder { folder in
            let program = try Program(
                "exec HearthBenchmarks compare --tiny", in: folder, environment: ["TMPDIR": folder.path])
            let lines = try program.finish()
            let table = lines.filter { $0.hasPrefix("| ") }.map(cells)
            for row in CompareProgram.comparisons {
                let found = table.filter { $0.first == row.work }
                if let reason = row.peer.whatIsMissing {
                    #expect(found.map { $0[1] } == ["skipped: \(reason)"])
                    continue
                }
                #expect(found.map { $0[1] } == row.figures.map(\.name), "\(lines)")
                for cells in found {
                    #expect(cells[2].contains(/[0-9]/), "\(cells)")
                    #expect(cells[3].contains(/[0-9]/) == (row.peer != .nobody), "\(cells)")
                    #expect(
                        cells[4].contains(/^[0-9.]+ \([0-9.]+–[0-9.]+\)$/) || cells[4].isEmpty, "\(cells)")
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("end what they have started when they are interrupted", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
        try withFolder { folder in
            let program = try Program(
                "echo $$; exec HearthBenchmarks compare --runs=1000 push-rules", in: folder,
                environment: ["TMPDIR": folder.path])
            defer { program.stop() }
            let id = try #require(try program.line().flatMap { pid_t($0) })
            // The table's head is printed before the servers are started.
            while let line = try program.line(), !line.hasPrefix("|---") {}
            try wait { try servers(in: folder).count == 2 }
            kill(id, signal)
            try wait { try servers(in: folder).isEmpty }
            try wait { try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty }
        }
    }

    @Test("refuse what they do not know, by name", arguments: ["--fast", "--runs=0", "no-such-row"])
    func refuses(argument: String) throws {
        let error = #expect(throws: Arguments.Misuse.self) {
            try CompareArguments(["--tiny", argument], of: CompareProgram.comparisons)
        }
        #expect(error?.description.contains("'\(argument)'") == true)
    }

    @Test("are chosen by name: a whole name means one row, a part all rows that have it")
    func chosen() throws {
        let names = { (words: [String]) in
            try CompareArguments(words, of: CompareProgram.comparisons).rows.map(\.name)
        }
        #expect(try names(["push"]) == ["push"])
        #expect(try names(["idle"]) == ["idle-sse", "idle-websocket"])
        #expect(try names(["push", "get"]) == ["get", "push"])
        let all = try names([])
        #expect(all.count == CompareProgram.comparisons.count)
        #expect(Set(all).count == all.count)
    }

    /// The processes that name the folder in their arguments.
    private func servers(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
            guard Int(entry) != nil, let file = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline")
            else { return false }
            let words = String(decoding: file, as: UTF8.self)
            return words.contains("serve") && words.contains(folder.path)
        }
    }

    private func wait(until isTrue: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try !isTrue() {
            try #require(ContinuousClock.now < deadline, "it does not come true")
            sched_yield()
        }
    }

    private func cells(_ line: String) -> [String] {
        line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }
}
