// Accounts over HTTP: durable, private, ended everywhere at once, and slow for attackers alone.
import Foundation
import HearthServer
import Testing

@Suite("Accounts over HTTP")
struct AccountServerTests {
    private static let own =
        #"{"rules":{"users":{"$uid":{".read":"auth.uid == $uid",".write":"auth.uid == $uid"}}}}"#

    private func store(_ rules: String, _ server: Server) throws {
        let reply = try TestClient(server).ask(
            "PUT", "/.settings/rules.json", server.administrator, body: rules)
        try #require(reply.status == 200, "\(reply)")
    }

    @Test("give tokens that the rules of the database know their users by")
    func rules() throws {
        try withAccountServer { server, app in
            try store(
                #"{"rules":{"a":{".read":"auth.token.email == 'ann@chat.example'"#
                    + #" && auth.provider == 'password'"},"#
                    + #""b":{".read":"auth.token.role == 'admin'"},"c":{".read":"auth != null"}}}"#, server)
            let ann = try app.signUp("ann@chat.example")
            let token = ann.text("idToken")
            let id = ann.text("localId")
            try app.post(
                "/v1/projects/fire3chat/accounts:update",
                #"{"localId":"\#(id)","customAttributes":"{\"role\":\"admin\"}"}"#, server.administrator)
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/a.json?auth=\(token)").status == 200)
            #expect(try client.ask("GET", "/b.json?auth=\(token)").status == 401)
            let fresh = try app.refresh(ann.text("refreshToken")).text("id_token")
            #expect(try client.ask("GET", "/b.json?auth=\(fresh)").status == 200)
            let nobody = try app.call("accounts:signUp").text("idToken")
            #expect(try client.ask("GET", "/a.json?auth=\(nobody)").status == 401)
            #expect(try client.ask("GET", "/c.json?auth=\(nobody)").status == 200)
            #expect(try client.ask("GET", "/c.json?auth=\(nobody)x").status == 401)
            #expect(try client.ask("GET", "/c.json").status == 401)
        }
    }

    @Test("are signed by the keys that are published")
    func published() throws {
        try withAccountServer { server, app in
            let token = try app.signUp("ann@chat.example").text("idToken")
            let path = "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
            let reply = try app.client.ask("GET", "/.well-known/jwks.json")
            #expect(try app.client.ask("GET", path).body == reply.body)
            #expect(reply.headers["cache-control"] == "max-age=3600")
            let set = try #require(
                try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: [[String: String]]]
            )
            let kid = try #require(set["keys"]?.first?["kid"])
            let header = String(token.prefix { $0 != "." }).replacing("-", with: "+").replacing(
                "_", with: "/")
            let padded = header + String(repeating: "=", count: (4 - header.count % 4) % 4)
            let bytes = try #require(Data(base64Encoded: padded))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains(kid) && text.contains("RS256"))
            try app.post("/v1/projects/fire3chat:rotateKeys", "", server.administrator)
            let both = try app.client.ask("GET", "/.well-known/jwks.json").body
            #expect(both.contains(kid) && both.count > reply.body.count * 3 / 2)
            #expect(try app.client.ask("GET", "/x.json?auth=\(token)").status == 200)
        }
    }

    @Test("are reached by no path, list, export or backup of the database")
    func hidden() throws {
        try withAccountServer { server, app in
            _ = try app.signUp("ann@chat.example")
            let client = try TestClient(server)
            let admin = server.administrator
            for target in [
                "/.json", "/.json?format=export", "/.json?ns=$accounts", "/.json?ns=%24accounts",
                "/$accounts.json", "/accounts.json", "/.settings/namespaces.json",
                "/.settings/rules.json?ns=%24accounts", "/.inspect/denials.json?ns=%24accounts",
            ] {
                let reply = try client.ask("GET", target, admin)
                #expect(!reply.body.contains("ann@") && !reply.body.contains("scrypt"), "\(target)")
                #expect(!reply.body.contains("$accounts"))
            }
            for (method, target) in [
                ("PUT", "/x.json?ns=%24accounts"), ("DELETE", "/.settings/namespaces.json?ns=%24accounts"),
                ("PUT", "/.settings/namespaces.json?ns=%24accounts"),
            ] {
                #expect(try client.ask(method, target, admin, body: "1").status == 400)
            }
            #expect(try app.signIn("ann@chat.example").reply.status == 200)
        }
    }

    @Test("are there after a restart and in a backup, with their sessions and keys")
    func restart() throws {
        let directory = TemporaryDirectory()
        var id = ""
        var refresh = ""
        var token = ""
        let change = { (configuration: inout Configuration) in
            configuration.storage = .directory(directory.path)
        }
        try withAccountServer(change) { server, app in
            let ann = try app.signUp("ann@chat.example")
            (id, refresh, token) = (ann.text("localId"), ann.text("refreshToken"), ann.text("idToken"))
            let admin =
                try "Authorization: Bearer "
                + directory.text(of: "admin-token").trimmingCharacters(in: .whitespacesAndNewlines)
            let backup = try TestClient(server).ask("GET", "/.settings/backup.json", [admin])
            #expect(backup.status == 200 && backup.body.contains("ann@chat.example"))
        }
        for name in try directory.names where name != "journal-000001" {
            let data = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name))
            #expect(
                data.range(of: Data(refresh.utf8)) == nil && data.range(of: Data("geheimes wort".utf8)) == nil
            )
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/token-keys")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try withAccountServer(change) { server, app in
            #expect(try app.signIn("ann@chat.example").text("localId") == id)
            #expect(try app.refresh(refresh).text("user_id") == id)
            let lookup = try app.call("accounts:lookup", #"{"idToken":"\#(token)"}"#)
            #expect(lookup.reply.status == 200, "the key that signed it is still there")
            #expect(try TestClient(server).ask("GET", "/.json").body == "null")
        }
    }

    @Test("that are ended are refused by every loop before the call is answered, and their streams end")
    func ended() throws {
        let endings: [(String, (String, String) -> String)] = [
            ("disabled", { id, _ in #"{"localId":"\#(id)","disableUser":true}"# }),
            ("revoked", { id, _ in #"{"localId":"\#(id)","validSince":1}"# }),
            ("password", { id, _ in #"{"localId":"\#(id)","password":"neues wort"}"# }),
            ("removed", { id, _ in #"{"localId":"\#(id)"}"# }),
        ]
        for (name, body) in endings {
            try withAccountServer({ $0.loopCount = 3 }) { server, app in
                try store(Self.own, server)
                let ann = try app.signUp("ann@chat.example")
                let bob = try app.signUp("bob@chat.example")
                let (id, token) = (ann.text("localId"), ann.text("idToken"))
                let place = "/users/\(id).json?auth=\(token)"
                let clients = try (0..<12).map { _ in try TestClient(server) }
                for client in clients { #expect(try client.ask("GET", place).status == 200) }
                let streams = try (0..<6).map { _ in try TestClient(server) }
                for stream in streams {
                    try stream.openStream(place)
                    _ = try stream.readEvent()
                }
                let other = try TestClient(server)
                try other.openStream("/users/\(bob.text("localId")).json?auth=\(bob.text("idToken"))")
                _ = try other.readEvent()
                let path = name == "removed" ? "accounts:delete" : "accounts:update"
                let done = try app.post(
                    "/v1/projects/fire3chat/\(path)", body(id, token), server.administrator)
                #expect(done.reply.status == 200, "\(name): \(done.reply)")
                for client in clients {
                    let reply = try client.ask("PUT", place, body: "1")
                    #expect(
                        reply.status == 401 && reply.body == #"{"error":"Auth token is expired"}"#, "\(name)")
                }
                for stream in streams {
                    #expect(try stream.readEvent().event == "auth_revoked", "\(name)")
                    #expect(stream.readToEnd() == "")
                }
                let write = try TestClient(server).ask(
                    "PUT", "/users/\(bob.text("localId"))/a.json?auth=\(bob.text("idToken"))", body: "1")
                #expect(write.status == 200)
                #expect(try other.readEvent().data == #"{"path":"/a","data":1}"#)
            }
        }
    }

    @Test("that are ended are ended for a poll, too, that was answered and comes again")
    func endedPoll() throws {
        try withAccountServer({ $0.loopCount = 1 }) { server, app in
            try store(Self.own, server)
            let ann = try app.signUp("ann@chat.example")
            let (id, token) = (ann.text("localId"), ann.text("idToken"))
            let place = { (name: String) in "/users/\(id)/rooms\(name).json?auth=\(token)" }
            let (polling, writer) = (try TestClient(server), try TestClient(server))
            var cursor = try #require(try writer.ask("GET", place("")).headers["hearth-cursor"])
            for number in 0..<3 {
                polling.begin("GET", place("") + "&feed=longpoll&since=\(cursor)")
                try waitForSubscriptions(1, server)
                #expect(try writer.ask("PUT", place("/a\(number)"), body: "1").status == 200)
                let reply = try polling.read()
                #expect(reply.body.contains("\"key\":\"a\(number)\""))
                cursor = try #require(reply.headers["hearth-cursor"])
            }
            let done = try app.post(
                "/v1/projects/fire3chat/accounts:update", #"{"localId":"\#(id)","disableUser":true}"#,
                server.administrator)
            #expect(done.reply.status == 200)
            for _ in 0..<2 {
                polling.begin("GET", place("") + "&feed=longpoll&since=\(cursor)")
                let reply = try polling.read()
                #expect(reply.status == 401 && reply.body == #"{"error":"Auth token is expired"}"#)
            }
            try waitForSubscriptions(0, server)
        }
    }

    @Test("with a token that died do not come back by asking about it")
    func deadToken() throws {
        try withAccountServer({ $0.loopCount = 1 }) { server, app in
            try store(Self.own, server)
            let ann = try app.signUp("ann@chat.example")
            let (id, token) = (ann.text("localId"), ann.text("idToken"))
            let changed = try app.call("accounts:update", #"{"idToken":"\#(token)","password":"neues wort"}"#)
            for _ in 0..<2 {
                #expect(
                    try app.call("accounts:lookup", #"{"idToken":"\#(token)"}"#).message == "TOKEN_EXPIRED")
                #expect(try TestClient(server).ask("GET", "/users/\(id).json?auth=\(token)").status == 401)
            }
            let fresh = changed.text("idToken")
            #expect(try TestClient(server).ask("GET", "/users/\(id).json?auth=\(fresh)").status == 200)
        }
    }

    @Test("are answered in plain words while the server stops, so that nobody is signed out")
    func stopping() throws {
        try withAccountServer({ $0.loopCount = 1 }) { server, app in
            _ = try app.signUp("ann@chat.example")
            let app = try AccountClient(server)
            app.client.send(
                "POST /v1/accounts:lookup?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
            // The head has come before the stop begins, the rest after it: an idle connection ends then.
            let idle = try TestClient(server)
            _ = try idle.ask("GET", "/.health")
            let stopping = Thread { server.stop() }
            stopping.start()
            #expect(idle.readToEnd() == "")
            app.client.send("}")
            let reply = try app.client.read()
            #expect(reply.status == 503 && reply.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(reply.headers["retry-after"] != nil)
        }
    }

    @Test("can be guessed at only so often, while other requests stay quick")
    func bruteForce() throws {
        let proxy = try PeerAddress("127.0.0.1")
        try withAccountServer(
            {
                $0.accounts.hasLimits = true
                $0.proxies = [proxy]
            }, clock: StillClock()
        ) { server, app in
            _ = try app.signUp("ann@chat.example")
            var answers: [String: Int] = [:]
            for index in 0..<40 {
                let answer = try app.call(
                    "accounts:signInWithPassword",
                    #"{"email":"ann@chat.example","password":"falsch \#(index)"}"#,
                    ["X-Forwarded-For: 203.0.113.\(index)"])
                answers[answer.message ?? "", default: 0] += 1
            }
            #expect(answers["INVALID_LOGIN_CREDENTIALS"] == 5)
            #expect(answers.count == 2)
            let locked = try app.call(
                "accounts:signInWithPassword", #"{"email":"ann@chat.example","password":"geheimes wort"}"#,
                ["X-Forwarded-For: 198.51.100.1"])
            #expect(locked.message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
            #expect(locked.reply.headers["retry-after"] == "60")
            var registered = 0
            for index in 0..<9 {
                let answer = try app.call(
                    "accounts:signUp", #"{"email":"u\#(index)@chat.example","password":"geheimes wort"}"#,
                    ["X-Forwarded-For: 2001:db8::\(index)"])
                registered += answer.reply.status == 200 ? 1 : 0
            }
            #expect(registered == 5, "an IPv6 network counts as one")
        }
    }

    @Test("have their passwords hashed beside the loops: a flood of guesses holds up nobody else")
    func flood() throws {
        try withAccountServer({
            $0.accounts.hasQuickHashes = false
            $0.loopCount = 1
        }) { server, _ in
            let guessers = try (0..<200).map { _ in try AccountClient(server) }
            for (index, guesser) in guessers.enumerated() {
                guesser.client.begin(
                    "POST", "/v1/accounts:signInWithPassword?key=k",
                    body: #"{"email":"user\#(index)@chat.example","password":"falsch"}"#)
            }
            let client = try TestClient(server)
            for index in 0..<20 {
                #expect(try client.ask("PUT", "/a/\(index).json", body: "1").status == 200)
            }
            let last = try #require(guessers.last)
            let refused = try last.client.read()
            #expect(refused.body.contains("TOO_MANY_ATTEMPTS_TRY_LATER"), "no more than 64 wait for a hash")
        }
    }
}
