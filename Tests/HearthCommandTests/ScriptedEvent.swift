// Gets an event the way every event comes: out of an answer of a server.

import HearthClient
import HearthTesting
import Testing

/// An event as a server would write it.
struct ScriptedEvent {
    private let json: String

    init(_ json: String) {
        self.json = json
    }

    /// Has it sent and read.
    func read() throws -> StreamEvent {
        let body = "{\"cursor\":\"k-1\",\"events\":[\(json)]}"
        let server = ScriptedServer([.json(body, ending: .closes)])
        let client = Client(ServerAddress(host: "127.0.0.1", port: server.port))
        var follower = EventFollower(EventFollower.Subject(path: "/"), from: .present, through: client)
        let batch = try follower.next()
        _ = server.finish()
        return try #require(batch.events.first)
    }
}
