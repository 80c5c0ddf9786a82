// Writing that is acknowledged when it is on the disk, against Redis, and with rules against without.

extension Comparison {
    static let pushes = [
        Comparison(
            name: "push", work: "durable push (POST; Redis SET, appendfsync always), 50 connections",
            peer: .redis, figures: [requestRate(atLeast: 1.2), cpuPerRequest(atLeast: nil)]
        ) { load in
            guard let program = Peer.redis.program else { throw ComparisonFailure("Redis is missing") }
            let hearth = try HearthProgram.start()
            let redis = try Redis.start(program)
            return Sides(
                hearth: { _ in try pushRate("/rooms/lobby/messages.json", of: hearth, load) },
                peer: { run in
                    try rate(of: redis, .redis, load) { number in
                        Redis.command(["SET", "message:\(run):\(number)", message])
                    }
                })
        },
        Comparison(
            name: "push-rules", work: "the same with rules/fire3chat, against Hearth without rules",
            peer: .itself, figures: [requestRate(atLeast: 0.9), cpuPerRequest(atLeast: 0.9)]
        ) { load in
            let ruled = try HearthProgram.start(
                loops: 1, options: ["--rules", ExampleRules.path("fire3chat")])
            let free = try HearthProgram.start()
            return Sides(
                hearth: { _ in try pushRate("/messages.json", of: ruled, load) },
                peer: { _ in try pushRate("/messages.json", of: free, load) })
        },
        Comparison(
            name: "push-alone",
            work: "durable pushes one after the other; disk: as much written in place and synced",
            peer: .disk,
            figures: [Figure(name: "time beyond a GET's", unit: .microseconds, target: .atMost(1.2))]
        ) { load in
            let hearth = try HearthProgram.start()
            let disk = try SyncLoop(in: try Leftovers.makeFolder(), byteCount: message.utf8.count)
            return Sides(
                hearth: { _ in
                    let push = try pushRate("/rooms/lobby/messages.json", of: hearth, load, writers: 1)[0]
                    // The way there and back is not the disk's business.
                    let read = Broadcast.get("/rooms/lobby/topic.json", port: hearth.port)
                    let get = try rate(of: hearth, .http, load, writers: 1) { _ in read }[0]
                    return [1_000_000 / push - 1_000_000 / get]
                },
                peer: { _ in [try disk.run(seconds: load.seconds(2))] })
        },
    ]

    /// What is written, by all: a message that the rules of fire3chat allow.
    private static let message =
        #"{"message":"Good morning, is anybody here?","time":"2026/01/31, 9:05:00","username":"ann"}"#

    /// - Parameter writers: how many push at once; at most 4 under a tiny load.
    static func pushRate(
        _ target: String, of server: RunningServer, _ load: Load, writers: Int = 50
    ) throws -> [Double] {
        let head = """
            POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\
            Content-Type: application/json\r\nContent-Length: \(message.utf8.count)\r\n\r\n
            """
        let request = Array((head + message).utf8)
        return try rate(of: server, .http, load, writers: writers) { _ in request }
    }

    private static func rate(
        of server: RunningServer, _ form: ReplyReader.Form, _ load: Load, writers: Int = 50,
        request: @escaping (Int) -> [UInt8]
    ) throws -> [Double] {
        let count = load.isTiny ? min(4, writers) : writers
        let loop = ClosedLoop(port: server.port, connectionCount: count, form: form, request: request)
        let rate = try loop.run(seconds: load.seconds(2), against: server)
        return [rate.requestsPerSecond, rate.cpuPerRequest]
    }
}
