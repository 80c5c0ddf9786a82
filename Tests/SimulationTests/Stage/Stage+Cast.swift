// Who plays, and what players may look at.
import HearthCore
import HearthTesting

@testable import HearthServer

extension Stage {
    /// Where clients write.
    static let namespaces = ["default", "beta"]

    /// Brings the clients on.
    func castClients() {
        guard !plan.hasSessionsAlone else { return castSessions() }
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
            ["gate"], ["rooms"], ["online"],
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
        for index in 0..<Int.random(in: 2...4, using: &random) {
            let identity = Identity(
                name: "r\(index)", namespace: random.oneIn(4) ? "beta" : "default",
                isAdministrator: random.oneIn(4))
            let path = places[Int.random(in: 0..<places.count, using: &random)]
            let room = ["rooms", random.oneIn(2) ? "a" : "b", "messages"]
            let questions =
                Stage.questions.randomElement(using: &random).flatMap { random.oneIn(2) ? $0 : nil }
                ?? [(path, nil), (room, Window(order: .key, limit: .last(2)))]
            clients.append(RealtimeClient(identity, questions, random.branch()))
        }
    }

    /// What clients listen to: plain places, and windows beside them, above them and without them.
    private static let questions: [[(path: [String], window: Window?)]] = [
        [(["rooms", "a"], nil)],
        [
            (["rooms", "b", "messages"], nil),
            (["rooms", "a", "messages"], Window(order: .key, limit: .last(2))),
            (["rooms", "a", "messages"], Window(order: .key, limit: .first(3))),
        ],
        // What the plain listen is told reaches the window, too.
        [
            (["rooms", "a", "messages", "m1"], nil),
            (["rooms", "a", "messages"], Window(order: .child("number"), limit: .last(2))),
            (["rooms", "b", "messages"], Window(order: .key, limit: .last(2))),
        ],
        [
            (["rooms", "a", "messages"], Window(order: .child("number"), limit: .first(2))),
            (["rooms", "a", "messages"], nil),
        ],
    ]

    /// Brings clients of the realtime protocol on, and one that writes by requests.
    private func castSessions() {
        for (index, questions) in (Stage.questions + [Stage.questions[0]]).enumerated() {
            let identity = Identity(name: "s\(index)", namespace: "default", isAdministrator: false)
            clients.append(RealtimeClient(identity, questions, random.branch()))
        }
        let writer = Identity(name: "w0", namespace: "default", isAdministrator: false)
        clients.append(Writer(writer, mayUploadRules: false, mayPurge: false, random.branch()))
    }
}

extension Stage: Surroundings {
    func connect() -> Line? { network.connect().map { Line($0) } }

    func note(_ session: String, over line: any SessionLine) { sessionLines[session] = line }

    /// Whether the server may have noticed that a session has ended.
    func mayHaveEnded(_ session: String) -> Bool {
        isStopping || sessionLines[session]?.mayBeOver(self) ?? true
    }

    var moment: Int64 { clock.monotonicNanoseconds }

    var patience: Int64 { plan.patience.nanoseconds }

    var mayLackRoom: Bool { plan.diskOdds != nil || !plan.diskFailures.isEmpty }

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
    /// How many sessions of the realtime protocol there were, and how many of them went over from polls to a
    /// WebSocket.
    var sessionCount = 0
    var crossingCount = 0
    /// Events on streams, and answers to polls.
    var eventCount = 0
    /// What listens were told.
    var pushCount = 0
    /// Sessions that left something, all of which was written.
    var leavingCount = 0
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
