// The README's first page is followed to the letter.
import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
    /// One command of a console block, with the lines shown below it.
    struct Step {
        let command: String
        var output: [String] = []
    }

    @Test("shows commands that give the output shown")
    func commands() throws {
        let readme = Program.project.appendingPathComponent("README.md")
        let steps = steps(of: try String(contentsOf: readme, encoding: .utf8))
        try #require(steps.count >= 5)
        try withFolder { folder in
            let samples = Program.project.appendingPathComponent("samples")
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("samples"), withDestinationURL: samples)
            try withServer("", in: folder) { address in
                for step in steps { try play(step, at: address, in: folder) }
            }
        }
    }

    private func play(_ step: Step, at address: String, in folder: URL) throws {
        let command = step.command.replacingOccurrences(of: "http://127.0.0.1:9000", with: address)
        let program = try Program(
            "exec " + command, in: folder, environment: ["HEARTH_URL": address], errors: false)
        defer { program.stop() }
        var lines: [String] = []
        if step.command.hasPrefix("hearth watch") {
            while lines.count < step.output.count, let line = try program.line() { lines.append(line) }
        } else {
            lines = try program.finish()
        }
        #expect(lines.map(settled) == step.output.map(settled), "\(step.command)")
    }

    /// A line without what differs from run to run: push IDs and cursors.
    private func settled(_ line: String) -> String {
        line.replacing(/-[-0-9A-Z_a-z]{19}/, with: "PUSH-ID")
            .replacing(/"cursor":"[0-9A-Za-z]+-[0-9]+"/, with: "CURSOR")
    }

    private func steps(of text: String) -> [Step] {
        var steps: [Step] = []
        var isConsole = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isConsole, !steps.isEmpty {
                steps[steps.count - 1].output.append(line)
            }
        }
        return steps
    }
}
