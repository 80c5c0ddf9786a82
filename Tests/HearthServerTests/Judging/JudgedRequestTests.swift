// What the rules say holds on every way into the database, and nobody learns more than that.
import HearthServer
import Testing

@Suite("A request under rules")
struct JudgedRequestTests {
    private static let rules = """
        {"rules":{
          "rooms":{".read":true,".write":true},
          "vault":{".indexOn":"n"},
          "drop":{".write":true},
          "list":{".read":"query.orderByKey && query.limitToFirst <= 10"},
          "users":{"$uid":{".read":"auth.uid == $uid",".write":"auth.uid == $uid"}}}}
        """

    @Test(
        "is refused with the same words whatever it asks",
        arguments: [
            ("GET", "/vault.json", [], nil), ("HEAD", "/vault.json", [], nil),
            ("GET", "/vault.json?shallow=true", [], nil), ("GET", "/vault.json?callback=f", [], nil),
            ("GET", "/vault/.priority.json", [], nil),
            ("GET", "/vault.json?orderBy=%22n%22", [], nil),
            ("GET", "/vault.json?orderBy=%22unindexed%22", [], nil),
            ("GET", "/vault.json", ["if-none-match: null_etag"], nil),
            ("GET", "/vault.json", ["Accept: text/event-stream"], nil),
            ("GET", "/vault.json?events=child_added", ["Accept: text/event-stream"], nil),
            ("GET", "/vault.json?feed=longpoll", [], nil),
            ("GET", "/vault.json?feed=longpoll&since=now", [], nil),
            ("GET", "/vault.json?feed=longpoll&timeout=0s&limit=0", [], nil),
            ("PUT", "/vault.json", [], "1"), ("POST", "/vault.json", [], "1"),
            ("PATCH", "/vault.json", [], #"{"a":1}"#), ("PATCH", "/vault.json", [], "{}"),
            ("DELETE", "/vault.json", [], nil), ("PUT", "/vault/.priority.json", [], "1"),
            ("PUT", "/vault.json", ["if-match: null_etag"], "1"),
            ("PATCH", "/.json", [], #"{"rooms/a":1,"vault/b":2}"#),
            ("PUT", "/drop.json", ["if-match: nothing"], "1"),
        ] as [(String, String, [String], String?)])
    func refused(method: String, target: String, headers: [String], body: String?) throws {
        try withJudgedServer(Self.rules) { judged in
            try judged.put("/vault.json", #"{"secret":"of the vault"}"#)
            try judged.put("/drop.json", #""of the drop""#)
            let token = UserToken.of("ann")
            let asUser = target + (target.contains("?") ? "&" : "?") + "auth=\(token)"
            for target in [target, asUser] {
                let reply = try judged.client().ask(method, target, headers, body: body)
                #expect(reply.status == 401)
                #expect(reply.body == (method == "HEAD" ? "" : #"{"error":"Permission denied"}"#))
                #expect(reply.headers["hearth-cursor"] == nil)
                #expect(reply.headers["etag"] == nil)
            }
            let root = try judged.client().ask("GET", "/.json", judged.admin)
            #expect(root.body == #"{"drop":"of the drop","vault":{"secret":"of the vault"}}"#)
        }
    }

    @Test("that is refused in one of its places changes none, and no stream hears of it")
    func refusedUpdate() throws {
        try withJudgedServer(Self.rules) { judged in
            let stream = try judged.client()
            try stream.openStream("/rooms.json")
            #expect(try stream.readEvent().data == #"{"path":"/","data":null}"#)
            let client = try judged.client()
            let refused = try client.ask("PATCH", "/.json", body: #"{"rooms/a":1,"vault/b":2}"#)
            #expect(refused.status == 401)
            let put = try client.ask("PUT", "/rooms/z.json", body: "3")
            let event = try stream.readEvent()
            #expect(event.data == #"{"path":"/z","data":3}"#)
            #expect(event.id == put.headers["hearth-cursor"])
            #expect(event.id?.hasSuffix("-2") == true)
        }
    }

    @Test("is judged by who shows a token")
    func users() throws {
        try withJudgedServer(Self.rules) { judged in
            let client = try judged.client()
            let (ann, bob) = (UserToken.of("ann"), UserToken.of("bob"))
            for _ in 0..<2 {
                #expect(try client.ask("PUT", "/users/ann/x.json?auth=\(ann)", body: "1").status == 200)
                #expect(try client.ask("GET", "/users/ann.json?auth=\(ann)").body == #"{"x":1}"#)
                #expect(try client.ask("GET", "/users/ann.json?auth=\(bob)").status == 401)
                #expect(try client.ask("PUT", "/users/ann.json?auth=\(bob)", body: "1").status == 401)
            }
            #expect(try client.ask("GET", "/users/ann.json", judged.admin).status == 200)
        }
    }

    @Test("with a query is judged by it")
    func queries() throws {
        try withJudgedServer(Self.rules) { judged in
            let client = try judged.client()
            let query = "/list.json?orderBy=%22$key%22&limitToFirst="
            #expect(try client.ask("GET", query + "10").status == 200)
            #expect(try client.ask("GET", query + "11").status == 401)
            #expect(try client.ask("GET", "/list.json").status == 401)
            #expect(try client.ask("GET", query + "10&feed=longpoll").status == 200)
            #expect(try client.ask("GET", query + "11&feed=longpoll&since=now").status == 401)
        }
    }

    @Test("with a condition that is not met is told the value only where it may be read")
    func conditions() throws {
        try withJudgedServer(Self.rules) { judged in
            try judged.put("/rooms.json", "1")
            let reply = try judged.client().ask("PUT", "/rooms.json", ["if-match: other"], body: "2")
            #expect(reply.status == 412)
            #expect(reply.body == "1")
        }
    }

    @Test("of the administrator in a user's place is judged, and explained if he asks")
    func override() throws {
        try withJudgedServer(Self.rules) { judged in
            let client = try judged.client()
            let target = "/users/ann.json?auth_variable_override=%7B%22uid%22:%22bob%22%7D"
            let explain = judged.admin + ["Hearth-Explain: true"]
            #expect(
                try client.ask("GET", target, judged.admin).body == #"{"error":"Permission denied"}"#)
            for (method, body) in [("GET", nil), ("PUT", "1")] {
                let explained = try client.ask(method, target, explain, body: body)
                #expect(explained.status == 401)
                #expect(explained.body.hasPrefix(#"{"error":"Permission denied","explanation":{"#))
                #expect(explained.body.contains("auth.uid == $uid"))
                #expect(explained.body.contains("/users/ann"))
            }
            let plain = try client.ask(
                "GET", "/users/ann.json?auth=\(UserToken.of("bob"))", ["Hearth-Explain: true"])
            #expect(plain.body == #"{"error":"Permission denied"}"#)
            #expect(
                try client.ask("GET", target.replacing("bob", with: "ann"), judged.admin).status == 200)
            #expect(
                try client.ask("GET", "/rooms.json?auth_variable_override=null", judged.admin).status == 200)
            #expect(
                try client.ask("GET", "/vault.json?auth_variable_override=null", judged.admin).status == 401)
            #expect(try client.ask("GET", "/rooms.json?auth_variable_override=7", judged.admin).status == 400)
        }
    }

    @Test("that was refused is kept for the administrator, without its values, and rules are counted")
    func inspection() throws {
        try withJudgedServer(Self.rules) { judged in
            let client = try judged.client()
            _ = try client.ask("PUT", "/users/ann.json", body: #""a value""#)
            _ = try client.ask("GET", "/vault.json")
            _ = try client.ask("GET", "/rooms.json")
            for name in ["denials", "coverage"] {
                #expect(try client.ask("GET", "/.inspect/\(name).json").status == 401)
            }
            let denials = try client.ask("GET", "/.inspect/denials.json", judged.admin).body
            #expect(denials.contains(#""operation":"read","path":"/vault","rule":null}"#))
            #expect(
                denials.contains(
                    #""operation":"write","path":"/users/ann","rule":".write of /users/$uid (line 6)"}"#))
            #expect(!denials.contains("a value"))
            let coverage = try client.ask("GET", "/.inspect/coverage.json", judged.admin).body
            #expect(
                coverage.contains(
                    #"{"rule":".read","place":"/rooms","line":2,"true":1,"false":0,"failed":0}"#))
            #expect(
                coverage.contains(
                    #"{"rule":".write","place":"/users/$uid","line":6,"true":0,"false":1,"failed":0}"#))
            for _ in 0..<300 { _ = try client.ask("GET", "/vault.json") }
            let many = try client.ask("GET", "/.inspect/denials.json", judged.admin).body
            #expect(many.split(separator: "{").count == 101)
        }
    }
}
