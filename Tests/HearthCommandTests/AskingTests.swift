// What the commands ask of a server, and how they end.

import Foundation
import HearthTesting
import Testing

@Suite("A command")
struct AskingTests {
    private static let denied = ScriptedServer.Answer.json(
        "{\"error\":\"Permission denied\"}", status: 401, ending: .closes)

    /// An answer that says that the connection ends with it: else the next request might meet its end.
    private func json(_ body: String, status: Int = 200, headers: String = "") -> ScriptedServer.Answer {
        .json(body, status: status, headers: headers + "Connection: close\r\n", ending: .closes)
    }

    @Test(
        "asks for what its options say",
        arguments: [
            (["get", "/rooms"], "GET /rooms.json"),
            (["get", "rooms/lobby/", "--pretty"], "GET /rooms/lobby.json?print=pretty"),
            (["get", "/", "--shallow", "--export"], "GET /.json?shallow=true&format=export"),
            (
                ["get", "/m", "--order-by-key", "--limit-to-last", "50"],
                "GET /m.json?orderBy=%22$key%22&limitToLast=50"
            ),
            (
                ["get", "/m", "--order-by", "time", "--start-at", "5", "--end-at=x"],
                "GET /m.json?orderBy=%22time%22&startAt=5&endAt=%22x%22"
            ),
            (
                ["get", "/m", "--order-by-value", "--equal-to", "true"],
                "GET /m.json?orderBy=%22$value%22&equalTo=true"
            ),
            (["get", "/m", "--limit-to-first", "2"], "GET /m.json?orderBy=%22$key%22&limitToFirst=2"),
            (["get", "/m", "--ns", "chat"], "GET /m.json?ns=chat"),
            (["get", "/m", "--token", "a.b.c"], "GET /m.json?auth=a.b.c"),
            (["export", "/rooms", "--export", "--pretty"], "GET /rooms.json?print=pretty&format=export"),
            (["remove", "/rooms", "--force"], "DELETE /rooms.json"),
            (["purge", "--force"], "POST /.settings/purge.json"),
            (["namespaces", "create", "chat"], "PUT /.settings/namespaces.json?ns=chat"),
            (["namespaces", "delete", "chat", "--force"], "DELETE /.settings/namespaces.json?ns=chat"),
        ])
    func requests(words: [String], line: String) throws {
        let (run, requests) = try ProgramRun.against([json("null")], words)
        #expect(run.status == 0, "\(run.talk)")
        #expect(requests.map(\.line) == [line + " HTTP/1.1"])
    }

    @Test(
        "is refused as wrong usage before anything is asked",
        arguments: [
            ([], "a command is missing"),
            (["gte", "/"], "unknown command 'gte'; did you mean 'get'?"),
            (["rooms", "list"], "unknown command 'rooms'"),
            (["get"], "PATH is missing"),
            (["get", "/a", "--shalow"], "unknown option '--shalow'; did you mean '--shallow'?"),
            (["get", "/a.json"], "PATH is a place in the tree, without .json: /a"),
            (["get", "http://127.0.0.1/a"], "the server is given with --url"),
            (["get", "/a", "--url", "ftp://db"], "'ftp' is no scheme of it"),
            (["serve", "--tls-cert", "chain.pem"], "--tls-cert needs its private key: --tls-key FILE"),
            (["serve", "--tls-key", "key.pem"], "--tls-key needs its certificate: --tls-cert FILE"),
            (["serve", "--behind-proxy", "proxy"], "--behind-proxy: 'proxy' is no numeric address"),
            (["serve", "--public-url", "chat"], "--public-url: 'chat' is no public URL"),
            (["serve", "--plain-listen", "9000"], "--plain-listen: '9000' is no HOST:PORT"),
            (
                ["get", "/a", "--limit-to-last", "0"],
                "--limit-to-last must be a whole number, 1 or more, not '0'"
            ),
            (
                ["get", "/a", "--limit-to-last", "1", "--limit-to-first", "1"],
                "give only one of --limit-to-first"
            ),
            (
                ["get", "/a", "--order-by-key", "--order-by", "b"],
                "give only one of --order-by, --order-by-key"
            ),
            (["get", "/a", "--token", "x", "--token-file", "y"], "give only one of --token, --token-file"),
            (["set", "/a", "file", "--data", "1"], "give either FILE or --data"),
            (["import", "/a", "file", "--merge", "--replace"], "give only one of --merge and --replace"),
            (
                ["watch", "/a", "--events", "child_aded"],
                "unknown event 'child_aded'; did you mean 'child_added'?"
            ),
            (["watch", "/a", "--events", ","], "--events names no event"),
            (["namespaces", "lsit"], "unknown action 'lsit'; did you mean 'list'?"),
            (["namespaces", "create"], "NAME is missing"),
            (["namespaces", "list", "x"], "list takes no NAME"),
            (["serve", "--listen", "nowhere"], "--listen: 'nowhere' is no HOST:PORT"),
            (["serve", "--ephemeral", "--data", "x"], "give only one of --data and --ephemeral"),
            (["serve", "--sync", "never"], "--sync is 'always' or like 'interval=50ms', not 'never'"),
            (["serve", "--history", "much"], "--history is a size like 64MB or 2GB, not 'much'"),
            (["serve", "--log", "loud"], "--log is debug, info, warning or error, not 'loud'"),
            (["serve", "--loops", "0"], "--loops must be a whole number, 1 to 64, not '0'"),
        ] as [([String], String)])
    func misused(words: [String], reason: String) throws {
        let run = try ProgramRun(words)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.talk.contains(reason), "\(run.talk)")
    }

    @Test(
        "takes the server and the token from where it is told",
        arguments: ["HEARTH_URL", "FIREBASE_DATABASE_EMULATOR_HOST"])
    func environment(name: String) throws {
        let folder = try Folder()
        let server = ScriptedServer([json("1"), json("2")])
        let address = (name == "HEARTH_URL" ? "http://" : "") + "127.0.0.1:\(server.port)"
        let first = try ProgramRun(
            ["get", "/"], environment: [name: address, "HEARTH_TOKEN": "from-environment"])
        let file = try folder.file("token", " from-file \n")
        let second = try ProgramRun(
            ["get", "/", "--token-file", file], environment: [name: address, "HEARTH_TOKEN": "x"])
        #expect(first.output == "1\n" && second.output == "2\n")
        let tokens = server.finish().map { $0.headers.filter { $0.hasPrefix("Authorization") } }
        #expect(tokens == [["Authorization: Bearer from-environment"], ["Authorization: Bearer from-file"]])
    }

    @Test("takes the administrator's token out of a data directory, and says when it cannot")
    func adminFrom() throws {
        let folder = try Folder()
        _ = try folder.file("admin-token", "secret-of-the-directory\n")
        let (run, requests) = try ProgramRun.against(
            [json("5")], ["get", "/", "--admin-from", folder.url.path])
        #expect(run.output == "5\n")
        #expect(requests[0].headers.contains("Authorization: Bearer secret-of-the-directory"))
        let missing = try ProgramRun(["get", "/", "--admin-from", folder.path("nowhere")])
        #expect(missing.status == 1)
        #expect(
            missing.talk
                == "hearth: cannot open \(folder.path("nowhere"))/admin-token: no such file or directory\n")
    }

    @Test("that is refused says why and what to do, on standard error alone")
    func refused() throws {
        let (run, _) = try ProgramRun.against([Self.denied], ["get", "/secret", "--token", "wrong-token"])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.talk.hasPrefix("hearth: Permission denied (401)\nsay who asks: --token-file FILE"))
        #expect(!run.talk.contains("wrong-token"))
    }

    @Test("that finds no server says so")
    func unreachable() throws {
        try ScriptedServer.withClosedPort { port in
            let url = "http://127.0.0.1:\(port)"
            let run = try ProgramRun(["get", "/", "--url", url])
            #expect(run.status == 1)
            let reason = "connection refused \u{2013} is 'hearth serve' running?"
            #expect(run.talk == "hearth: cannot reach \(url): \(reason)\n")
        }
    }

    @Test("set sends what it is given, from each source")
    func sources() throws {
        let folder = try Folder()
        let file = try folder.file("value.json", "{\"from\":\"file\"}")
        let sources: [([String], String, String)] = [
            ([file], "", "{\"from\":\"file\"}"), (["--data", "{\"a\":1}"], "", "{\"a\":1}"),
            (["-"], "[1]", "[1]"), ([], "\"typed\"", "\"typed\""),
        ]
        for (words, input, body) in sources {
            let all = ["set", "/rooms", "--force"] + words
            let (run, requests) = try ProgramRun.against([json("", status: 204)], all, input: input)
            #expect(run.status == 0 && run.output.isEmpty && run.talk == "set /rooms\n", "\(run.talk)")
            #expect(requests.map(\.line) == ["PUT /rooms.json?print=silent HTTP/1.1"])
            #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == [body])
        }
        let missing = try ProgramRun(["set", "/rooms", "--force", folder.path("nothing")])
        #expect(
            missing.status == 1
                && missing.talk.contains("cannot open \(folder.path("nothing")): no such file"))
        let directory = try ProgramRun(["set", "/rooms", "--force", folder.url.path])
        #expect(directory.status == 1 && directory.talk.contains("it is a directory"))
    }

    @Test("set without --force does not overwrite when there is nobody to ask")
    func overwriting() throws {
        let (run, requests) = try ProgramRun.against(
            [json("{\"a\":true}", headers: "ETag: t1\r\n")], ["set", "/rooms", "--data", "1"])
        #expect(run.status == 1 && requests.map(\.line) == ["GET /rooms.json?shallow=true HTTP/1.1"])
        let expected =
            "hearth: /rooms holds a value; nothing was done. Say --force to do it without being asked\n"
        #expect(run.talk == expected)
    }

    @Test("set writes to an empty place without asking, and only as long as it is empty")
    func emptyPlace() throws {
        let answers = [json("null", headers: "ETag: null_etag\r\n"), json("1")]
        let (run, requests) = try ProgramRun.against(answers, ["set", "/rooms", "--data", "1"])
        #expect(run.status == 0, "\(run.talk)")
        #expect(
            requests[1].line == "PUT /rooms.json HTTP/1.1"
                && requests[1].headers.contains("if-match: null_etag"))
        let raced = [json("null", headers: "ETag: null_etag\r\n"), json("5", status: 412)]
        let (second, _) = try ProgramRun.against(raced, ["set", "/rooms", "--data", "1"])
        #expect(
            second.status == 1 && second.talk.contains("/rooms was changed meanwhile; nothing was written"),
            "\(second.talk)")
    }

    @Test("push prints the path of the child", arguments: [("/rooms", "/rooms/-N1"), ("/", "/-N1")])
    func push(path: String, child: String) throws {
        let (run, requests) = try ProgramRun.against(
            [json("{\"name\":\"-N1\"}")], ["push", path, "--data", "{}"])
        #expect(run.status == 0 && run.output == child + "\n" && run.talk.isEmpty)
        #expect(requests[0].line.hasPrefix("POST "))
        let (other, _) = try ProgramRun.against([json("null")], ["push", path, "--data", "{}"])
        #expect(other.status == 1 && other.output.isEmpty)
    }

    @Test("update merges")
    func update() throws {
        let (run, requests) = try ProgramRun.against(
            [json("", status: 204)], ["update", "/a", "--data", "{\"b\":1}"])
        #expect(run.status == 0 && run.talk == "updated /a\n")
        #expect(requests[0].line == "PATCH /a.json?print=silent HTTP/1.1")
    }

    @Test(
        "remove, purge and deleting a database want a yes",
        arguments: [["remove", "/a"], ["purge"], ["namespaces", "delete", "chat"]])
    func confirmation(words: [String]) throws {
        let run = try ProgramRun(
            words, input: Data("y\n".utf8), environment: ["HEARTH_URL": "http://127.0.0.1:1"])
        #expect(run.status == 1)
        #expect(run.talk.contains("nothing was done. Say --force to do it without being asked"))
    }

    @Test("namespaces list prints a line for each")
    func namespaces() throws {
        let list =
            "{\"chat\":{\"revision\":3,\"historyFloor\":1,\"views\":0},"
            + "\"default\":{\"revision\":0,\"historyFloor\":0}}"
        let (run, _) = try ProgramRun.against([json(list)], ["namespaces", "list"])
        #expect(run.output == "chat\t3\t1\ndefault\t0\t0\n")
        let (other, _) = try ProgramRun.against([json("[]")], ["namespaces", "list"])
        #expect(other.status == 1 && other.talk.contains("something else than a list"))
    }

    @Test("version names the formats", arguments: ["version", "--version"])
    func version(word: String) throws {
        let run = try ProgramRun([word])
        #expect(run.status == 0 && run.output == "hearth 0.1.0 (formats: journal 2, checkpoint 2)\n")
    }
}
