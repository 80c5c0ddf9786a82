// Reading over HTTP, against nginx.
import HearthCore

extension Comparison {
    static let requests = [
        Comparison(
            name: "get", work: "GET of 69 bytes, 64 connections, one loop", peer: .nginx,
            figures: [cpuPerRequest(atLeast: 1), requestRate()]
        ) { load in
            let message = #"{"message":"Good morning","time":1700000000000,"username":"somebody"}"#
            return try reading("/rooms/lobby/topic.json", Array(message.utf8), peer: "/small", load) {
                try $0.ask("PUT", "/rooms/lobby/topic.json", body: Array(message.utf8))
            }
        },
        Comparison(
            name: "window", work: "window of 100 messages by key, 64 connections, one loop", peer: .nginx,
            figures: [cpuPerRequest(atLeast: 0.7), requestRate()]
        ) { load in
            let room = "/rooms/lobby/messages.json"
            let chat = Chat(messageCount: load.count(10_000))
            return try reading("\(room)?orderBy=%22$key%22&limitToLast=100", nil, peer: "/files/window", load)
            {
                try $0.ask("PUT", room, body: NodeSerializer.bytes(of: chat.messages))
            }
        },
    ]

    static func cpuPerRequest(atLeast target: Double?) -> Figure {
        Figure(
            name: "CPU per request", unit: .microseconds, relation: .peerToHearth,
            target: target.map { .atLeast($0) } ?? .none)
    }

    static func requestRate(atLeast target: Double? = nil) -> Figure {
        Figure(name: "requests", unit: .perSecond, target: target.map { .atLeast($0) } ?? .none)
    }

    /// Both sides answer GET requests with the same bytes.
    ///
    /// - Parameters:
    ///   - expected: what Hearth must answer, if it is known.
    ///   - fill: gives Hearth what is read.
    private static func reading(
        _ target: String, _ expected: [UInt8]?, peer peerTarget: String, _ load: Load,
        fill: (RunningServer) throws -> Void
    ) throws -> Sides {
        let hearth = try HearthProgram.start()
        try fill(hearth)
        let body = try hearth.ask("GET", target)
        guard expected == nil || body == expected else {
            throw ComparisonFailure("Hearth answers something else than it was given at \(target)")
        }
        let content = Nginx.Content(small: String(decoding: expected ?? [], as: UTF8.self), file: body)
        guard let program = Peer.nginx.program else { throw ComparisonFailure("nginx is missing") }
        let nginx = try Nginx.start(program, workers: 1, content)
        guard try nginx.ask("GET", peerTarget) == body else {
            throw ComparisonFailure("nginx and Hearth answer different bytes")
        }
        return Sides(
            hearth: { _ in try rate(target, of: hearth, load) },
            peer: { _ in try rate(peerTarget, of: nginx, load) })
    }

    private static func rate(_ target: String, of server: RunningServer, _ load: Load) throws -> [Double] {
        let request = Broadcast.get(target, port: server.port)
        let loop = ClosedLoop(port: server.port, connectionCount: load.isTiny ? 4 : 64, form: .http) { _ in
            request
        }
        let rate = try loop.run(seconds: load.seconds(2), against: server)
        return [rate.cpuPerRequest, rate.requestsPerSecond]
    }
}
