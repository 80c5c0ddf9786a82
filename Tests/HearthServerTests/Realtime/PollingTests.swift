// Long polls over real sockets: the script forms, and going over to a WebSocket.
import HearthCrypto
import HearthServer
import Testing

@Suite("A client that polls")
struct PollingTests {
    @Test(
        "is refused what no client asks for", arguments: ["", "start=t&cb=alert(1)", "id=1", "id=1&pw=<b>"])
    func malformed(parameters: String) throws {
        try withServer { (server: Server) throws in
            #expect(try TestClient(server).ask("GET", "/.lp?\(parameters)").status == 400)
        }
    }

    @Test("is told to begin anew if it is not known")
    func stranger() throws {
        try withServer { server in
            let known = try PollingClient(server)
            for parameters in ["id=abc&pw=def", "id=\(known.id)&pw=wrong"] {
                let answer = try TestClient(server).ask("GET", "/.lp?\(parameters)&ser=1")
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "application/javascript; charset=utf-8")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.body == "pLPCommand('close');\n")
            }
        }
    }

    @Test("is answered in time to ask again, however little silence is borne")
    func patience() throws {
        try withServer {
            $0.timeouts.realtime = .seconds(3)
        } _: { server in
            let client = try PollingClient(server)
            let answer = try TestClient(server).ask("GET", "/.lp?\(client.identity)&ser=1")
            #expect(answer.body == "pRTLPCB(1,[]);\n")
        }
    }

    @Test(
        "may be a page of another site that is served by this machine, too",
        arguments: [("http://localhost:3000/", 200), ("https://evil.example/", 403)])
    func otherSite(page: String, status: Int) throws {
        try withServer { server in
            let headers = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: script", "Referer: \(page)"]
            let answer = try TestClient(server).ask("GET", "/.lp?start=t&ser=1&cb=1&v=5&ns=default", headers)
            #expect(answer.status == status)
        }
    }

    @Test("gets no functions if it is no page")
    func noPage() throws {
        try withServer { server in
            let answer = try TestClient(server).ask("GET", "/.lp?start=t&ser=1&v=5")
            #expect(answer.body.hasPrefix("pLPCommand('start','"))
        }
    }

    @Test("gets a page that tells when it goes, and is gone when told so")
    func leaving() throws {
        try withServer { server in
            let client = try PollingClient(server)
            let page = try TestClient(server).ask("GET", "/.lp?dframe=t&\(client.identity)&ns=default")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["x-frame-options"] == nil)
            #expect(page.body.contains("\"/.lp?disconn=t&\(client.identity)\""))
            let gone = try TestClient(server).ask("POST", "/.lp?disconn=t&\(client.identity)", body: "")
            #expect(gone.status == 200)
            let answer = try TestClient(server).ask("GET", "/.lp?\(client.identity)&ser=1")
            #expect(answer.body == "pLPCommand('close');\n")
        }
    }

    @Test("may bring the pieces of its messages in any order")
    func pieces() throws {
        try withServer { server in
            let client = try PollingClient(server)
            let letters = Base64.url.encode(Array(#"{"t":"d","d":{"r":1,"a":"s","b":{}}}"#.utf8))
            let (first, second) = (letters.prefix(10), letters.dropFirst(10))
            let late = try TestClient(server)
            late.begin("GET", "/.lp?\(client.identity)&ser=2&seg0=1&ts0=2&d0=\(second)")
            let early = try TestClient(server)
            early.begin("GET", "/.lp?\(client.identity)&ser=1&seg0=0&ts0=2&d0=\(first)")
            let bodies = [try late.read().body, try early.read().body].sorted()
            #expect(bodies[0] == "pRTLPCB(1,[]);\n")
            #expect(
                bodies[1] == "pRTLPCB(2,[{\"t\":\"d\",\"d\":{\"r\":1,\"b\":{\"s\":\"ok\",\"d\":\"\"}}}]);\n")
        }
    }

    @Test("goes over to a WebSocket with its listens, whichever loop each connection comes to")
    func switching() throws {
        try withServer { server in
            for round in 0..<8 {
                try switchOver(server, "/rooms/\(round)")
            }
        }
    }

    private func switchOver(_ server: Server, _ path: String) throws {
        let polls = try PollingClient(server)
        try polls.say(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"\#(path)","h":""}}}"#)
        #expect(try polls.hear() == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#)
        let socket = try WebSocketClient(server, "/.ws?v=5&s=\(polls.id)&ns=default")
        #expect(try socket.hear() == #"{"t":"c","d":{"t":"a","d":{}}}"#)
        for _ in 0..<2 {
            socket.say(#"{"t":"c","d":{"t":"p","d":{}}}"#)
            #expect(try socket.hear() == #"{"t":"c","d":{"t":"o","d":{}}}"#)
        }
        socket.say(#"{"t":"c","d":{"t":"a","d":{}}}"#)
        // What is said here waits for the end over there.
        socket.say(#"{"t":"d","d":{"r":2,"a":"p","b":{"p":"\#(path)/topic","d":"hi"}}}"#)
        try polls.say(#"{"t":"c","d":{"t":"n","d":{}}}"#)
        #expect(try polls.hear() == #"{"t":"c","d":{"t":"n","d":{}}}"#)
        #expect(try polls.hear() == nil)
        let place = path.dropFirst()
        #expect(try socket.hear() == #"{"t":"d","d":{"a":"d","b":{"p":"\#(place)/topic","d":"hi"}}}"#)
        #expect(try socket.hear() == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""}}}"#)
    }

    @Test("is sent back if its session is gone when it wants to go over")
    func lateSwitch() throws {
        try withServer { server in
            let socket = try WebSocketClient(server, "/.ws?v=5&s=gone&ns=default")
            #expect(try socket.hear() == #"{"t":"c","d":{"t":"r","d":"localhost"}}"#)
            #expect(try socket.hear() == nil)
        }
    }

    @Test("is taken to be gone when it polls no more")
    func silence() throws {
        try withServer {
            $0.timeouts.realtime = .seconds(2)
        } _: { server in
            let client = try PollingClient(server)
            try client.say(#"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/gone","d":1}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
            let (listener, _) = try WebSocketClient.greeted(server)
            listener.say(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/gone","h":""}}}"#)
            while let text = try listener.hear(), text != #"{"t":"d","d":{"a":"d","b":{"p":"gone","d":1}}}"# {
                #expect(text == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{}}}}"#)
            }
            let answer = try TestClient(server).ask("GET", "/.lp?\(client.identity)&ser=9")
            #expect(answer.body == "pLPCommand('close');\n")
        }
    }
}
