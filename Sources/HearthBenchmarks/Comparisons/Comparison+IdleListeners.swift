// What a listener costs who hears nothing, against nchan.

extension Comparison {
    static let idleListeners = [
        idle("idle-sse", .eventStream),
        idle("idle-websocket", .webSocket),
    ]

    private static func idle(_ name: String, _ form: Broadcast.Form) -> Comparison {
        Comparison(
            name: name, work: "memory per idle \(form.rawValue) listener, 5000 of them", peer: .nchan,
            figures: [Figure(name: "resident memory", unit: .kilobytes, target: .ownAtMost(4))]
        ) { load in
            guard let program = Peer.nchan.program else { throw ComparisonFailure("nginx is missing") }
            return Sides(
                hearth: { _ in
                    let server = try HearthProgram.start()
                    defer { server.stop() }
                    return [try growth(HearthProgram.broadcast(form, from: server), load)]
                },
                peer: { _ in
                    let server = try Nginx.start(program, workers: 1, nil)
                    defer { server.stop() }
                    return [try growth(Nginx.broadcast(form, from: server), load)]
                })
        }
    }

    /// Kilobytes that a new server grows by for each listener, after one message to all.
    private static func growth(_ broadcast: Broadcast, _ load: Load) throws -> Double {
        let count = load.count(5_000)
        // The first listener and the first message make what all share.
        let first = try FanOut(broadcast, room: "r0", pace: .perSecond(1))
        try first.open(listeners: 1)
        let before = broadcast.server.cost.residentBytes
        let fanOut = try FanOut(broadcast, room: "r1", pace: .perSecond(1))
        try fanOut.open(listeners: count)
        let after = broadcast.server.cost.residentBytes
        withExtendedLifetime((first, fanOut)) {}
        // A few listeners may fit into what the server had to spare.
        return Double(max(0, after - before)) / 1_024 / Double(count)
    }
}
