// From starting the program to its first answer.
import Glibc
import HearthCore
import HearthTesting

extension Comparison {
    static let starts = [
        Comparison(
            name: "start", work: "start of an empty server, to its first answer", peer: .nobody,
            figures: [Figure(name: "time", unit: .milliseconds, target: .ownAtMost(20))]
        ) { _ in
            Sides(hearth: { _ in
                let folder = try Leftovers.makeFolder()
                return [try timeOfOpening { try HearthProgram.start(in: folder) }]
            })
        },
        Comparison(
            name: "open", work: "opening 1000000 messages; Redis: as hashes, from its dump", peer: .redis,
            figures: [Figure(name: "time", unit: .milliseconds, target: .atMost(0.5))]
        ) { load in
            guard let program = Peer.redis.program else { throw ComparisonFailure("Redis is missing") }
            let count = load.isTiny ? 500 : 1_000_000
            let file = try ChatFile(count, in: try Leftovers.makeFolder())
            let hearth = try startFilled(file)
            hearth.stop()
            let redis = try startFilledRedis(program, count)
            redis.stop()
            return Sides(
                hearth: { _ in [try timeOfOpening { try HearthProgram.start(in: hearth.folder) }] },
                peer: { _ in
                    let start = Now.microseconds
                    let server = try Redis.start(program, isDurable: false, in: redis.folder)
                    defer { server.stop() }
                    while try !Redis.isReady(server) { usleep(1_000) }
                    return [Double(Now.microseconds - start) / 1_000]
                })
        },
    ]

    /// Milliseconds until a server that is started by `start` has answered. Ends the server.
    private static func timeOfOpening(_ start: () throws -> RunningServer) throws -> Double {
        let begin = Now.microseconds
        let server = try start()
        defer { server.stop() }
        return Double(Now.microseconds - begin) / 1_000
    }

    /// A Redis with the messages of a chat as hashes, which its dump has too.
    private static func startFilledRedis(_ program: String, _ count: Int) throws -> RunningServer {
        let server = try Redis.start(program, isDurable: false)
        let chat = Chat(messageCount: count)
        try Redis.ask(server) { send in
            for entry in chat.messages.children() {
                let parts = [Chat.message, Chat.timestamp, Chat.username].flatMap { key in
                    [key.text, Redis.text(of: entry.node.child(key))]
                }
                send(Redis.command(["HSET", entry.key.text] + parts))
            }
            send(Redis.command(["SAVE"]))
        }
        return server
    }
}
