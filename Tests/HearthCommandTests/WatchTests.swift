// Watching: what is printed, what is run, and how it goes on.

import Foundation
import HearthTesting
import Testing

@Suite("Watching a place")
struct WatchTests {
    private static let end = ScriptedServer.Answer.json(
        "{\"error\":\"Permission denied\"}", status: 401, ending: .closes)

    private func event(_ revision: Int) -> String {
        "{\"event\":\"child_added\",\"key\":\"m\(revision)\",\"previous\":null,\"data\":{\"n\":\(revision)},"
            + "\"cursor\":\"k-\(revision)\"}"
    }

    private func batch(_ revisions: [Int], cursor: String, resync: Bool = false) -> ScriptedServer.Answer {
        let events = revisions.map(event).joined(separator: ",")
        let mark = resync ? "\"resync\":true," : ""
        return .json("{\"cursor\":\"\(cursor)\",\(mark)\"events\":[\(events)]}")
    }

    @Test("prints a readable line for each event, and at the end the cursor to go on with")
    func lines() throws {
        let answers = [batch([1, 2], cursor: "k-2"), batch([3], cursor: "k-3"), Self.end]
        let (run, requests) = try ProgramRun.against(answers, ["watch", "/rooms", "--limit-to-last", "5"])
        #expect(run.output == "added    m1 {\"n\":1}\nadded    m2 {\"n\":2}\nadded    m3 {\"n\":3}\n")
        #expect(run.status == 1)
        #expect(
            run.talk.hasPrefix("to go on: hearth watch /rooms --since k-3\nhearth: Permission denied (401)\n")
        )
        let kinds = "child_added,child_changed,child_removed,child_moved"
        #expect(
            requests[0].line.hasPrefix("GET /rooms.json?feed=longpoll&events=\(kinds)&timeout=30s&orderBy="))
        #expect(requests[0].line.contains("&limitToLast=5 "))
    }

    @Test("prints the server's own JSON for scripts, and announces a resync")
    func ndjson() throws {
        let answers = [batch([7, 8], cursor: "k-9", resync: true), Self.end]
        let words = ["watch", "/rooms", "--ndjson", "--since", "old-3", "--events", "child_added"]
        let (run, requests) = try ProgramRun.against(answers, words)
        let resync = "{\"event\":\"resync\",\"cursor\":\"k-9\"}"
        #expect(run.output == [resync, event(7), event(8), ""].joined(separator: "\n"))
        #expect(run.talk.hasPrefix("resync: "))
        #expect(requests[0].line.contains("events=child_added&since=old-3&timeout=30s"))
        #expect(requests[1].line.contains("since=k-9"))
    }

    @Test("runs a command for each event, in order, and reports one that fails")
    func exec() throws {
        let folder = try Folder()
        let command = "cat >> '\(folder.path("events"))'; exit 3"
        let answers = [batch([1, 2], cursor: "k-2"), Self.end]
        let (run, _) = try ProgramRun.against(answers, ["watch", "/rooms", "--exec", command])
        #expect(run.output.isEmpty)
        #expect(
            try String(contentsOfFile: folder.path("events"), encoding: .utf8) == "\(event(1))\n\(event(2))\n"
        )
        #expect(run.talk.split(separator: "\n").filter { $0.hasSuffix("ended with status 3") }.count == 2)
    }

    @Test("runs a command that does not read its input without falling over it")
    func execWithoutReading() throws {
        let answers = [batch(Array(1...5), cursor: "k-5"), Self.end]
        let (run, _) = try ProgramRun.against(
            answers, ["watch", "/rooms", "--exec", "exec <&-; true", "--ndjson"])
        #expect(run.output.split(separator: "\n").count == 5)
        #expect(run.status == 1)
    }

    @Test("goes on over lost connections and says so")
    func lost() throws {
        let cut = ScriptedServer.Answer(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8), ending: .closes)
        let answers = [batch([1], cursor: "k-1"), cut, batch([2], cursor: "k-2"), Self.end]
        let (run, requests) = try ProgramRun.against(answers, ["watch", "/rooms", "--since", "now"])
        #expect(run.output == "added    m1 {\"n\":1}\nadded    m2 {\"n\":2}\n")
        #expect(run.talk.contains("trying again in 0.") && run.talk.contains("\nconnected again\n"))
        #expect(requests[2].line.contains("since=k-1") && requests[2].line.contains("timeout=0s"))
    }

    @Test("ends at Ctrl-C with status 0 and the cursor to go on with", arguments: [SIGINT, SIGTERM])
    func interrupted(number: Int32) throws {
        let silence = ScriptedServer.Answer([])
        let server = ScriptedServer([batch([1], cursor: "k-1"), silence])
        let process = Process()
        process.executableURL = ProgramRun.binary
        process.arguments = ["watch", "/rooms", "--url", "http://127.0.0.1:\(server.port)"]
        let (output, talk) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = talk
        try process.run()
        let line = output.fileHandleForReading.availableData
        kill(process.processIdentifier, number)
        let said = talk.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: line, as: UTF8.self) == "added    m1 {\"n\":1}\n")
        #expect(String(decoding: said, as: UTF8.self) == "to go on: hearth watch /rooms --since k-1\n")
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
        _ = server.finish()
    }
}
