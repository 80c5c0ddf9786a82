// Who plays, and what players may look at.
import HearthTesting

extension Stage {
    /// Where clients write.
    static let namespaces = ["default", "beta"]

    /// Brings the clients on.
    func castClients() {
        for index in 0..<Int.random(in: 2...4, using: &random) {
            let identity = Identity(
                name: "w\(index)", namespace: index == 1 ? "beta" : "default", isAdministrator: index == 0)
            clients.append(
                Writer(
                    identity, mayUploadRules: index == 0, mayPurge: index == 0 && plan.mayPurge,
                    random.branch()))
        }
        let places = [
            ["rooms", "a", "messages"], ["rooms", "a"], ["rooms", "b", "messages"], ["counters"], ["guarded"],
            ["gate"], ["rooms"],
        ]
        for index in 0..<Int.random(in: 2...6, using: &random) {
            let isAdministrator = random.oneIn(3)
            let identity = Identity(
                name: "f\(index)", namespace: random.oneIn(4) ? "beta" : "default",
                isAdministrator: isAdministrator)
            let path = places[Int.random(in: 0..<places.count, using: &random)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: clients.append(PollFollower(identity, path: path, random.branch()))
            case 1:
                clients.append(
                    StreamFollower(identity, path: path, tellsChildren: false, random.branch()))
            default:
                clients.append(StreamFollower(identity, path: path, tellsChildren: true, random.branch()))
            }
        }
    }
}

extension Stage: Surroundings {
    func connect() -> Line? { network.connect().map { Line($0) } }

    var durable: Int64 { witness.durable }

    func withChronicle<Result>(
        _ namespace: String, _ body: (inout Chronicle) throws(Violation) -> Result
    ) throws(Violation) -> Result {
        var chronicle = chronicles[namespace] ?? Chronicle(namespace: namespace)
        chronicles[namespace] = nil
        defer {
            if !plan.keepsHistory { chronicle.forgotten = .max }
            chronicles[namespace] = chronicle
        }
        return try body(&chronicle)
    }

    func trace(_ line: @autoclosure () -> String) {
        record.trace(line())
    }
}

/// What came of a simulation.
struct Record {
    var stepCount = 0
    var crashCount = 0
    var commitCount = 0
    /// Writes that a client was told to be done.
    var acknowledgedCount = 0
    /// Events on streams, and answers to polls.
    var eventCount = 0
    /// Calls that changed something on the disk, and the server's calls on sockets.
    var diskCallCount = 0
    var socketCallCount = 0
    var violation: Violation?
    /// Changes with every line that was ever traced.
    private(set) var digest: UInt64 = 14_695_981_039_346_656_037
    private var lines: [String] = []

    /// The last lines that led to the end.
    var story: String { lines.suffix(120).joined(separator: "\n") }

    mutating func trace(_ line: String) {
        for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 1_099_511_628_211 }
        lines.append(line)
        if lines.count > 400 { lines.removeFirst(200) }
    }
}
