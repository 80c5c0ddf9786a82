// The commands against a real server.

import Foundation
import Testing

@Suite("With a server, the program")
struct ServedStoryTests {
    @Test("sets, reads, pushes, updates and removes")
    func values() throws {
        let served = try ServedDirectory()
        #expect(try served.output(["get", "/"]) == "null")
        #expect(try served.output(["set", "/rooms/lobby/topic", "--data", "\"hello\""]) == "")
        #expect(try served.output(["get", "/rooms/lobby"]) == "{\"topic\":\"hello\"}")
        let child = try served.output(["push", "/rooms/lobby/messages", "--data", "{\"username\":\"bob\"}"])
        #expect(child.hasPrefix("/rooms/lobby/messages/-") && child.count == 42)
        #expect(try served.output(["get", child]) == "{\"username\":\"bob\"}")
        _ = try served.output(["update", "/rooms", "--data", "{\"lobby/topic\":\"bye\",\"attic\":true}"])
        #expect(try served.output(["get", "/rooms", "--shallow"]) == "{\"attic\":true,\"lobby\":true}")
        _ = try served.output(["remove", "/rooms/attic", "--force"])
        #expect(try served.output(["get", "/rooms/attic"]) == "null")
        let keys = try served.output(["get", "/rooms", "--order-by-key", "--start-at", "m"])
        #expect(keys == "{}" || keys == "null")
        #expect(try served.stop() == 0)
    }

    @Test("does not overwrite, and does not remove, without a yes")
    func overwriting() throws {
        let served = try ServedDirectory()
        _ = try served.output(["set", "/rooms", "--data", "1"])
        let refused = try served.run(["set", "/rooms", "--data", "2"])
        #expect(refused.status == 1 && refused.talk.contains("/rooms holds a value; nothing was done"))
        _ = try served.output(["set", "/rooms", "--data", "3", "--force"])
        #expect(try served.run(["remove", "/rooms"]).status == 1)
        #expect(try served.output(["get", "/rooms"]) == "3")
    }

    @Test("says what the server says to bad data, and changes nothing")
    func badData() throws {
        let served = try ServedDirectory()
        for value in ["{", "{\"a.b\":1}", "{\"a\":1e999}", "\"\u{1}\""] {
            let run = try served.run(["set", "/rooms", "--data", value, "--force"])
            #expect(run.status == 1 && run.talk.contains("(400)"), "\(run.talk)")
        }
        #expect(try served.output(["get", "/"]) == "null")
    }

    @Test("imports and exports whole trees")
    func transfer() throws {
        let served = try ServedDirectory()
        let messages = (0..<2_000).map { "\"m\($0)\":{\"message\":\"number \($0)\",\"username\":\"bob\"}" }
        let snapshot = "{\"messages\":{\(messages.joined(separator: ","))}}"
        let file = try served.folder.file("chat.json", snapshot)
        _ = try served.output(["import", "/chat", file, "--dry-run"])
        #expect(try served.output(["get", "/chat"]) == "null")
        _ = try served.output(["import", "/chat", file])
        let copy = served.folder.path("copy.json")
        _ = try served.output(["export", "/chat", "-o", copy])
        let written = try JSONSerialization.jsonObject(with: Data(snapshot.utf8)) as? NSDictionary
        let read = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: copy)))
        #expect(read as? NSDictionary == written)

        let again = try served.run(["import", "/chat", file])
        #expect(again.status == 1 && again.talk.contains("--merge or --replace"), "\(again.talk)")
        let more = try served.folder.file("more.json", "{\"tokens\":{\"bob\":\"t\"}}")
        _ = try served.output(["import", "/chat", more, "--merge"])
        #expect(try served.output(["get", "/chat", "--shallow"]) == "{\"messages\":true,\"tokens\":true}")
        _ = try served.output(["import", "/chat", more, "--replace"])
        #expect(try served.output(["get", "/chat"]) == "{\"tokens\":{\"bob\":\"t\"}}")
    }

    @Test(
        "names line and column of an error in a file and leaves everything as it was",
        arguments: [
            ("{\n  \"a\": 1,\n  \"b\" 2\n}", "3:7"), ("{\"a\":1", "1:7"), ("{\n\"a\":\n\"\u{2}\"}", "3:2"),
            ("[1,2]]", "1:6"), ("", "1:1"),
        ])
    func importError(text: String, place: String) throws {
        let served = try ServedDirectory()
        _ = try served.output(["set", "/chat", "--data", "{\"a\":\"old\"}"])
        let file = try served.folder.file("bad.json", text)
        for mode in ["--merge", "--replace"] {
            let run = try served.run(["import", "/chat", file, mode])
            #expect(run.status == 1)
            #expect(run.talk.contains("\(file):\(place): "), "\(run.talk)")
            #expect(run.talk.hasSuffix("nothing was written\n"))
        }
        #expect(try served.output(["get", "/chat"]) == "{\"a\":\"old\"}")
    }

    @Test("keeps the databases of a server")
    func namespaces() throws {
        let served = try ServedDirectory()
        _ = try served.output(["namespaces", "create", "chat"])
        _ = try served.output(["set", "/a", "--data", "1", "--ns", "chat"])
        #expect(try served.output(["namespaces", "list"]).contains("chat\t1\t"))
        #expect(try served.output(["get", "/a"]) == "null")
        #expect(try served.output(["get", "/a", "--ns", "chat"]) == "1")
        _ = try served.output(["namespaces", "delete", "chat", "--force"])
        let gone = try served.run(["get", "/a", "--ns", "chat"])
        #expect(gone.status == 1 && gone.talk.contains("'hearth namespaces list' shows the databases"))
        _ = try served.output(["purge", "--force"])
        let stranger = try ProgramRun(["purge", "--force"], environment: ["HEARTH_URL": served.url])
        #expect(stranger.status == 1 && stranger.talk.contains("--admin-from DIR"))
    }

    @Test("watches over kill and restart: each event once")
    func watching() throws {
        let served = try ServedDirectory()
        _ = try served.output(["set", "/m/m0", "--data", "0"])
        let watch = Process()
        watch.executableURL = ProgramRun.binary
        watch.arguments = ["watch", "/m", "--ndjson", "--events", "child_added", "--url", served.url]
        let (output, talk) = (Pipe(), Pipe())
        watch.standardOutput = output
        watch.standardError = talk
        try watch.run()
        defer { kill(watch.processIdentifier, SIGKILL) }
        var seen = try lines(1, from: output.fileHandleForReading)
        for round in 1...3 {
            _ = try served.output(["set", "/m/m\(round)a", "--data", "1"])
            try served.killHard()
            try served.start()
            _ = try served.output(["set", "/m/m\(round)b", "--data", "2"])
            seen += try lines(2, from: output.fileHandleForReading)
        }
        kill(watch.processIdentifier, SIGINT)
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        watch.waitUntilExit()
        #expect(rest.isEmpty && watch.terminationStatus == 0)
        let keys = try seen.compactMap { line in
            try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["key"] as? String
        }
        #expect(keys == ["m0", "m1a", "m1b", "m2a", "m2b", "m3a", "m3b"])
    }

    private func lines(_ count: Int, from handle: FileHandle) throws -> [String] {
        var text = ""
        while text.filter({ $0 == "\n" }).count < count {
            let data = handle.availableData
            try #require(!data.isEmpty, "the watch ended after: \(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    @Test("tells in the banner what is served, and three commands that work")
    func banner() throws {
        let served = try ServedDirectory()
        for part in [served.data, "what is acknowledged is on the disk", "connections", "--admin-from"] {
            #expect(served.banner.contains(part), "\(served.banner)")
        }
        let commands = served.banner.split(separator: "\n").filter { $0.hasPrefix("  hearth ") }
        #expect(commands.count == 3)
        for command in commands.prefix(2) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "hearth() { '\(ProgramRun.binary.path)' \"$@\"; }; \(command)"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(command)")
        }
        #expect(try served.output(["get", "/rooms/lobby/topic"]) == "\"hello\"")
    }

    @Test("refuses a directory and an address that are in use, with the reason")
    func inUse() throws {
        let served = try ServedDirectory()
        let address = String(served.url.dropFirst(7))
        let sameData = try ProgramRun(["serve", "--data", served.data, "--listen", "127.0.0.1:0"])
        #expect(sameData.status == 1 && sameData.talk.contains(served.data), "\(sameData.talk)")
        let sameAddress = try ProgramRun(
            ["serve", "--data", served.folder.path("other"), "--listen", address])
        #expect(sameAddress.status == 1 && sameAddress.talk.contains(address), "\(sameAddress.talk)")
    }

    @Test("takes options from a file, where the command line wins")
    func configurationFile() throws {
        let folder = try Folder()
        let file = try folder.file("hearth.conf", "# where\nlisten = nowhere\nsync = interval=50ms\n")
        let run = try ProgramRun(["serve", "--config", file])
        #expect(run.status == 2 && run.talk.contains("'nowhere' is no HOST:PORT"))
        let served = try ServedDirectory(["--config", file])
        #expect(served.banner.contains("the last 50 ms may be lost in a crash"))
    }
}
