// Messages published in a room where many listen: what arrives, how late, and what it costs the server.
import Glibc

/// One run: opens the listeners, publishes for a time, waits until all has arrived.
final class FanOut {
    /// How messages follow each other.
    enum Pace {
        /// So many a second, whatever the server does.
        case perSecond(Double)
        /// As fast as answers come, on so many connections.
        case saturated(publishers: Int)

        var publisherCount: Int {
            switch self {
            case .perSecond: 4
            case .saturated(let count): count
            }
        }
    }

    /// What came out.
    struct Outcome {
        /// The server's processor time, in microseconds; publishing is in it.
        let cpuPerDelivery: Double
        /// Within the time of publishing.
        let deliveriesPerSecond: Double
        /// From sending to receiving, in milliseconds.
        let median: Double
        let worstOfHundred: Double
    }

    private static let patience: UInt64 = 30_000_000
    /// After so long without a delivery nothing is expected any more, in a saturated run.
    private static let silence: UInt64 = 500_000

    private let broadcast: Broadcast
    private let room: String
    private let poll: Poll
    private let audience: Audience
    private var publishers: [Publisher] = []
    private let pace: Pace
    private var sentCount = 0
    private var ready: [Int] = []

    private struct Publisher {
        let connection: LoadConnection
        var replies = ReplyReader(.http)
        var isIdle = true
    }

    /// - Parameter room: one that no run has used on this server.
    init(_ broadcast: Broadcast, room: String, pace: Pace) throws {
        self.broadcast = broadcast
        self.room = room
        self.pace = pace
        poll = try Poll()
        audience = Audience(broadcast, room: room, poll: poll)
    }

    /// Opens so many listeners, each of which has then received a message.
    func open(listeners count: Int) throws {
        try audience.open(count)
        for number in 0..<pace.publisherCount {
            let connection = try LoadConnection(port: broadcast.server.port)
            try poll.add(connection.descriptor, as: count + number)
            publishers.append(Publisher(connection: connection))
        }
        let start = Now.microseconds
        while audience.deafCount(since: start) > 0 {
            guard Now.microseconds < start + FanOut.patience else {
                let deaf = audience.deafCount(since: start)
                throw ComparisonFailure("\(deaf) of \(count) listeners hear nothing of what is published")
            }
            try publish(stamp: Now.microseconds)
            let end = Now.microseconds + 200_000
            while audience.deafCount(since: start) > 0, Now.microseconds < end {
                try turnOnce(microseconds: 10_000)
            }
        }
        // What is still under way is of no interest, but must not be in the way.
        try turn(until: Now.microseconds + 100_000)
    }

    /// Publishes for so many seconds, at least two messages.
    func run(seconds: Double) throws -> Outcome {
        let cost = ProcessCost(group: broadcast.server.process.id)
        let cpu = cost.nanoseconds
        sentCount = 0
        audience.begin()
        let start = Now.microseconds
        switch pace {
        case .perSecond(let rate): try publish(max(2, Int(rate * seconds)), perSecond: rate)
        case .saturated: try publishAlways(for: seconds)
        }
        let elapsed = Double(Now.microseconds - start) / 1_000_000
        let inTime = Double(audience.latencies.count)
        try waitForAll()
        let latencies = audience.latencies
        return Outcome(
            cpuPerDelivery: Double(cost.nanoseconds - cpu) / 1_000 / Double(latencies.count),
            deliveriesPerSecond: inTime / elapsed, median: latencies.quantile(0.5) / 1_000,
            worstOfHundred: latencies.quantile(0.99) / 1_000)
    }

    private func publish(_ count: Int, perSecond rate: Double) throws {
        let start = Now.microseconds
        for number in 0..<count {
            let due = start + UInt64(Double(number) * 1_000_000 / rate)
            try turn(until: due)
            // A message that cannot leave in time counts from the time at which it should have.
            try publish(stamp: due)
        }
        try turn(until: start + UInt64(Double(count) * 1_000_000 / rate))
    }

    private func publishAlways(for seconds: Double) throws {
        let end = Now.microseconds + UInt64(seconds * 1_000_000)
        while Now.microseconds < end || sentCount < 2 {
            for number in publishers.indices where publishers[number].isIdle {
                try publish(by: number, stamp: Now.microseconds)
            }
            try turnOnce(microseconds: 10_000)
        }
    }

    /// Waits for a publisher that has nothing under way, and lets it send.
    private func publish(stamp: UInt64) throws {
        let deadline = Now.microseconds + FanOut.patience
        while true {
            if let idle = publishers.firstIndex(where: \.isIdle) {
                return try publish(by: idle, stamp: stamp)
            }
            guard Now.microseconds < deadline else {
                throw ComparisonFailure("a message was not acknowledged")
            }
            try turnOnce(microseconds: 10_000)
        }
    }

    private func publish(by number: Int, stamp: UInt64) throws {
        publishers[number].isIdle = false
        try publishers[number].connection.send(broadcast.publish(in: room, stamp: stamp))
        sentCount += 1
    }

    /// At a pace all must arrive. Saturated servers may drop messages, so there the end is silence.
    private func waitForAll() throws {
        let expected = sentCount * audience.count
        let deadline = Now.microseconds + FanOut.patience
        var lastCount = -1
        var lastTime = Now.microseconds
        while audience.latencies.count < expected {
            let now = Now.microseconds
            if audience.latencies.count > lastCount {
                lastCount = audience.latencies.count
                lastTime = now
            }
            if case .saturated = pace, now > lastTime + FanOut.silence, lastCount > 0 { return }
            guard now < deadline else {
                throw ComparisonFailure("\(lastCount) of \(expected) deliveries came in time")
            }
            try turnOnce(microseconds: 10_000)
        }
    }

    private func turn(until time: UInt64) throws {
        while case let now = Now.microseconds, now < time { try turnOnce(microseconds: time - now) }
    }

    private func turnOnce(microseconds: UInt64) throws {
        ready.removeAll(keepingCapacity: true)
        poll.wait(microseconds: microseconds, into: &ready)
        for number in ready {
            if number < audience.count { try audience.hear(number) } else { try acknowledge(number) }
        }
    }

    private func acknowledge(_ number: Int) throws {
        let index = number - audience.count
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let connection = publishers[index].connection
        guard let count = try buffer.withUnsafeMutableBytes({ try connection.receive($0) }) else { return }
        let answers = try buffer.withUnsafeBytes {
            try publishers[index].replies.read(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        if answers > 0 { publishers[index].isIdle = true }
    }
}
