// Requests one after the other on many connections: the next is sent when the answer to the last is there.
import Glibc

/// A generator that keeps one request under way on each of its connections.
struct ClosedLoop {
    /// What came out, of one run.
    struct Rate {
        let requestsPerSecond: Double
        /// The server's processor time, in microseconds.
        let cpuPerRequest: Double
    }

    /// How much is done before it counts: caches and the server's buffers are then as in the middle of it.
    private static let warmUp = 0.2

    let port: UInt16
    let connectionCount: Int
    let form: ReplyReader.Form
    /// Makes the request of a number; each number is asked for once.
    let request: (Int) -> [UInt8]

    /// Asks for so many seconds, and until every connection has had two answers on average.
    func run(seconds: Double, against server: RunningServer) throws -> Rate {
        var run = try Run(self)
        try run.turn(until: Now.microseconds + UInt64(ClosedLoop.warmUp * seconds * 1_000_000))
        let cost = ProcessCost(group: server.process.id)
        let cpu = cost.nanoseconds
        let start = Now.microseconds
        run.answerCount = 0
        try run.turn(until: start + UInt64(seconds * 1_000_000))
        let end = Now.microseconds
        let count = Double(run.answerCount)
        return Rate(
            requestsPerSecond: count / (Double(end - start) / 1_000_000),
            cpuPerRequest: Double(cost.nanoseconds - cpu) / 1_000 / count)
    }
}

/// The connections of one run.
private struct Run {
    private static let patience: UInt64 = 30_000_000

    private let loop: ClosedLoop
    private let poll: Poll
    private var connections: [LoadConnection] = []
    private var readers: [ReplyReader]
    private var nextNumber = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var ready: [Int] = []
    var answerCount = 0

    init(_ loop: ClosedLoop) throws {
        self.loop = loop
        poll = try Poll()
        readers = Array(repeating: ReplyReader(loop.form), count: loop.connectionCount)
        for number in 0..<loop.connectionCount {
            let connection = try LoadConnection(port: loop.port)
            try poll.add(connection.descriptor, as: number)
            connections.append(connection)
            try ask(number)
        }
    }

    /// Goes on until the time, in `Now`'s microseconds, and until there are answers.
    mutating func turn(until deadline: UInt64) throws {
        var now = Now.microseconds
        while now < deadline || answerCount < 2 * connections.count {
            guard now < deadline + Run.patience else {
                throw ComparisonFailure("only \(answerCount) answers came in time from port \(loop.port)")
            }
            ready.removeAll(keepingCapacity: true)
            poll.wait(microseconds: 100_000, into: &ready)
            for number in ready { try hear(number) }
            now = Now.microseconds
        }
    }

    private mutating func ask(_ number: Int) throws {
        try connections[number].send(loop.request(nextNumber))
        nextNumber += 1
    }

    private mutating func hear(_ number: Int) throws {
        let connection = connections[number]
        let count = try Run.receive(connection, &buffer)
        guard count > 0 else { return }
        let answers = try Run.read(&readers[number], buffer, count)
        answerCount += answers
        for _ in 0..<answers { try ask(number) }
    }

    private static func receive(_ connection: LoadConnection, _ buffer: inout [UInt8]) throws -> Int {
        try buffer.withUnsafeMutableBytes { try connection.receive($0) } ?? 0
    }

    private static func read(_ reader: inout ReplyReader, _ buffer: [UInt8], _ count: Int) throws -> Int {
        try buffer.withUnsafeBytes { try reader.read(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
