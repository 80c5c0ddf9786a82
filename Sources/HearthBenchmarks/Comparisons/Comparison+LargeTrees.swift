// Trees of a million messages: taking them in, giving them out, keeping them.
import Glibc
import HearthCore
import HearthTesting

extension Comparison {
    static let largeTrees = [
        importing(
            "import", "import of 100 MB of messages, durable; Node: JSON.parse of the text alone", .node,
            Figure(name: "time", unit: .milliseconds, relation: .peerToHearth, target: .atLeast(4)),
            peer: parse),
        importing(
            "import-disk", "the same; disk: the same bytes written and synced", .disk,
            Figure(name: "time", unit: .milliseconds, target: .atMost(1.2)), peer: copy),
        export, memory("memory-ordered", "in order", atMost: 1.3),
        memory("memory-random", "in random order", atMost: 1.8), growingWindow, exportBesideWriters,
    ]

    /// Where messages are imported to.
    static let importPlace = "/rooms/lobby/messages"

    /// A new server that has so many messages.
    static func startFilled(_ file: ChatFile) throws -> RunningServer {
        let server = try HearthProgram.start()
        try HearthProgram.run(["import", importPlace, file.path], for: server)
        return server
    }

    /// Measures the time of an import, and of what it is held against.
    private static func importing(
        _ name: String, _ work: String, _ peer: Peer, _ figure: Figure,
        peer peerRun: @escaping @Sendable (ChatFile) throws -> Double
    ) -> Comparison {
        Comparison(name: name, work: work, peer: peer, figures: [figure]) { load in
            let file = try ChatFile(load.isTiny ? 500 : 600_000, in: try Leftovers.makeFolder())
            return Sides(
                hearth: { _ in
                    let server = try HearthProgram.start()
                    defer { server.stop() }
                    return [
                        try milliseconds {
                            try HearthProgram.run(["import", importPlace, file.path], for: server)
                        }
                    ]
                }, peer: { _ in [try peerRun(file)] })
        }
    }

    /// How long Node parses the text, without reading the file.
    @Sendable private static func parse(_ file: ChatFile) throws -> Double {
        let script = """
            const text = require("fs").readFileSync(process.argv[1], "utf8");
            const start = process.hrtime.bigint();
            JSON.parse(text);
            console.log(Number(process.hrtime.bigint() - start) / 1e6);
            """
        guard let program = Peer.node.program else { throw ComparisonFailure("Node is missing") }
        let folder = try Leftovers.makeFolder()
        let output = folder + "/output"
        let process = try Leftovers.start(program, ["-e", script, file.path], output: output)
        guard process.waitForEnd(seconds: 120),
            let time = process.output.split(separator: "\n").last.flatMap({ Double($0) })
        else { throw ComparisonFailure("Node cannot parse the file: \(process.output.suffix(1_000))") }
        return time
    }

    @Sendable private static func copy(_ file: ChatFile) throws -> Double {
        let folder = try Leftovers.makeFolder()
        return try milliseconds { try file.copyDurably(to: folder + "/copy") }
    }

    static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
        let start = Now.microseconds
        try work()
        return Double(Now.microseconds - start) / 1_000
    }

    private static let export = Comparison(
        name: "export", work: "export of 100 MB of messages, read and forgotten", peer: .nobody,
        figures: [Figure(name: "rate", unit: .megabytesPerSecond, target: .ownAtLeast(1_000))]
    ) { load in
        let file = try ChatFile(load.isTiny ? 500 : 600_000, in: try Leftovers.makeFolder())
        let server = try startFilled(file)
        let request = Broadcast.get("\(importPlace).json?format=export", port: server.port)
        return Sides(hearth: { _ in
            let loop = ClosedLoop(port: server.port, connectionCount: 1, form: .http) { _ in request }
            let rate = try loop.run(seconds: load.seconds(1), against: server)
            return [rate.requestsPerSecond * file.megabytes]
        })
    }

    private static func memory(_ name: String, _ order: String, atMost target: Double) -> Comparison {
        Comparison(
            name: name, work: "memory of 1000000 messages imported \(order); text: their JSON", peer: .text,
            figures: [Figure(name: "resident memory", unit: .megabytes, target: .atMost(target))]
        ) { load in
            let count = load.isTiny ? 500 : 1_000_000
            let file = try ChatFile(
                count, inOrder: name == "memory-ordered", in: try Leftovers.makeFolder())
            return Sides(
                hearth: { _ in
                    let server = try HearthProgram.start()
                    defer { server.stop() }
                    let before = server.cost.residentBytes
                    try HearthProgram.run(["import", importPlace, file.path], for: server)
                    return [Double(max(0, server.cost.residentBytes - before)) / 1_000_000]
                }, peer: { _ in [file.megabytes] })
        }
    }

    private static let growingWindow = Comparison(
        name: "window-growth", work: "windows of 50 at random places of 1000000 messages, against 1000",
        peer: .itself,
        figures: [Figure(name: "CPU per request", unit: .microseconds, target: .atMost(2))]
    ) { load in
        let files = try [load.isTiny ? 500 : 1_000_000, load.isTiny ? 100 : 1_000].map { count in
            try ChatFile(count, in: try Leftovers.makeFolder())
        }
        let runs = try files.map { file in
            let server = try startFilled(file)
            var random = SeededRandom(seed: 11)
            let starts = (0..<1_000).map { _ in file.keys[Int.random(in: 0..<file.keys.count, using: &random)]
            }
            let requests = starts.map { key in
                let query = "orderBy=%22$key%22&startAt=%22\(key.text)%22&limitToFirst=50"
                return Broadcast.get("\(importPlace).json?\(query)", port: server.port)
            }
            return { _ in
                let loop = ClosedLoop(port: server.port, connectionCount: 16, form: .http) {
                    requests[$0 % requests.count]
                }
                return [try loop.run(seconds: load.seconds(1), against: server).cpuPerRequest]
            } as Sides.Run
        }
        return Sides(hearth: runs[0], peer: runs[1])
    }

    private static let exportBesideWriters = Comparison(
        name: "export-writers", work: "50 writers beside exports of 100 MB, against without",
        peer: .itself, figures: [requestRate(atLeast: 0.7)]
    ) { load in
        let file = try ChatFile(load.isTiny ? 500 : 600_000, in: try Leftovers.makeFolder())
        let server = try startFilled(file)
        return Sides(
            hearth: { _ in
                let exports = try HearthProgram.repeating(["export", "/"], for: server)
                defer {
                    // With the export that is under way: it would go on into the run without exports.
                    exports.signal(SIGKILL, group: true)
                    exports.stop()
                }
                let rate = try pushRate("/rooms/tea/messages.json", of: server, load)[0]
                // Without exports beside them the writers would only seem to bear them well.
                guard !exports.hasEnded else {
                    throw ComparisonFailure("an export failed: \(exports.output.suffix(1_000))")
                }
                return [rate]
            }, peer: { _ in [try pushRate("/rooms/tea/messages.json", of: server, load)[0]] })
    }
}
