// The realtime protocol where TLS is spoken, here or by a proxy.
import HearthTesting
import Testing

@testable import HearthServer

@Suite("The realtime protocol over TLS")
struct SecureRealtimeTests {
    /// Hears messages until one has `text` in it.
    private func wait(for text: String, _ client: WebSocketClient) throws {
        while true {
            let message = try #require(try client.hear(), "the session ended before \(text.prefix(40))")
            if message.contains(text) { return }
        }
    }

    @Test("tells a listener of writes, small ones and such that come in pieces")
    func listener() throws {
        try withSecureServer { secure in
            let client = try WebSocketClient(over: try secure.client())
            #expect(client.answer.status == 101)
            #expect(try client.hear()?.contains(#""h":"localhost""#) == true)
            client.say(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/rooms/lobby","h":""}}}"#)
            try wait(for: #"{"r":1,"b":{"s":"ok""#, client)
            let writer = try secure.client()
            for text in ["\"hello\"", "\"\(String(repeating: "hearth ", count: 60_000))\""] {
                #expect(try writer.ask("PUT", "/rooms/lobby/topic.json", body: text).status == 200)
                try wait(for: text, client)
            }
            client.say(#"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/rooms/lobby/topic","d":"bye"}}}"#)
            try wait(for: #"{"r":2,"b":{"s":"ok""#, client)
            #expect(try writer.ask("GET", "/rooms/lobby/topic.json").body == "\"bye\"")
        }
    }

    @Test("goes on while the certificate is renewed")
    func renewal() throws {
        try withSecureServer { secure in
            let client = try WebSocketClient(over: try secure.client())
            _ = try client.hear()
            try secure.install(secure.authority.identity())
            secure.server.readCertificate()
            client.say(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/rooms/lobby/topic","d":"hello"}}}"#)
            try wait(for: #"{"r":1,"b":{"s":"ok""#, client)
        }
    }

    @Test("names the public host to those who come through a proxy")
    func publicHost() throws {
        let proxy = try PeerAddress("127.0.0.1")
        let url = try PublicURL("https://chat.example")
        try withServer {
            $0.publicURL = url
        } _: { (server: Server) throws in
            #expect(try WebSocketClient(server).hear()?.contains(#""h":"localhost""#) == true)
        }
        try withServer {
            $0.publicURL = url
            $0.proxies = [proxy]
        } _: { server in
            let client = try WebSocketClient(server, "/.ws?v=5", ["X-Forwarded-For: 192.0.2.1"])
            #expect(try client.hear()?.contains(#""h":"chat.example""#) == true)
        }
    }
}
