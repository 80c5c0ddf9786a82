// The transcripts, over real sockets and on both transports.
import HearthServer
import Testing

@Suite("The realtime protocol")
struct TranscriptTests {
    @Test("goes as the transcripts say over WebSocket", arguments: try Transcript.all().map(\.name))
    func webSocket(name: String) throws {
        let transcript = try #require(try Transcript.all().first { $0.name == name })
        try withServer { server in
            try TranscriptPlayer { try WebSocketClient.greeted(server).0 }.play(transcript)
        }
    }

    @Test("goes as the transcripts say over long polls", arguments: try Transcript.all().map(\.name))
    func polls(name: String) throws {
        let transcript = try #require(try Transcript.all().first { $0.name == name })
        try withServer { server in
            try TranscriptPlayer { try PollingClient(server) }.play(transcript)
        }
    }
}
