// The help texts, held by golden files.

import Foundation
import Testing

@testable import hearth

@Suite("The help")
struct HelpTests {
    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    /// With HEARTH_WRITE_GOLDEN=1 the files are written anew, to be looked at before they are committed.
    private func compare(_ text: String, with name: String) throws {
        let file = Self.golden.appendingPathComponent("\(name).txt")
        if ProcessInfo.processInfo.environment["HEARTH_WRITE_GOLDEN"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(text == (try String(contentsOf: file, encoding: .utf8)), "see Golden/\(name).txt")
    }

    @Test("of each command is the agreed one", arguments: Program.commands.map(\.name))
    func command(name: String) throws {
        try compare(Help.text(of: try Program.command(named: name)), with: name)
    }

    @Test("as an overview is the agreed one, and comes by every way of asking")
    func overview() throws {
        try compare(Help.overview(of: Program.commands), with: "overview")
        for words in [["help"], ["--help"], ["-h"]] {
            let run = try ProgramRun(words)
            #expect(run.status == 0 && run.talk.isEmpty)
            #expect(run.output == Help.overview(of: Program.commands))
        }
    }

    @Test(
        "of a command comes by every way of asking",
        arguments: [["help", "set"], ["set", "--help"], ["set", "x", "-h"]])
    func ways(words: [String]) throws {
        let run = try ProgramRun(words)
        #expect(run.status == 0 && run.talk.isEmpty)
        #expect(run.output == Help.text(of: SetCommand.command))
    }

    @Test("fits into a terminal, and no option has a summary that ends in a full stop")
    func layout() {
        for command in Program.commands {
            for line in Help.text(of: command).split(separator: "\n") where !line.hasPrefix("  hearth") {
                #expect(line.count <= 100, "\(command.name): \(line)")
            }
            #expect(command.options.allSatisfy { !$0.summary.hasSuffix(".") })
            #expect(Set(command.options.map(\.name)).count == command.options.count)
        }
    }

    @Test("has examples that the parser takes")
    func examples() throws {
        for command in Program.commands {
            #expect(!command.examples.isEmpty, "\(command.name)")
            for example in command.examples {
                let words = try words(of: example)
                #expect(words.first == "hearth", "\(example)")
                let named = try Program.command(named: words[1])
                _ = try ArgumentParser.parse(Array(words.dropFirst(2)), of: named)
            }
        }
    }

    /// What a shell would make of the last command of a pipeline.
    private func words(of line: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "gunzip() { :; }; hearth() { printf 'hearth\\n'; printf '%s\\n' \"$@\"; }; \(line)",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
