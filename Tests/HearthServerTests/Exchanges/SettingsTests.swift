// The administrator's addresses: rules, namespaces, imports, purging.
import HearthServer
import Testing

@Suite("The settings")
struct SettingsTests {
    private func asAdministrator(_ body: (TestClient, [String]) throws -> Void) throws {
        try withServer { server in
            try body(try TestClient(server), ["Authorization: Bearer \(server.shownToken ?? "")"])
        }
    }

    @Test("keep the rules as they were sent, or strictly, and refuse bad ones with the place")
    func rules() throws {
        try asAdministrator { client, admin in
            let text = "// rules\n{\"rules\": {\".read\": true, /* all */ \"a\": {\".indexOn\": [\"b\",]},}}"
            #expect(try client.ask("GET", "/.settings/rules.json", admin).body == #"{"rules":{}}"#)
            let bad = try client.ask("PUT", "/.settings/rules.json", admin, body: "{\"rules\": {\n  x}}")
            #expect(bad.status == 400)
            #expect(bad.body.contains("2:3:"))
            let dry = try client.ask("PUT", "/.settings/rules.json?dryRun=true", admin, body: text)
            #expect(dry.body == #"{"status":"ok"}"#)
            #expect(try client.ask("GET", "/.settings/rules.json", admin).body == #"{"rules":{}}"#)
            #expect(
                try client.ask("PUT", "/.settings/rules.json", admin, body: text).body == #"{"status":"ok"}"#)
            #expect(try client.ask("GET", "/.settings/rules.json", admin).body == text)
            let strict = try client.ask("GET", "/.settings/rules.json?format=strict", admin).body
            #expect(
                strict.filter { $0 != " " && $0 != "\n" }
                    == #"{"rules":{".read":true,"a":{".indexOn":["b"]}}}"#)
            #expect(try client.ask("GET", "/.settings/rules.json").status == 401)
        }
    }

    @Test("make namespaces, list and delete them")
    func namespaces() throws {
        try asAdministrator { client, admin in
            #expect(try client.ask("PUT", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            #expect(try client.ask("PUT", "/a.json?ns=chat", body: "1").status == 200)
            #expect(try client.ask("PUT", "/b.json?ns=more", admin, body: "2").status == 200)
            let list = try client.ask("GET", "/.settings/namespaces.json", admin).body
            #expect(list.contains("\"chat\":") && list.contains("\"more\":") && list.contains("\"default\":"))
            #expect(try client.ask("GET", "/a.json?ns=chat").body == "1")
            #expect(try client.ask("DELETE", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            #expect(try client.ask("GET", "/a.json?ns=chat").status == 404)
            #expect(try client.ask("DELETE", "/.settings/namespaces.json?ns=default", admin).status == 400)
            #expect(try client.ask("PUT", "/.settings/namespaces.json?ns=a.b", admin).status == 400)
            #expect(try client.ask("PUT", "/.settings/namespaces.json?ns=chat", admin).status == 200)
            #expect(try client.ask("GET", "/a.json?ns=chat").body == "null")
        }
    }

    @Test("import a snapshot where nothing stands, over something, or beside it")
    func imports() throws {
        try asAdministrator { client, admin in
            let target = "/.settings/import.json?path=/rooms"
            let first = try client.ask("PUT", target, admin, body: #"{"a":1,"b":2}"#)
            #expect(first.status == 200)
            #expect(first.body.contains(#""children":2"#))
            #expect(first.headers["hearth-cursor"]?.hasSuffix("-1") == true)
            #expect(try client.ask("PUT", target, admin, body: "1").status == 412)
            #expect(
                try client.ask("PUT", target + "&mode=merge", admin, body: #"{"b":3,"c":4}"#).status == 200)
            #expect(try client.ask("GET", "/rooms.json").body == #"{"a":1,"b":3,"c":4}"#)
            let dry = try client.ask("PUT", target + "&mode=replace&dryRun=true", admin, body: "{}")
            #expect(dry.status == 200)
            #expect(try client.ask("PUT", target + "&mode=replace", admin, body: "[1").status == 400)
            #expect(try client.ask("GET", "/rooms.json").body == #"{"a":1,"b":3,"c":4}"#)
            #expect(try client.ask("PUT", target + "&mode=replace", admin, body: "[7]").status == 200)
            #expect(try client.ask("GET", "/rooms.json").body == "[7]")
            #expect(try client.ask("PUT", target + "&mode=replace", body: "[8]").status == 401)
            #expect(try client.ask("PUT", target + "&mode=never", admin, body: "[8]").status == 400)
        }
    }

    @Test("import a snapshot that is larger than any write may be, and say where it is wrong")
    func largeImport() throws {
        let directory = TemporaryDirectory()
        let members = (0..<9_000).map { "\"k\($0 + 100_000)\":{\"text\":\"message \($0)\"}" }
        let text = "{" + members.joined(separator: ",\n") + "}"
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
            configuration.limits.bodyBytes = 100_000
            configuration.limits.bufferedBodyBytes = 100_000
        }
        try withServer(change) { server in
            let client = try TestClient(server)
            let token = try directory.text(of: "admin-token").filter { $0 != "\n" }
            let admin = ["Authorization: Bearer \(token)"]
            let wrong = text.dropLast() + ",nonsense}"
            let bad = try client.ask("PUT", "/.settings/import.json", admin, body: String(wrong))
            #expect(bad.status == 400)
            #expect(bad.body.contains("line 9000"), "\(bad.body)")
            #expect(try client.ask("GET", "/.json").body == "null")
            #expect(try client.ask("PUT", "/.settings/import.json", admin, body: text).status == 200)
            #expect(try client.ask("GET", "/k108999/text.json").body == "\"message 8999\"")
        }
        try withServer(change) { server in
            let reply = try TestClient(server).ask("GET", "/k100000/text.json")
            #expect(reply.body == "\"message 0\"")
        }
    }

    @Test("keep the text of a large snapshot until a checkpoint holds it, and none that was refused")
    func importFiles() throws {
        let directory = TemporaryDirectory()
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
            configuration.limits.inlineBytes = 1_000
        }
        let filler = String(repeating: "é", count: 1_000)
        let text = "{\"b\": [1, {\"c\": \"\(filler)\"}],\n\"a\": {\".value\": 2, \".priority\": 3}}"
        try withServer(change) { server in
            let client = try TestClient(server)
            let admin = [
                "Authorization: Bearer \(try directory.text(of: "admin-token").filter { $0 != "\n" })"
            ]
            let target = "/.settings/import.json?path=/rooms"
            for bad in [text + "x", "{\"t\":{\".sv\":\"timestamp\"},\"a\":\(text)}"] {
                #expect(try client.ask("PUT", target, admin, body: bad).status == 400)
            }
            #expect(try client.ask("PUT", target + "&dryRun=true", admin, body: text).status == 200)
            #expect(try client.ask("PUT", target, admin, body: text).status == 200)
            #expect(try client.ask("PUT", target, admin, body: text).status == 412)
            #expect(try client.ask("PUT", target + "&mode=merge", admin, body: text).status == 200)
            // Those that were refused are removed by a worker.
            let end = ContinuousClock.now + .seconds(30)
            var files: [String] = []
            repeat {
                try #require(ContinuousClock.now < end, "there are \(files)")
                files = try directory.names.filter { $0.hasPrefix("bulk-") }
            } while files.count != 2
        }
        try withServer(change) { server in
            let reply = try TestClient(server).ask("GET", "/rooms.json?format=export")
            #expect(reply.body.contains(#""b":{"0":1,"1":{"c":"\#(filler)"}}"#))
            #expect(reply.body.contains(#""a":{".value":2,".priority":3}"#))
        }
    }

    @Test("purge the past")
    func purge() throws {
        try asAdministrator { client, admin in
            let cursor = try #require(try client.ask("PUT", "/a.json", body: "1").headers["hearth-cursor"])
            _ = try client.ask("PUT", "/a.json", body: "2")
            #expect(try client.ask("POST", "/.settings/purge.json", admin).status == 200)
            let poll = try client.ask("GET", "/.json?feed=longpoll&since=\(cursor)")
            #expect(poll.body.contains("\"resync\":true"))
        }
    }

    @Test("show the server's counters to the administrator alone")
    func inspection() throws {
        try asAdministrator { client, admin in
            let reply = try client.ask("GET", "/.inspect")
            #expect(reply.status == 401)
            #expect(try client.ask("GET", "/.inspect", admin).body.contains("\"connections\":1"))
            #expect(try client.ask("GET", "/.settings/nonsense.json", admin).status == 404)
        }
    }
}
