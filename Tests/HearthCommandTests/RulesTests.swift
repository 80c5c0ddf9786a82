// Rules on the command line: faults with their place, cases with their verdicts, verdicts taken apart.

import Foundation
import Testing

@Suite("Rules on the command line")
struct RulesTests {
    private static let room = """
        {"rules": {"rooms": {"$room": {
          ".read": "auth != null",
          ".write": "data.child('owner').val() == auth.uid",
          ".validate": "newData.hasChild('owner')"
        }}}}
        """

    private func withFiles(_ files: [String: String], _ body: (Folder) throws -> Void) throws {
        let folder = try Folder()
        for (name, text) in files {
            try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        }
        try body(folder)
    }

    @Test("that are sound are said to be")
    func sound() throws {
        try withFiles(["rules.json": Self.room]) { folder in
            let run = try ProgramRun(["rules", "check", folder.path("rules.json")])
            #expect(run.status == 0)
            #expect(run.output == "")
            #expect(run.talk.hasSuffix("rules.json is sound: 3 rules\n"))
        }
    }

    @Test("that are not sound are shown with the place and what was meant")
    func faulty() throws {
        let text = Self.room.replacing("data.child", with: "dta.child")
        try withFiles(["rules.json": text]) { folder in
            for words in [["check"], ["explain", "--get", "/"], ["set"]] {
                let run = try ProgramRun(
                    ["rules", words[0], folder.path("rules.json")] + words.dropFirst())
                #expect(run.status == 1)
                #expect(run.output == "")
                #expect(run.talk.contains("rules.json:3:14: Unknown variable 'dta'.\n"))
                #expect(run.talk.contains("\n             ^~~\n"))
                #expect(run.talk.contains("did you mean 'data'?"))
            }
        }
    }

    @Test("are played against cases, and a verdict that was not expected is a failure")
    func cases() throws {
        let cases = """
            {"name": "rooms", "data": {"rooms": {"lobby": {"owner": "ann"}}}, "cases": [
              {"op": "read", "path": "/rooms/lobby", "auth": {"uid": "bob"}, "allow": true,
               "why": "signed in"},
              {"op": "write", "path": "/rooms/lobby/topic", "auth": {"uid": "bob"}, "newData": 1,
               "allow": ALLOW, "why": "not the owner"}]}
            """
        let files = [
            "rules.json": Self.room, "good.json": cases.replacing("ALLOW", with: "false"),
            "bad.json": cases.replacing("ALLOW", with: "true"),
        ]
        try withFiles(files) { folder in
            let good = try ProgramRun(
                ["rules", "test", folder.path("rules.json"), folder.path("good.json")])
            #expect(good.status == 0)
            #expect(
                good.output == """
                    pass  read /rooms/lobby as bob: signed in
                    pass  write /rooms/lobby/topic as bob: not the owner
                    2 passed, 0 failed

                    """)
            let bad = try ProgramRun(["rules", "test", folder.path("rules.json"), folder.path("bad.json")])
            #expect(bad.status == 1)
            #expect(bad.output.contains("FAIL  write /rooms/lobby/topic as bob: not the owner\n"))
            #expect(bad.output.contains("      expected allow, got deny\n"))
            #expect(bad.output.contains("data.child('owner').val()  is"))
            #expect(bad.output.hasSuffix("1 passed, 1 failed\n"))
        }
    }

    @Test("of the chat are played against their own cases")
    func chat() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("rules/fire3chat")
        let run = try ProgramRun(
            ["rules", "test", folder.path + "/rules.json", folder.path + "/cases.json"])
        #expect(run.status == 0)
        #expect(run.output.hasSuffix(" passed, 0 failed\n"))
    }

    @Test("explain a verdict down to its parts")
    func explained() throws {
        let files = ["rules.json": Self.room, "data.json": #"{"rooms":{"lobby":{"owner":"ann"}}}"#]
        try withFiles(files) { folder in
            let words = ["rules", "explain", folder.path("rules.json"), "--data", folder.path("data.json")]
            let read = try ProgramRun(words + ["--as", #"{"uid":"bob"}"#, "--get", "/rooms/lobby"])
            #expect(read.status == 0)
            #expect(read.output.hasPrefix("allowed: read of /rooms/lobby\n"))
            let nobody = try ProgramRun(words + ["--get", "/rooms/lobby"])
            #expect(nobody.status == 1)
            #expect(nobody.output.hasPrefix("refused: read of /rooms/lobby"))
            #expect(nobody.talk == "")
            let write = try ProgramRun(
                words + ["--as", #"{"uid":"ann"}"#, "--put", "/rooms/lobby/owner"])
            #expect(write.status == 0)
            let invalid = try ProgramRun(
                words + ["--as", #"{"uid":"ann"}"#, "--put", "/rooms/lobby", "--value", #"{"x":1}"#])
            #expect(invalid.status == 1)
            #expect(invalid.output.contains(".validate of /rooms/$room (line 4) is not satisfied"))
        }
    }

    @Test(
        "are asked for with what belongs together",
        arguments: [
            ["get", "FILE"], ["check"], ["test", "FILE"], ["explain", "FILE"],
            ["explain", "FILE", "--get", "/a", "--put", "/b"],
            ["explain", "FILE", "--get", "/a", "--value", "1"],
            ["explain", "FILE", "--get", "/a", "--as", "ann"], ["explain", "FILE", "--get", "/a#b"],
            ["chek", "FILE"],
        ])
    func misused(words: [String]) throws {
        try withFiles(["rules.json": Self.room]) { folder in
            let run = try ProgramRun(
                ["rules"] + words.map { $0 == "FILE" ? folder.path("rules.json") : $0 })
            #expect(run.status == 2)
            #expect(run.output == "")
        }
    }

    @Test("of a server are set and got, and hold at once")
    func served() throws {
        let served = try ServedDirectory()
        try withFiles(["rules.json": Self.room]) { folder in
            let server = ["--url", served.url, "--admin-from", served.data]
            let set = try ProgramRun(["rules", "set", folder.path("rules.json")] + server)
            #expect(set.status == 0, "\(set.talk)")
            #expect(try ProgramRun(["rules", "get"] + server).output == Self.room + "\n")
            let refused = try ProgramRun(["get", "/rooms/lobby", "--url", served.url])
            #expect(refused.status == 1)
            #expect(refused.talk.contains("Permission denied"))
            #expect(try ProgramRun(["rules", "get", "--url", served.url]).status == 1)
        }
        #expect(try served.stop() == 0)
    }
}
