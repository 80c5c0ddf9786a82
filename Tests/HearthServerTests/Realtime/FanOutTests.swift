// Many listeners, slow ones, and sessions that come back.
import HearthServer
import HearthTesting
import HearthWire
import Testing

@Suite("Sessions of the realtime protocol")
struct FanOutTests {
    private static func request(_ number: Int, _ action: String, _ body: String) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
    }

    private static func ok(_ number: Int, _ data: String = "\"\"") -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"ok","d":\#(data)}}}"#
    }

    @Test("are all told the same, in the order of the commits")
    func manyListeners() throws {
        try withServer { server in
            let clients = try (0..<40).map { _ in try WebSocketClient.greeted(server).0 }
            for (index, client) in clients.enumerated() {
                let query = index.isMultiple(of: 2) ? "" : #","q":{"l":100,"vf":"r"},"t":\#(index)"#
                client.say(Self.request(1, "q", #"{"p":"/rooms/lobby"\#(query),"h":""}"#))
                #expect(try client.hear() == Self.ok(1, "{}"))
            }
            let (writer, _) = try WebSocketClient.greeted(server)
            for number in 1...50 {
                writer.say(Self.request(number, "p", #"{"p":"/rooms/lobby/m\#(number)","d":\#(number)}"#))
            }
            for number in 1...50 { #expect(try writer.hear() == Self.ok(number)) }
            for (index, client) in clients.enumerated() {
                let tag = index.isMultiple(of: 2) ? "" : ",\"t\":\(index)"
                for number in 1...50 {
                    let push =
                        #"{"t":"d","d":{"a":"d","b":{"p":"rooms/lobby/m\#(number)","d":\#(number)\#(tag)}}}"#
                    #expect(try client.hear() == push)
                }
            }
        }
    }

    @Test("tell one client of each commit at all its listens before the next commit")
    func commitOrder() throws {
        try withServer {
            $0.loopCount = 1
        } _: { server in
            let (client, _) = try WebSocketClient.greeted(server)
            for (number, place) in ["a", "b", "c"].enumerated() {
                client.say(Self.request(number, "q", #"{"p":"/x/\#(place)","h":""}"#))
                #expect(try client.hear() == Self.ok(number, "{}"))
            }
            let (writer, _) = try WebSocketClient.greeted(server)
            for number in 1...30 {
                writer.say(
                    Self.request(
                        number, "m", #"{"p":"/x","d":{"a":\#(number),"b":\#(number),"c":\#(number)}}"#))
            }
            for number in 1...30 { #expect(try writer.hear() == Self.ok(number)) }
            for number in 1...30 {
                let heard = Set(try (0..<3).map { _ in try client.hear() ?? "" })
                let expected = Set(
                    ["a", "b", "c"].map { place in
                        #"{"t":"d","d":{"a":"d","b":{"p":"x/\#(place)","d":\#(number)}}}"#
                    })
                #expect(heard == expected)
            }
        }
    }

    @Test("end when their clients do not take what they are sent, and nobody else notices")
    func slowReader() throws {
        try withServer {
            $0.limits.streamBacklogBytes = 64 << 10
        } _: { server in
            let (slow, _) = try WebSocketClient.greeted(server)
            slow.say(Self.request(1, "q", #"{"p":"/rooms","h":""}"#))
            #expect(try slow.hear() == Self.ok(1, "{}"))
            let (writer, _) = try WebSocketClient.greeted(server)
            writer.say(Self.request(0, "q", #"{"p":"/rooms/small","h":""}"#))
            #expect(try writer.hear() == Self.ok(0, "{}"))
            let text = String(repeating: "0123456789", count: 10_000)
            // Until the system's buffers are full, and the server's own.
            for number in 1...200 {
                writer.say(Self.request(number, "p", #"{"p":"/rooms/m\#(number)","d":"\#(text)"}"#))
                #expect(try writer.hear() == Self.ok(number))
            }
            writer.say(Self.request(201, "p", #"{"p":"/rooms/small","d":1}"#))
            #expect(try writer.hear() == #"{"t":"d","d":{"a":"d","b":{"p":"rooms/small","d":1}}}"#)
            #expect(try writer.hear() == Self.ok(201))
            // The connection breaks before everything has come.
            #expect(slow.client.readToEnd().utf8.count < 200 * text.utf8.count)
        }
    }

    @Test("send a value that is far larger than what may wait, and what is pushed meanwhile behind it")
    func largeValue() throws {
        try withServer {
            $0.limits.streamBacklogBytes = 64 << 10
        } _: { server in
            let text = String(repeating: "0123456789abcdef", count: 1 << 16)
            let stored = try TestClient(server).ask("PUT", "/big.json", [], body: #"{"text":"\#(text)"}"#)
            #expect(stored.status == 200)
            let (client, _) = try WebSocketClient.greeted(server)
            client.say(Self.request(1, "q", #"{"p":"/big","h":""}"#))
            client.say(Self.request(2, "p", #"{"p":"/big/more","d":1}"#))
            let push = try #require(try client.hear())
            #expect(push.utf8.count > 1 << 20)
            #expect(try client.hear() == Self.ok(1, "{}"))
            #expect(try client.hear() == #"{"t":"d","d":{"a":"d","b":{"p":"big/more","d":1}}}"#)
            #expect(try client.hear() == Self.ok(2))
        }
    }

    @Test("refuse a value that is too large to be sent")
    func tooBig() throws {
        try withServer {
            $0.limits.realtimeAnswerBytes = 1_000
        } _: { server in
            let (client, _) = try WebSocketClient.greeted(server)
            let text = String(repeating: "x", count: 2_000)
            client.say(Self.request(1, "p", #"{"p":"/a","d":"\#(text)"}"#))
            client.say(Self.request(2, "q", #"{"p":"/a","h":""}"#))
            client.say(Self.request(3, "g", #"{"p":"/a","q":{}}"#))
            let refusal = #"{"s":"too_big","d":"The value is too large; ask for less of it"}"#
            #expect(try client.hear() == Self.ok(1))
            #expect(try client.hear() == #"{"t":"d","d":{"r":2,"b":\#(refusal)}}"#)
            #expect(try client.hear() == #"{"t":"d","d":{"r":3,"b":\#(refusal)}}"#)
        }
    }

    @Test("find no database that nobody has made, and are not told to go away for ever")
    func unknownDatabase() throws {
        try withServer { server in
            let (client, _) = try WebSocketClient.greeted(server, "/.ws?v=5&ns=nowhere")
            client.say(Self.request(1, "q", #"{"p":"/a","h":""}"#))
            let answer = try #require(try client.hear())
            #expect(answer.contains(#""s":"error","d":"There is no such database."#))
            client.say(Self.request(2, "s", "{}"))
            #expect(try client.hear() == Self.ok(2))
        }
    }
}
