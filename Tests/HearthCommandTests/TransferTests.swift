// Import and export: what goes over the wire, what stays on the disk, and what is said.

import Foundation
import Glibc
import HearthTesting
import Testing

@Suite("A transfer of a file")
struct TransferTests {
    private func json(_ body: String, status: Int = 200) -> ScriptedServer.Answer {
        .json(body, status: status, headers: "Connection: close\r\n", ending: .closes)
    }

    @Test(
        "goes through the bulk endpoint with its mode",
        arguments: [
            ([], "mode=create"), (["--merge"], "mode=merge"), (["--replace"], "mode=replace"),
            (["--dry-run"], "mode=create&dryRun=true"),
        ])
    func modes(options: [String], query: String) throws {
        let folder = try Folder()
        let file = try folder.file("chat.json", "{\"messages\":{}}")
        let (run, requests) = try ProgramRun.against([json("{}")], ["import", "/rooms/a b", file] + options)
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(requests.map(\.line) == ["PUT /.settings/import.json?path=/rooms/a%20b&\(query) HTTP/1.1"])
        #expect(requests[0].body == Array("{\"messages\":{}}".utf8))
        let verb = options == ["--dry-run"] ? "is sound and would go" : "went"
        #expect(run.talk == "15 bytes of \(file) \(verb) to /rooms/a b\n")
    }

    @Test("reads standard input for -")
    func standardInput() throws {
        let (run, requests) = try ProgramRun.against([json("{}")], ["import", "/", "-"], input: "[1,2]")
        #expect(run.status == 0 && requests[0].body == Array("[1,2]".utf8))
        #expect(run.talk == "5 bytes of standard input went to /\n")
    }

    @Test("names file, line and column of an error")
    func position() throws {
        let folder = try Folder()
        let file = try folder.file("chat.json", "{\n\"a\" 1}")
        let error = "{\"error\":\"line 2, column 5: expected ':' after a key, found '1'\"}"
        let (run, _) = try ProgramRun.against([json(error, status: 400)], ["import", "/", file])
        #expect(run.status == 1)
        #expect(run.talk == "hearth: \(file):2:5: expected ':' after a key, found '1'\nnothing was written\n")
    }

    @Test("says what to do when the place is not empty")
    func notEmpty() throws {
        let folder = try Folder()
        let file = try folder.file("chat.json", "{}")
        let (run, _) = try ProgramRun.against(
            [json("{\"error\":\"/rooms is not empty\"}", status: 409)], ["import", "/rooms", file])
        #expect(run.status == 1)
        #expect(run.talk == "hearth: /rooms is not empty\nnothing was written; say --merge or --replace\n")
    }

    @Test("into a file shows it only when it is complete", arguments: [["get"], ["export"]])
    func outputFile(words: [String]) throws {
        let folder = try Folder()
        let path = folder.path("rooms.json")
        let (run, _) = try ProgramRun.against([json("{\"a\":1}")], words + ["/rooms", "-o", path])
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"a\":1}\n")
        #expect(folder.names == ["rooms.json"])

        let whole = json("{\"a\":2}").bytes
        let cut = ScriptedServer.Answer(Array(whole.dropLast(3)), ending: .closes)
        let (second, _) = try ProgramRun.against([cut], words + ["/rooms", "-o", path])
        #expect(second.status == 1 && second.talk.contains("ended the connection while receiving the answer"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"a\":1}\n")
        #expect(folder.names == ["rooms.json"])
    }

    @Test(
        "into a pipe, as into any device, is written there and replaces nothing",
        arguments: ["get", "export"])
    func outputPipe(word: String) throws {
        let folder = try Folder()
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/bin/cat")
        reader.arguments = [path]
        let output = Pipe()
        reader.standardOutput = output
        try reader.run()
        let (run, _) = try ProgramRun.against([json("{\"a\":1}")], [word, "/rooms", "-o", path])
        var status = stat()
        let isPipe = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        // Without a writer the reader would wait for ever.
        if !isPipe { reader.terminate() }
        let read = output.fileHandleForReading.readDataToEndOfFile()
        reader.waitUntilExit()
        #expect(run.status == 0 && run.output.isEmpty, "\(run.talk)")
        #expect(String(decoding: read, as: UTF8.self) == "{\"a\":1}\n")
        #expect(isPipe)
        #expect(folder.names == ["pipe"])
    }

    @Test("through a link leaves the link and replaces what it leads to")
    func outputLink() throws {
        let folder = try Folder()
        let path = folder.path("latest.json")
        _ = try folder.file("rooms.json", "old")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "rooms.json")
        let (run, _) = try ProgramRun.against([json("{\"a\":1}")], ["export", "/rooms", "-o", path])
        #expect(run.status == 0, "\(run.talk)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "rooms.json")
        #expect(try String(contentsOfFile: folder.path("rooms.json"), encoding: .utf8) == "{\"a\":1}\n")
        #expect(folder.names == ["latest.json", "rooms.json"])
    }

    @Test("into a folder is refused before anything is asked")
    func outputFolder() throws {
        let folder = try Folder()
        let run = try ProgramRun(["export", "/", "-o", folder.url.path])
        #expect(run.status == 1 && run.talk.contains("cannot write \(folder.url.path): "))
    }

    @Test("to standard output that was cut ends with status 1")
    func cutOutput() throws {
        let cut = ScriptedServer.Answer(Array(json("{\"a\":2}").bytes.dropLast(3)), ending: .closes)
        let (run, _) = try ProgramRun.against([cut], ["export", "/"])
        #expect(run.status == 1 && run.output == "{\"a\"")
    }

    @Test("to a place that cannot be written says so before anything is asked")
    func badOutput() throws {
        let run = try ProgramRun(["export", "/", "-o", "/nowhere/x.json"])
        #expect(run.status == 1 && run.talk.contains("cannot write /nowhere/x.json."))
    }

    @Test("to a reader that has gone ends without a word")
    func brokenPipe() throws {
        let body = "\"" + String(repeating: "x", count: 3_000_000) + "\""
        let server = ScriptedServer([json(body)])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let url = "http://127.0.0.1:\(server.port)"
        process.arguments = ["-c", "'\(ProgramRun.binary.path)' get / --url \(url) | head -c 3"]
        let (output, talk) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = talk
        try process.run()
        let shown = output.fileHandleForReading.readDataToEndOfFile()
        let said = talk.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: shown, as: UTF8.self) == "\"xx")
        #expect(said.isEmpty)
        _ = server.finish()
    }
}
