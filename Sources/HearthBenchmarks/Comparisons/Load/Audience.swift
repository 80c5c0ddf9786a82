// Many who listen in a room, and what has reached them.
import Glibc

/// The listeners of one run. All belong to the generator's one thread.
final class Audience {
    private struct Listener {
        let connection: LoadConnection
        var isOpen = false
        var stamps = StampReader()
        var replies = ReplyReader(.http)
        /// The newest message that reached it.
        var newest: UInt64 = 0
    }

    /// How many connections may be on their way to being open at once.
    private static let batch = 100
    private static let patience: UInt64 = 30_000_000

    private let broadcast: Broadcast
    private let room: String
    private let poll: Poll
    private var listeners: [Listener] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 17)
    private var openCount = 0
    /// Stamps before it are of no interest.
    private var start: UInt64 = .max
    /// Messages that reached listeners since `begin()`, and how long they took.
    private(set) var latencies = Latencies()

    /// Listeners have the numbers from 0 on in `poll`.
    init(_ broadcast: Broadcast, room: String, poll: Poll) {
        self.broadcast = broadcast
        self.room = room
        self.poll = poll
    }

    var count: Int { listeners.count }

    /// Adds listeners and waits until each has its answer's head, or is waiting for it as a long poll.
    func open(_ count: Int) throws {
        var ready: [Int] = []
        while listeners.count < count {
            for _ in 0..<min(Audience.batch, count - listeners.count) { try addListener() }
            let deadline = Now.microseconds + Audience.patience
            while broadcast.form != .longPoll, openCount < listeners.count {
                guard Now.microseconds < deadline else {
                    throw ComparisonFailure("only \(openCount) of \(listeners.count) listeners got an answer")
                }
                ready.removeAll(keepingCapacity: true)
                poll.wait(microseconds: 100_000, into: &ready)
                for number in ready { try hear(number) }
            }
        }
    }

    /// How many listeners have not heard anything that was sent since `stamp`.
    func deafCount(since stamp: UInt64) -> Int {
        listeners.count { $0.newest < stamp }
    }

    /// From now on deliveries count, of messages sent from now on.
    func begin() {
        start = Now.microseconds
        latencies = Latencies()
    }

    /// Takes what has come for a listener.
    func hear(_ number: Int) throws {
        guard let count = try receive(number) else { return }
        if !listeners[number].isOpen { try open(number, count) }
        let now = Now.microseconds
        let start = start
        var newest = listeners[number].newest
        buffer.withUnsafeBytes { bytes in
            listeners[number].stamps.read(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { stamp in
                newest = max(newest, stamp)
                if stamp >= start { latencies.add(microseconds: now - min(stamp, now)) }
            }
        }
        listeners[number].newest = newest
        if broadcast.form == .longPoll { try pollAgain(number, count) }
    }

    private func addListener() throws {
        let connection = try LoadConnection(port: broadcast.server.port)
        try poll.add(connection.descriptor, as: listeners.count)
        try connection.send(broadcast.listen(room))
        listeners.append(Listener(connection: connection))
    }

    private func receive(_ number: Int) throws -> Int? {
        let connection = listeners[number].connection
        return try buffer.withUnsafeMutableBytes { try connection.receive($0) }
    }

    /// Looks for the head of the first answer. What follows it may have no end that could be looked for.
    private func open(_ number: Int, _ count: Int) throws {
        guard broadcast.form != .longPoll else { return }
        let head = String(decoding: buffer[..<min(count, 1_024)], as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first
        guard status == (broadcast.form == .webSocket ? "101" : "200"), head.contains("\r\n\r\n") else {
            throw ComparisonFailure("a listener was answered: \(head.prefix(400))")
        }
        listeners[number].isOpen = true
        openCount += 1
        if let frame = broadcast.firstFrame { try listeners[number].connection.send(frame(room)) }
    }

    private func pollAgain(_ number: Int, _ count: Int) throws {
        let answers = try buffer.withUnsafeBytes {
            try listeners[number].replies.read(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        guard answers > 0, let listenOn = broadcast.listenOn else { return }
        try listeners[number].connection.send(try listenOn(room, listeners[number].replies))
    }
}
