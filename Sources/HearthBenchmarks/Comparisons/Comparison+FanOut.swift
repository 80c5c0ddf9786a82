// One message to many listeners, against nchan.

extension Comparison {
    static let fanOuts = [
        fanOut("fan-out-sse", .eventStream, .perSecond(20), figures: paced(cpuAtMost: 0.8)),
        fanOut("fan-out-websocket", .webSocket, .perSecond(20), figures: paced(cpuAtMost: 0.8)),
        fanOut(
            "websocket-floor", .webSocket, .perSecond(20), against: .floor,
            figures: ["p50", "p99"].map { Figure(name: $0, unit: .milliseconds) }
                + [Figure(name: "CPU per delivery", unit: .microseconds)]),
        fanOut("saturated-sse", .eventStream, .saturated(publishers: 16), figures: saturated),
        fanOut("saturated-websocket", .webSocket, .saturated(publishers: 16), figures: saturated),
        fanOut("fan-out-long-poll", .longPoll, .perSecond(20), figures: paced(cpuAtMost: 0.6)),
        fanOut(
            "crowd", .eventStream, .perSecond(1), Size(listeners: 10_000, loops: 2, seconds: 3),
            figures: [
                latency("p50", atMost: 0.8), latency("p99", atMost: 0.8),
                Figure(name: "CPU per delivery", unit: .microseconds),
            ]),
    ]

    /// How many listen, to how many loops or workers, for how long.
    private struct Size {
        var listeners = 1_000
        var loops = 1
        var seconds = 2.0
    }

    private static func paced(cpuAtMost target: Double) -> [Figure] {
        [
            Figure(name: "CPU per delivery", unit: .microseconds, target: .atMost(target)),
            latency("p50", atMost: 1), latency("p99", atMost: 1),
        ]
    }

    private static let saturated = [
        Figure(name: "deliveries", unit: .perSecond, target: .atLeast(3)), latency("p99", atMost: 1),
        Figure(name: "CPU per delivery", unit: .microseconds),
    ]

    private static func latency(_ name: String, atMost target: Double) -> Figure {
        Figure(name: name, unit: .milliseconds, target: .atMost(target))
    }

    private static func fanOut(
        _ name: String, _ form: Broadcast.Form, _ pace: FanOut.Pace, _ size: Size = Size(),
        against peer: Peer = .nchan, figures: [Figure]
    ) -> Comparison {
        let audience = "\(size.listeners) \(form.rawValue) listeners"
        let loops = size.loops == 1 ? "" : ", \(size.loops) loops or workers"
        let floor = peer == .floor ? "; floor: a program that does nothing but send" : ""
        return Comparison(
            name: name, work: "\(audience), \(pace)\(loops)\(floor)", peer: peer, figures: figures
        ) { load in
            let hearth = try HearthProgram.start(loops: size.loops)
            let other =
                try peer == .floor
                ? SendingFloor.broadcast(from: SendingFloor.start())
                : nchan(form, workers: size.loops)
            let sides = [HearthProgram.broadcast(form, from: hearth), other]
            let runs = sides.map { broadcast in
                { run in
                    let fanOut = try FanOut(broadcast, room: "r\(run)", pace: load.isTiny ? pace.brief : pace)
                    try fanOut.open(listeners: load.count(size.listeners))
                    let outcome = try fanOut.run(seconds: load.seconds(size.seconds))
                    return figures.map { outcome.number(of: $0) }
                } as Sides.Run
            }
            return Sides(hearth: runs[0], peer: runs[1])
        }
    }

    private static func nchan(_ form: Broadcast.Form, workers: Int) throws -> Broadcast {
        guard let program = Peer.nchan.program else { throw ComparisonFailure("nginx is missing") }
        return Nginx.broadcast(form, from: try Nginx.start(program, workers: workers, nil))
    }
}

extension FanOut.Pace: CustomStringConvertible {
    /// The same without waiting long between messages.
    fileprivate var brief: FanOut.Pace {
        if case .perSecond = self { return .perSecond(20) }
        return self
    }

    var description: String {
        switch self {
        case .perSecond(1): "1 push/s"
        case .perSecond(let rate): "\(Int(rate)) pushes/s"
        case .saturated(let publishers): "saturated by \(publishers) publishers"
        }
    }
}

extension FanOut.Outcome {
    fileprivate func number(of figure: Figure) -> Double {
        switch figure.name {
        case "p50": median
        case "p99": worstOfHundred
        case "deliveries": deliveriesPerSecond
        default: cpuPerDelivery
        }
    }
}
