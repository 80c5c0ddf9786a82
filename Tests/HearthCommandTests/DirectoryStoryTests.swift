// The commands on stopped directories: check, backup, restore, recover.

import Foundation
import Testing

@testable import hearth

@Suite("On a data directory, the program")
struct DirectoryStoryTests {
    /// A stopped directory in which three writes were made.
    private func stopped() throws -> ServedDirectory {
        let served = try ServedDirectory()
        for number in 1...3 {
            _ = try served.output(["set", "/rooms/r\(number)", "--data", "\(number)"])
        }
        #expect(try served.stop() == 0)
        return served
    }

    @Test("finds a stopped one sound and changes nothing in it")
    func sound() throws {
        let served = try stopped()
        let before = try contents(of: served.data)
        let run = try ProgramRun(["check", served.data])
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.output.contains("sound default:3\n"), "\(run.output)")
        #expect(try contents(of: served.data) == before)
    }

    @Test("says that a server has it open")
    func open() throws {
        let served = try ServedDirectory()
        let run = try ProgramRun(["check", served.data])
        #expect(run.status == 1 && run.talk.contains("has \(served.data) open"), "\(run.talk)")
    }

    @Test("refuses what is none", arguments: [["check"], ["recover", "--until", "default:1"], ["backup"]])
    func none(words: [String]) throws {
        let folder = try Folder()
        let operands = words[0] == "backup" ? [folder.url.path, folder.path("b")] : [folder.url.path]
        let run = try ProgramRun(words + operands)
        #expect(run.status == 1 && run.talk.contains("it is no data directory"), "\(run.talk)")
        let missing = try ProgramRun(words + operands.map { $0 + "/nowhere/x" })
        #expect(missing.status == 1 && missing.output.isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test("backs it up and restores it to another one")
    func backup() throws {
        let served = try stopped()
        let file = served.folder.path("chat.backup")
        let backup = try ProgramRun(["backup", served.data, file])
        #expect(backup.status == 0 && backup.output == "default:3\n", "\(backup.talk)")
        let check = try ProgramRun(["check", file])
        #expect(check.status == 0 && check.output == "sound default:3\n", "\(check.talk)")
        let copy = served.folder.path("copy")
        let restored = try ProgramRun(["restore", file, copy])
        #expect(restored.status == 0 && restored.output == "default:3\n", "\(restored.talk)")
        let again = try ProgramRun(["restore", file, copy])
        #expect(again.status == 1 && again.talk.contains("it is not empty"), "\(again.talk)")
        let other = try ServedDirectory(serving: copy)
        #expect(
            try other.output(["get", "/rooms"]) == "[null,1,2,3]"
                || other.output(["get", "/rooms"]).contains("\"r3\":3"))
    }

    @Test("backs it up while a server writes to it, without the server noticing")
    func backupWhileRunning() throws {
        let served = try ServedDirectory()
        _ = try served.output(["set", "/rooms/lobby/topic", "--data", "\"hello\""])
        _ = try served.output(["namespaces", "create", "chat"])
        _ = try served.output(["set", "/a", "--data", "5", "--ns", "chat"])
        let file = served.folder.path("chat.backup")
        let backup = try ProgramRun(["backup", served.data, file, "--url", served.url])
        #expect(backup.status == 0 && backup.output == "chat:1\ndefault:1\n", "\(backup.talk)")
        _ = try served.output(["set", "/a", "--data", "6", "--ns", "chat", "--force"])
        let names = try FileManager.default.contentsOfDirectory(atPath: served.data)
        #expect(!names.contains { $0.hasPrefix("backup") })

        let copy = served.folder.path("copy")
        #expect(try ProgramRun(["restore", file, copy]).status == 0)
        let other = try ServedDirectory(serving: copy)
        #expect(try other.output(["get", "/rooms"]) == "{\"lobby\":{\"topic\":\"hello\"}}")
        #expect(try other.output(["get", "/a", "--ns", "chat"]) == "5")

        let stranger = try ProgramRun(
            ["backup", served.data, served.folder.path("b"), "--url", served.url, "--token", "wrong"])
        #expect(stranger.status == 1 && !served.folder.names.contains("b"))
    }

    @Test("notices a backup that was damaged")
    func damagedBackup() throws {
        let served = try stopped()
        let file = served.folder.path("chat.backup")
        _ = try ProgramRun(["backup", served.data, file])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
        let check = try ProgramRun(["check", file])
        #expect(check.status == 1 && check.talk.contains(file), "\(check.talk)")
        let restored = try ProgramRun(["restore", file, served.folder.path("copy")])
        #expect(restored.status == 1)
        #expect(!served.folder.names.contains("copy"))
    }

    @Test("recovers it up to a revision and keeps the old files")
    func recover() throws {
        let served = try ServedDirectory()
        for number in 1...3 { _ = try served.output(["set", "/r\(number)", "--data", "\(number)"]) }
        try served.killHard()
        let before = try FileManager.default.contentsOfDirectory(atPath: served.data).count
        let run = try ProgramRun(["recover", served.data, "--until", "default:2"])
        #expect(run.status == 0 && run.output == "default:2\n", "\(run.talk)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: served.data).count > before)
        try served.start()
        #expect(try served.output(["get", "/r2"]) == "2")
        #expect(try served.output(["get", "/r3"]) == "null")
    }

    @Test(
        "wants to know up to where",
        arguments: ["default", "default:", ":3", "default:x", "default:-1", "a:b:1"])
    func badRevision(text: String) throws {
        #expect(
            throws: CommandFailure.misused(
                "--until is NS:REVISION, such as default:130210, not "
                    + "'\(text)'")
        ) {
            try RecoverCommand.place(text)
        }
        let run = try ProgramRun(["recover", "anywhere"])
        #expect(run.status == 2 && run.talk.contains("--until is missing"))
    }

    @Test(
        "takes paths of files apart",
        arguments: [("b", ".", "b"), ("a/b", "a", "b"), ("/b", "/", "b"), ("/x/y/b.c", "/x/y", "b.c")])
    func paths(path: String, directory: String, name: String) throws {
        let location = try FileLocation(path)
        #expect(location.directory == directory && location.name == name)
        #expect(throws: CommandFailure.self) { try FileLocation(path + "/") }
    }

    private func contents(of directory: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
        }
        return contents
    }
}
