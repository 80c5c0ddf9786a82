// What the rules under `files` say holds for every method, and nobody learns more than that.
import HearthServer
import Testing

@Suite("A file under rules")
struct JudgedFileTests {
    /// Members store and read pictures in folders of their own; everybody reads the notices.
    private static let rules = """
        {"rules": {"members": {".write": "auth.uid == 'ann'"}},
         "files": {
           "$user": {"$name": {
             ".read": "root.child('members').child(auth.uid).exists()",
             ".write": "auth.uid == $user && root.child('members').child(auth.uid).exists()",
             ".validate": "request.size <= 100 && request.contentType == 'image/gif'"}},
           "notices": {".read": true}}}
        """
    private static let gif = "GIF89a and some more"

    private func judged(_ body: (JudgedServer) throws -> Void) throws {
        try withJudgedServer(Self.rules) { judged in
            try judged.put("/members.json", #"{"ann":true,"bob":true}"#)
            try body(judged)
        }
    }

    private func ask(
        _ judged: JudgedServer, _ method: String, _ path: String, as uid: String?, type: String = "image/gif",
        _ body: String? = nil
    ) throws -> Reply {
        let target = "/.files/\(path)" + (uid.map { "?auth=\(UserToken.of($0))" } ?? "")
        let body = method == "PUT" ? body ?? Self.gif : nil
        return try judged.client().ask(method, target, ["Content-Type: \(type)"], body: body)
    }

    @Test("is its owner's to store and remove, and the members' to read")
    func owners() throws {
        try judged { judged in
            let stored = try ask(judged, "PUT", "ann/cat.gif", as: "ann")
            #expect(stored.status == 200)
            #expect(try ask(judged, "GET", "ann/cat.gif", as: "bob").body == Self.gif)
            #expect(try ask(judged, "HEAD", "ann/cat.gif", as: "bob").status == 200)
            #expect(try ask(judged, "DELETE", "ann/cat.gif", as: "bob").status == 401)
            #expect(try ask(judged, "PUT", "ann/cat.gif", as: "bob").status == 401)
            #expect(try ask(judged, "GET", "ann/cat.gif", as: "ann").body == Self.gif)
            // Removing is not validated: nothing is sent.
            #expect(try ask(judged, "DELETE", "ann/cat.gif", as: "ann").status == 200)
            #expect(try ask(judged, "GET", "ann/cat.gif", as: "ann").status == 404)
        }
    }

    @Test(
        "is refused with the same words whether it is there or not",
        arguments: ["GET", "HEAD", "PUT", "DELETE"],
        [("eve", "ann/cat.gif"), (nil, "ann/cat.gif"), ("eve", "ann/none.gif"), ("ann", "cat.gif")]
            as [(String?, String)])
    func refused(method: String, whom: (uid: String?, path: String)) throws {
        try judged { judged in
            #expect(try ask(judged, "PUT", "ann/cat.gif", as: "ann").status == 200)
            let reply = try ask(judged, method, whom.path, as: whom.uid)
            #expect(reply.status == 401)
            #expect(reply.body == (method == "HEAD" ? "" : #"{"error":"Permission denied"}"#))
            #expect(reply.headers["etag"] == nil && reply.headers["hearth-cursor"] == nil)
            let there = try judged.client().ask("GET", "/.files/ann/cat.gif", judged.admin)
            #expect(there.body == Self.gif)
        }
    }

    @Test(
        "is bounded in size and type by the rules",
        arguments: [
            (100, "image/gif", 200), (101, "image/gif", 401), (20, "text/plain", 401),
            (20, "image/png", 401), (20, "image/gif; q=1", 200), (20, "IMAGE/GIF", 200),
        ])
    func bounds(size: Int, type: String, status: Int) throws {
        try judged { judged in
            let body = String((Self.gif + String(repeating: ".", count: 100)).prefix(size))
            let reply = try ask(judged, "PUT", "ann/cat.gif", as: "ann", type: type, body)
            #expect(reply.status == status)
        }
    }

    @Test("is judged by the rules and the data of this moment")
    func changes() throws {
        try judged { judged in
            #expect(try ask(judged, "PUT", "bob/cat.gif", as: "bob").status == 200)
            try judged.put("/members/bob.json", "null")
            for method in ["GET", "PUT", "DELETE"] {
                #expect(try ask(judged, method, "bob/cat.gif", as: "bob").status == 401)
            }
            #expect(try ask(judged, "GET", "bob/cat.gif", as: "ann").status == 200)
            try judged.store(#"{"rules": {".read": true, ".write": true}}"#)
            #expect(try ask(judged, "GET", "bob/cat.gif", as: "ann").status == 401)
            let gone = try judged.client().ask("DELETE", "/.files/bob/cat.gif", judged.admin)
            #expect(gone.status == 200)
        }
    }

    @Test("is judged again when all of it has come: permission that ended meanwhile is none")
    func judgedAgain() throws {
        try judged { judged in
            let client = try judged.client()
            client.begin(
                "PUT", "/.files/bob/cat.gif?auth=\(UserToken.of("bob"))",
                ["Content-Type: image/gif", "Content-Length: 20", "Expect: 100-continue"])
            #expect(try client.readHead().status == 100)
            try judged.put("/members/bob.json", "null")
            client.send(String(Self.gif.prefix(20)))
            #expect(try client.read().status == 401)
            #expect(try judged.client().ask("GET", "/.files/bob/cat.gif", judged.admin).status == 404)
        }
    }

    @Test("is nobody's whose token is none")
    func tokens() throws {
        try judged { judged in
            let client = try judged.client()
            #expect(try client.ask("GET", "/.files/notices/a?auth=none").status == 401)
            #expect(try client.ask("GET", "/.files/notices/a").status == 404)
            #expect(try client.ask("GET", "/.files/notices/a", ["Authorization: Bearer x"]).status == 401)
        }
    }
}
