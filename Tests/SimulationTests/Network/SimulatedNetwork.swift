// A network on one thread: bytes that were sent lie on the way until somebody lets them go on, or are lost.
import Glibc
import HearthTesting

@testable import HearthServer

/// One direction of a connection.
struct Direction {
    /// Sent, and still on the way.
    var flight: [UInt8] = []
    /// There, and not read yet.
    var arrived: [UInt8] = []
    /// Whether the sender has said its end, and whether that is there.
    var endIsOnTheWay = false
    var hasEnded = false
    /// Whether what is sent goes nowhere, of which the sender does not hear.
    var isLost = false

    /// Lets some of what is on the way arrive.
    mutating func move(_ count: Int) {
        arrived += flight.prefix(count)
        flight.removeFirst(min(count, flight.count))
        if flight.isEmpty && endIsOnTheWay { hasEnded = true }
    }
}

/// One connection.
final class Wire {
    /// The server's descriptor.
    let number: Int32
    let loop: Int
    let capacity: Int
    var up = Direction()
    var down = Direction()
    /// Whether both ends are told that the connection is gone.
    var isBroken = false
    /// Whether the server has it open.
    var isOpen = true

    init(number: Int32, loop: Int, capacity: Int) {
        self.number = number
        self.loop = loop
        self.capacity = capacity
    }

    /// Whether one of the ends has left, or may take the other for gone.
    var isCut: Bool { isBroken || up.isLost || down.isLost || up.endIsOnTheWay || down.endIsOnTheWay }

    /// Whether anything can move.
    var isBusy: Bool {
        !up.flight.isEmpty || !down.flight.isEmpty || (up.endIsOnTheWay && !up.hasEnded)
            || (down.endIsOnTheWay && !down.hasEnded)
    }
}

/// The client's end.
extension Wire {
    /// Whether nothing more will come for the client.
    var isOver: Bool { down.flight.isEmpty && (isBroken || down.hasEnded) }

    /// Sends bytes of the client.
    func send(_ bytes: [UInt8]) {
        if !up.isLost { up.flight += bytes }
    }

    /// Takes what has arrived at the client.
    func takeArrived() -> [UInt8] {
        defer { down.arrived = [] }
        return down.arrived
    }

    /// The client leaves: with a word, or without one that would reach the server.
    func leave(silently: Bool) {
        if silently {
            up.isLost = true
            down.isLost = true
        } else {
            up.endIsOnTheWay = true
        }
    }

    /// The client leaves, as far as a connection shows how.
    func leave(_ departure: Departure) {
        switch departure {
        case .farewell, .hangUp: leave(silently: false)
        case .reset: tear()
        case .silence: leave(silently: true)
        }
    }

    /// What is on the way is lost, and both ends are told.
    func tear() {
        up.flight = []
        down.flight = []
        isBroken = true
    }
}

/// All connections between the clients and one server after the other.
final class SimulatedNetwork {
    private var random: SeededRandom
    /// How many loops listen; none while there is no server.
    private var loopCount = 0
    private var backlog: [[Wire]] = []
    /// Those that the server has open, or will when it accepts them.
    private(set) var wires: [Int32: Wire] = [:]
    /// Those that the server has closed and whose bytes are still on the way.
    private var ending: [Wire] = []
    /// Which calls on sockets of the server fail, counted from the first, and with which error.
    var failures: [Int: Int32] = [:]
    private(set) var callCount = 0

    init(_ random: SeededRandom) {
        self.random = random
    }

    /// Begins to take connections.
    func open(loopCount: Int) {
        self.loopCount = loopCount
        backlog = Array(repeating: [], count: loopCount)
    }

    /// The listener of a loop, a number that no connection has.
    static func listener(of loop: Int) -> Int32 { 1_000_000 + Int32(loop) }

    /// Connects a client; nil while nobody listens.
    func connect() -> Wire? {
        guard loopCount > 0 else { return nil }
        let loop = Int.random(in: 0..<loopCount, using: &random)
        var number: Int32 = 3
        while wires[number] != nil { number += 1 }
        let capacity = [300, 2_000, 64 << 10][Int.random(in: 0..<3, using: &random)]
        let wire = Wire(number: number, loop: loop, capacity: capacity)
        wires[number] = wire
        backlog[loop].append(wire)
        return wire
    }

    /// The server is gone. What it has sent arrives as far as chance wants, then every connection is broken.
    func close(losingFlights: Bool) {
        loopCount = 0
        for number in wires.keys.sorted() {
            guard let wire = wires[number] else { continue }
            let kept = losingFlights ? Int.random(in: 0...wire.down.flight.count, using: &random) : .max
            wire.down.move(kept)
            wire.isBroken = true
            wire.isOpen = false
        }
        wires = [:]
        backlog = []
    }

    /// Takes the next connection that waits at a loop's listener.
    func accept(_ loop: Int) -> Wire? {
        guard loop < backlog.count, !backlog[loop].isEmpty else { return nil }
        return backlog[loop].removeFirst()
    }

    func isWaited(at loop: Int) -> Bool { loop < backlog.count && !backlog[loop].isEmpty }

    /// The server has closed its end.
    func close(_ number: Int32) {
        guard let wire = wires.removeValue(forKey: number) else { return }
        wire.isOpen = false
        wire.down.endIsOnTheWay = true
        ending.append(wire)
        // What the client sent and nobody reads breaks the connection, as TCP does.
        if !wire.up.arrived.isEmpty { wire.isBroken = true }
    }

    /// Counts a call and says with which error it must fail, if it must.
    func fault() -> Int32? {
        callCount += 1
        return failures.removeValue(forKey: callCount)
    }
}

extension SimulatedNetwork {
    /// Lets a random connection's bytes go on, in one direction.
    func moveSomething() -> Bool {
        ending.removeAll { !$0.isBusy }
        let busy = wires.keys.sorted().compactMap { wires[$0] }.filter { $0.isBusy } + ending
        guard let wire = busy.randomElement(using: &random) else { return false }
        let count = random.oneIn(3) ? Int.random(in: 0...40, using: &random) : .max
        if Bool.random(using: &random) { wire.up.move(count) } else { wire.down.move(count) }
        return true
    }

    /// Lets everything arrive.
    func moveAll() {
        for wire in Array(wires.values) + ending {
            wire.up.move(.max)
            wire.down.move(.max)
        }
    }

    /// Cuts a random connection: what is on the way is lost.
    func cut() -> String? {
        guard let number = wires.keys.sorted().randomElement(using: &random), let wire = wires[number] else {
            return nil
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            wire.tear()
            return "connection \(number) is cut"
        case 1:
            wire.up.isLost = true
            wire.up.flight = []
            return "connection \(number) loses what the client sends"
        default:
            wire.down.isLost = true
            wire.down.flight = []
            return "connection \(number) loses what the server sends"
        }
    }
}
