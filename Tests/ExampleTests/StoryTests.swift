// Each sample with a story is played against a fresh server.
import Foundation
import Testing

@Suite("A sample")
struct StoryTests {
    @Test("plays its story from the first line to the last", arguments: ["fire3chat"])
    func story(name: String) throws {
        try withFolder { folder in
            try withServer("--ephemeral --emulator", in: folder) { address in
                let script = Program.project.appendingPathComponent("samples/\(name)/story.sh").path
                let environment = ["HEARTH_URL": address, "HEARTH_TOKEN": "owner"]
                let lines = try Program("exec '\(script)'", in: folder, environment: environment).finish()
                // What its watcher says while it ends may come later still.
                #expect(lines.contains { $0.hasPrefix("story: ") })
            }
        }
    }

    @Test("stops its story on a server that is not empty", arguments: ["fire3chat"])
    func refuses(name: String) throws {
        try withFolder { folder in
            try withServer("--ephemeral --emulator", in: folder) { address in
                let environment = ["HEARTH_URL": address, "HEARTH_TOKEN": "owner"]
                let write = "hearth set /rooms/lobby/topic --data '\"tea\"' --force"
                _ = try Program(write, in: folder, environment: environment).finish()
                let script = Program.project.appendingPathComponent("samples/\(name)/story.sh").path
                let story = try Program("exec '\(script)'", in: folder, environment: environment)
                #expect(throws: Program.Failure.self) { try story.finish() }
                #expect(story.output.contains("the database is not empty"))
            }
        }
    }
}
