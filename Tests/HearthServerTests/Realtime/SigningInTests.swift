// Tokens over the realtime protocol: who may what, for how long, and what is taken back.
import HearthServer
import Testing

@Suite("A client with a token")
struct SigningInTests {
    private static let rules = """
        {"rules":{"open":{".read":true,".write":true},\
        "users":{"$uid":{".read":"auth.uid === $uid",".write":"auth.uid === $uid"}},\
        "gated":{".read":"root.child('open/gate').val() === true"}}}
        """

    private static func ok(_ number: Int, _ data: String = "\"\"") -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"ok","d":\#(data)}}}"#
    }

    private static func denied(_ number: Int) -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"permission_denied","d":"Permission denied"}}}"#
    }

    private static func request(_ number: Int, _ action: String, _ body: String) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
    }

    @Test("may what its user may, from the request behind it on")
    func users() throws {
        try withJudgedServer(Self.rules) { judged in
            let (client, _) = try WebSocketClient.greeted(judged.server)
            client.say(Self.request(1, "p", #"{"p":"/users/ann/name","d":"Ann"}"#))
            #expect(try client.hear() == Self.denied(1))
            client.say(Self.request(2, "auth", #"{"cred":"\#(UserToken.of("ann"))"}"#))
            client.say(Self.request(3, "q", #"{"p":"/users/ann","h":""}"#))
            client.say(Self.request(4, "p", #"{"p":"/users/ann/name","d":"Ann"}"#))
            client.say(Self.request(5, "q", #"{"p":"/users/bob","h":""}"#))
            #expect(try client.hear() == Self.ok(2))
            #expect(try client.hear() == Self.ok(3, "{}"))
            #expect(try client.hear() == #"{"t":"d","d":{"a":"d","b":{"p":"users/ann/name","d":"Ann"}}}"#)
            #expect(try client.hear() == Self.ok(4))
            #expect(try client.hear() == Self.denied(5))
            client.say(Self.request(6, "unauth", "{}"))
            #expect(try client.hear() == #"{"t":"d","d":{"a":"c","b":{"p":"users/ann"}}}"#)
            #expect(try client.hear() == Self.ok(6))
            client.say(Self.request(7, "g", #"{"p":"/users/ann","q":{}}"#))
            #expect(try client.hear() == Self.denied(7))
        }
    }

    @Test("is told that its token is not taken")
    func wrong() throws {
        try withJudgedServer(Self.rules) { judged in
            let (client, _) = try WebSocketClient.greeted(judged.server)
            client.say(Self.request(1, "auth", #"{"cred":"a.b.c"}"#))
            let answer = try #require(try client.hear())
            #expect(answer.hasPrefix(#"{"t":"d","d":{"r":1,"b":{"s":"invalid_token","d":""#))
            client.say(Self.request(2, "auth", #"{"cred":"\#(UserToken.of("ann", lifetime: -3600))"}"#))
            let expired = try #require(try client.hear())
            #expect(expired.hasPrefix(#"{"t":"d","d":{"r":2,"b":{"s":"expired_token","d":""#))
        }
    }

    @Test("is told when its token's time is over, and what it may not read any more")
    func expiry() throws {
        try withJudgedServer(Self.rules) {
            $0.timeouts.realtime = .seconds(20_000)
        } _: { judged in
            let (client, _) = try WebSocketClient.greeted(judged.server)
            client.say(Self.request(1, "auth", #"{"cred":"\#(UserToken.of("ann", lifetime: 3600))"}"#))
            client.say(Self.request(2, "q", #"{"p":"/users/ann","h":""}"#))
            #expect(try client.hear() == Self.ok(1))
            #expect(try client.hear() == Self.ok(2, "{}"))
            judged.clock.putForward(seconds: 4_000)
            // The loop looks at the clock when something happens.
            try judged.put("/open/gate.json", "true")
            client.send(0x89, [])
            #expect(
                try client.hear()
                    == #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired."}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"a":"c","b":{"p":"users/ann"}}}"#)
        }
    }

    @Test("is the administrator with his token, or whom he names")
    func administrator() throws {
        try withJudgedServer(Self.rules) { judged in
            let token = try #require(judged.server.shownToken)
            let (client, _) = try WebSocketClient.greeted(judged.server)
            client.say(Self.request(1, "gauth", #"{"cred":"\#(token)"}"#))
            client.say(Self.request(2, "p", #"{"p":"/secret","d":1}"#))
            client.say(Self.request(3, "gauth", #"{"cred":"\#(token)","authvar":{"uid":"ann"}}"#))
            client.say(Self.request(4, "p", #"{"p":"/users/ann","d":1}"#))
            client.say(Self.request(5, "p", #"{"p":"/secret","d":2}"#))
            client.say(Self.request(6, "gauth", #"{"cred":"\#(token)","noauth":true}"#))
            client.say(Self.request(7, "p", #"{"p":"/users/ann","d":2}"#))
            for expected in [
                Self.ok(1), Self.ok(2), Self.ok(3), Self.ok(4), Self.denied(5), Self.ok(6), Self.denied(7),
            ] {
                #expect(try client.hear() == expected)
            }
            client.say(Self.request(8, "gauth", #"{"cred":"owner"}"#))
            let answer = try #require(try client.hear())
            #expect(answer.contains("invalid_token"), "outside of an emulator 'owner' is nobody")
        }
    }

    @Test("loses its listens when rules or data take the permission away")
    func revocation() throws {
        try withJudgedServer(Self.rules) { judged in
            try judged.put("/open/gate.json", "true")
            let (client, _) = try WebSocketClient.greeted(judged.server)
            client.say(Self.request(1, "q", #"{"p":"/gated","h":""}"#))
            client.say(Self.request(2, "q", #"{"p":"/gated","q":{"l":2,"vf":"r"},"t":4,"h":""}"#))
            client.say(Self.request(3, "q", #"{"p":"/open/x","h":""}"#))
            #expect(try client.hear() == Self.ok(1, "{}"))
            #expect(try client.hear() == Self.ok(2, "{}"))
            #expect(try client.hear() == Self.ok(3, "{}"))
            try judged.put("/open/gate.json", "false")
            let revoked = Set([try client.hear(), try client.hear()])
            #expect(
                revoked == [
                    #"{"t":"d","d":{"a":"c","b":{"p":"gated"}}}"#,
                    #"{"t":"d","d":{"a":"c","b":{"p":"gated","q":[{"l":2,"vf":"r"}]}}}"#,
                ])
            try judged.put("/gated.json", "1")
            try judged.put("/open/x.json", "1")
            #expect(try client.hear() == #"{"t":"d","d":{"a":"d","b":{"p":"open/x","d":1}}}"#)
            try judged.store(#"{"rules":{".read":false}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"a":"c","b":{"p":"open/x"}}}"#)
        }
    }
}
