// Tokens over HTTP: which are taken, and what is said of the others.
import HearthServer
import Testing

@Suite("A user's token over HTTP")
struct UserTokenTests {
    private static let unsigned = UserToken.encode(#"{"alg":"none"}"#)

    @Test(
        "that is not sound is refused with the words that clients know, and not logged",
        arguments: [
            ("nonsense", "Could not parse auth token."), ("a.b.c", "Could not parse auth token."),
            ("..", "Could not parse auth token."), ("owner", "Could not parse auth token."),
            (String(repeating: "x", count: 9_000), "Could not parse auth token."),
            (UserToken.of("ann") + "x", "Could not parse auth token."),
            (String(UserToken.of("ann").dropLast(4)) + "AAAA", "Could not parse auth token."),
            ("\(unsigned).\(UserToken.encode(UserToken.claims("ann"))).", "Could not parse auth token."),
            (
                UserToken.signed(UserToken.claims("ann"), header: #"{"alg":"none"}"#),
                "Could not parse auth token."
            ),
            (
                UserToken.signed(UserToken.claims("ann"), header: #"{"alg":"RS256"}"#),
                "Could not parse auth token."
            ),
            (
                UserToken.signed(UserToken.claims("ann", further: #","sub":"bob""#)),
                "Could not parse auth token."
            ),
            (
                UserToken.signed(
                    UserToken.claims("ann").replacing("\"aud\":\"fire3chat\"", with: "\"aud\":\"x\"")),
                "Could not parse auth token."
            ),
            (UserToken.signed(UserToken.claims("")), "Could not parse auth token."),
            (UserToken.of("ann", lifetime: -100), "Auth token is expired"),
        ])
    func hostile(token: String, text: String) throws {
        let lines = LogLines()
        try withJudgedServer(
            #"{"rules":{".read":true,".write":true}}"#,
            { $0.log = Log(threshold: .debug) { lines.append($0) } }
        ) { judged in
            let client = try judged.client()
            for (method, target, headers) in [
                ("GET", "/a.json", []), ("PUT", "/a.json", []), ("GET", "/a.json?feed=longpoll", []),
                ("GET", "/a.json", ["Accept: text/event-stream"]),
            ] {
                let question = target.contains("?") ? "&" : "?"
                let reply = try client.ask(
                    method, target + question + "auth=" + token, headers, body: method == "PUT" ? "1" : nil)
                #expect(reply.status == 401)
                #expect(reply.body == "{\"error\":\"\(text)\"}")
            }
        }
        #expect(!lines.all.contains { $0.contains(token) })
    }

    @Test("is nothing in the Authorization header, which is the administrator's")
    func header() throws {
        try withJudgedServer(#"{"rules":{".read":true}}"#) { judged in
            let reply = try judged.client().ask(
                "GET", "/a.json", ["Authorization: Bearer \(UserToken.of("ann"))"])
            #expect(reply.status == 401)
        }
    }

    @Test("needs no signature with an emulator, where 'owner' is the administrator")
    func emulator() throws {
        try withJudgedServer(nil, { $0.isEmulator = true }) { judged in
            try judged.store(#"{"rules":{".read":"auth.uid == 'ann'"}}"#)
            let client = try judged.client()
            for (uid, status) in [("ann", 200), ("bob", 401)] {
                let token = "\(Self.unsigned).\(UserToken.encode(#"{"sub":"\#(uid)"}"#))."
                #expect(try client.ask("GET", "/a.json?auth=\(token)").status == status)
            }
            #expect(try client.ask("GET", "/a.json?auth=owner").status == 200)
            #expect(try client.ask("GET", "/a.json?access_token=owner").status == 200)
        }
    }

    @Test("cannot be checked without a project, or in two ways at once")
    func configuration() throws {
        for change in [
            { (tokens: inout Configuration.Tokens) in tokens.project = nil },
            { (tokens: inout Configuration.Tokens) in tokens.publicKeysFile = tokens.secretFile },
            { (tokens: inout Configuration.Tokens) in tokens.secretFile = "/nonexistent" },
            { (tokens: inout Configuration.Tokens) in
                tokens.secretFile = nil
                tokens.issuer = "somebody"
            },
        ] {
            #expect(throws: StartFailure.self) {
                try withJudgedServer(nil, { change(&$0.tokens) }) { _ in }
            }
        }
    }
}
