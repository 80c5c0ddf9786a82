// WebSockets over real sockets: opening, the words about the connection, and how they end.
import HearthServer
import HearthWire
import Testing

@Suite("A WebSocket")
struct WebSocketTests {
    @Test("is opened with the answer of the standard, and greets with the host that was asked for")
    func opening() throws {
        try withServer { server in
            let client = try WebSocketClient(server, "/.ws?v=5&p=1:1:web:abc&ns=default")
            #expect(client.answer.status == 101)
            #expect(client.answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(client.answer.headers["sec-websocket-protocol"] == nil)
            let greeting = try #require(try client.hear())
            let form = /\{"t":"c","d":\{"t":"h","d":\{"ts":\d{13},"v":"5","h":"localhost","s":"(.*)"\}\}\}/
            let name = try #require(try form.wholeMatch(in: greeting), "\(greeting)").output.1
            #expect(name.wholeMatch(of: /[A-Za-z0-9]{32}/) != nil, "\(greeting)")
        }
    }

    @Test("is not opened for who does not ask for one")
    func notAsked() throws {
        try withServer { server in
            let plain = try TestClient(server).ask("GET", "/.ws?v=5")
            #expect(plain.status == 426)
            #expect(plain.headers["upgrade"] == "websocket")
            let foreign = try WebSocketClient(server, "/.ws?v=5", ["Origin: https://evil.example"])
            #expect(foreign.answer.status == 403)
            let other = try TestClient(server).ask("GET", "/.ws/x?v=5")
            #expect(other.status == 404)
        }
    }

    @Test("answers pings, its own kind and the protocol's")
    func pings() throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server)
            client.send(0x89, [1, 2, 3])
            #expect(try client.readFrame() == .init(first: 0x8A, payload: [1, 2, 3]))
            client.say("0")
            client.say(#"{"t":"c","d":{"t":"p","d":{}}}"#)
            #expect(try client.readFrame().text == #"{"t":"c","d":{"t":"o","d":{}}}"#)
        }
    }

    @Test("is closed with the code that was said, and ends the connection")
    func closing() throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server)
            client.send(0x88, [0x03, 0xE8, 0x62, 0x79, 0x65])
            #expect(try client.readFrame() == .init(first: 0x88, payload: [0x03, 0xE8]))
            #expect(client.client.readToEnd().isEmpty)
        }
    }

    @Test(
        "is closed with the reason when the client breaks the rules",
        arguments: [
            ([0x91, 0x80, 0, 0, 0, 0], 1002), ([0x81, 0x01, 0x41], 1002),
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007), ([0x82, 0x80, 0, 0, 0, 0], 1003),
            ([0x81, 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0, 0, 0, 0, 0], 1009),
            ([0x81, 0x82, 0, 0, 0, 0, 0x7B, 0x7B], 1008),
        ] as [([UInt8], Int)])
    func broken(bytes: [UInt8], code: Int) throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server)
            client.client.send(bytes)
            let frame = try client.readFrame()
            #expect(frame.first == 0x88)
            #expect(frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) } == code)
            #expect(client.client.readToEnd().isEmpty)
        }
    }

    @Test("takes long messages in segments and gives them so")
    func segments() throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server)
            let text = String(repeating: "ä€😀", count: 20_000)
            client.say(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/long","d":"\#(text)"}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
            client.say(#"{"t":"d","d":{"r":2,"a":"g","b":{"p":"/long","q":{}}}}"#)
            let heard = try #require(try client.hear())
            #expect(heard.hasPrefix(#"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""#))
            // A character that was cut in two by a segment's end has become two others on the way.
            #expect(heard.utf8.count > text.utf8.count)
        }
    }

    @Test("takes a value of several megabytes, which a worker reads, and keeps the order of what follows")
    func large() throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server)
            let text = String(repeating: "0123456789abcdef", count: 1 << 17)
            client.say(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/big","d":{"text":"\#(text)"}}}}"#)
            client.say(#"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/big/more","d":1}}}"#)
            client.say(#"{"t":"d","d":{"r":3,"a":"q","b":{"p":"/big","h":""}}}"#)
            client.say(#"{"t":"d","d":{"r":4,"a":"s","b":{}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":""}}}"#)
            let push = try #require(try client.hear())
            #expect(push == #"{"t":"d","d":{"a":"d","b":{"p":"big","d":{"more":1,"text":"\#(text)"}}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":{}}}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":4,"b":{"s":"ok","d":""}}}"#)
        }
    }

    @Test("compresses what gets smaller, and reads what is compressed")
    func compression() throws {
        try withServer { server in
            let offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
            let client = try WebSocketClient(server, "/.ws?v=5", [offer])
            #expect(
                client.answer.headers["sec-websocket-extensions"]
                    == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
            #expect(try client.readFrame().first == 0x81)
            var deflater = WebSocketDeflater()
            let text = String(repeating: "hello ", count: 500)
            let put = Array(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a","d":"\#(text)"}}}"#.utf8)
            client.send(0xC1, try #require(put.withUnsafeBytes { deflater.deflate($0) }))
            #expect(try client.readFrame().text == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
            client.say(#"{"t":"d","d":{"r":2,"a":"g","b":{"p":"/a","q":{}}}}"#)
            let frame = try client.readFrame()
            #expect(frame.first == 0xC1)
            var inflater = WebSocketInflater()
            let value = try inflater.inflate(frame.payload, isText: true, limit: 1 << 20)
            #expect(
                String(decoding: value, as: UTF8.self)
                    == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":"\#(text)"}}}"#)
        }
    }

    @Test("asks a silent client for a sign of life, and takes it to be gone without one")
    func silence() throws {
        try withServer {
            $0.timeouts.realtime = .seconds(2)
        } _: { server in
            let (client, _) = try WebSocketClient.greeted(server)
            #expect(try client.readFrame().first == 0x89)
            client.send(0x8A, [])
            #expect(try client.readFrame().first == 0x89)
            #expect(client.client.readToEnd().isEmpty)
        }
    }

    @Test("is told when the server stops")
    func stop() throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server)
            server.stop()
            let frame = try client.readFrame()
            #expect(frame == .init(first: 0x88, payload: [0x03, 0xE9] + Array("the server stops".utf8)))
        }
    }

    @Test("ends the session that the client had before")
    func lastSession() throws {
        try withServer { server in
            let (old, session) = try WebSocketClient.greeted(server)
            let (new, _) = try WebSocketClient.greeted(server, "/.ws?v=5&ls=\(session)&ns=default")
            #expect(try old.hear() == nil)
            new.say(#"{"t":"d","d":{"r":1,"a":"s","b":{}}}"#)
            #expect(try new.hear() == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
        }
    }
}
