// Benchmarks cannot rot: each is run with little input, twice, and must find the same both times.
import Foundation
import Testing

@Suite("The benchmarks")
struct BenchmarkTests {
    /// What the built program prints.
    private func lines(_ arguments: String) throws -> [String] {
        try withFolder { folder in
            let program = try Program("exec HearthBenchmarks \(arguments)", in: folder, errors: false)
            return try program.finish()
        }
    }

    @Test("run with little input, one line each, with a checksum that depends on the seed alone")
    func tiny() throws {
        let names = try lines("--list")
        let first = try lines("--tiny")
        let second = try lines("--tiny")
        #expect(first.map(name) == names)
        #expect(first.map(checksum) == second.map(checksum))
        #expect(Set(first.compactMap(checksum)).count > names.count / 2)
        for line in first {
            #expect(line.contains(" ns/op "), "\(line)")
            #expect(checksum(line) != nil, "\(line)")
        }
    }

    @Test("cover the tree, JSON, rules, windows, writes, views and the journal, each by a name of its own")
    func names() throws {
        let names = try lines("--list")
        #expect(Set(names).count == names.count)
        let subjects = Set(names.compactMap { $0.split(separator: "/").first.map(String.init) })
        #expect(
            subjects == [
                "keys", "push-ids", "nodes", "json", "rules", "windows", "writes", "views", "journal",
            ])
    }

    @Test("are chosen by parts of their names")
    func chosen() throws {
        let chosen = try lines("--tiny windows/last journal/encode")
        #expect(chosen.count == 5)
        #expect(chosen.allSatisfy { $0.hasPrefix("windows/last-50-by-") || $0.hasPrefix("journal/encode ") })
    }

    @Test(
        "refuse what they do not know, by name", arguments: ["--fast", "--up-to=none", "no-such-benchmark"])
    func refuses(argument: String) throws {
        try withFolder { folder in
            let program = try Program("exec HearthBenchmarks --tiny \(argument)", in: folder)
            #expect(throws: Program.Failure.self) { try program.finish() }
            #expect(program.output.contains("'\(argument)'"))
            #expect(program.output.contains("usage: HearthBenchmarks"))
        }
    }

    private func name(_ line: String) -> String {
        line.split(separator: " ").first.map(String.init) ?? ""
    }

    /// The 16 digits at the end of a line.
    private func checksum(_ line: String) -> String? {
        line.firstMatch(of: /checksum ([0-9a-f]{16})$/).map { String($0.1) }
    }
}
