// A loop's side of the simulated network.
import Glibc
import HearthTesting

@testable import HearthServer

/// Tells a loop what is ready in any order and not always, and gives and takes bytes in pieces of any size.
final class SimulatedPoller: Poller {
    private let network: SimulatedNetwork
    private let loop: Int
    private var random: SeededRandom
    private var watched: [UInt64: (reading: Bool, writing: Bool)] = [:]
    /// Whether everything that is ready is told at once, and read and written whole.
    var isEager = false

    init(_ network: SimulatedNetwork, loop: Int, _ random: SeededRandom) {
        self.network = network
        self.loop = loop
        self.random = random
    }

    func register(_ token: PollToken) throws(SystemFailure) {
        watched[token.bits] = (true, false)
    }

    func watch(_ token: PollToken, reading: Bool, writing: Bool) {
        precondition(watched[token.bits] != nil, "a descriptor is watched without having been registered")
        watched[token.bits] = (reading, writing)
    }

    func forget(_ token: PollToken) {
        precondition(watched.removeValue(forKey: token.bits) != nil, "it was never registered")
    }

    func wait(timeoutNanoseconds: Int64?, atMost limit: Int, into events: inout [PollEvent]) {
        events.removeAll()
        for bits in watched.keys.sorted() where isEager || !random.oneIn(4) {
            let token = PollToken(bits: bits)
            guard let interest = watched[bits], let event = event(token, interest) else { continue }
            events.append(event)
        }
        if !isEager { events.shuffle(using: &random) }
        if events.count > limit { events.removeLast(events.count - limit) }
    }

    private func event(_ token: PollToken, _ interest: (reading: Bool, writing: Bool)) -> PollEvent? {
        if token.generation == 0 {
            // The mailbox is looked at in every turn anyway.
            guard token.descriptor == SimulatedNetwork.listener(of: loop), network.isWaited(at: loop) else {
                return nil
            }
            return PollEvent(token: token, isReadable: true, isWritable: false)
        }
        guard let wire = network.wires[token.descriptor] else { return nil }
        let isReadable = wire.isBroken || (interest.reading && (!wire.up.arrived.isEmpty || wire.up.hasEnded))
        let isWritable = wire.isBroken || (interest.writing && wire.down.flight.count < wire.capacity)
        guard isReadable || isWritable else { return nil }
        return PollEvent(token: token, isReadable: isReadable, isWritable: isWritable)
    }

    func accept(_ listener: Int32) -> (number: Int32, peer: SocketAddress?) {
        if let fault = network.fault(), fault != Plan.short { return (-fault, nil) }
        guard let wire = network.accept(loop) else { return (-EAGAIN, nil) }
        return (wire.number, .loopback4(port: 40_000))
    }

    func hurry(_ descriptor: Int32) throws(SystemFailure) {
        if let fault = network.fault(), fault != Plan.short {
            throw SystemFailure("setsockopt", code: fault)
        }
    }

    func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Socket.Transfer {
        let fault = network.fault()
        if let fault, fault != Plan.short { return Socket.transfer(ofError: fault) }
        guard let wire = network.wires[descriptor], !wire.isBroken else { return .failed(ECONNRESET) }
        guard !wire.up.arrived.isEmpty else { return wire.up.hasEnded ? .ended : .wouldBlock }
        let most = isEager || random.oneIn(2) ? buffer.count : Int.random(in: 1...64, using: &random)
        let limit = fault == Plan.short ? 1 : most
        let count = min(limit, wire.up.arrived.count, buffer.count)
        buffer.copyBytes(from: wire.up.arrived.prefix(count))
        wire.up.arrived.removeFirst(count)
        return .bytes(count)
    }

    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Socket.Transfer {
        let fault = network.fault()
        if let fault, fault != Plan.short { return Socket.transfer(ofError: fault) }
        guard let wire = network.wires[descriptor], !wire.isBroken else { return .failed(EPIPE) }
        let room = wire.capacity - wire.down.flight.count
        guard room > 0 else { return .wouldBlock }
        let most = isEager || random.oneIn(2) ? bytes.count : Int.random(in: 1...200, using: &random)
        let limit = fault == Plan.short ? 1 : most
        let count = min(room, limit, bytes.count)
        if !wire.down.isLost { wire.down.flight += bytes.prefix(count) }
        return .bytes(count)
    }

    func send(_ descriptor: Int32, pieces: UnsafeMutableBufferPointer<iovec>) -> Socket.Transfer {
        var all: [UInt8] = []
        for piece in pieces { all += UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len) }
        return all.withUnsafeBytes { send(descriptor, $0) }
    }

    func endSending(_ descriptor: Int32) {
        network.wires[descriptor]?.down.endIsOnTheWay = true
    }

    func close(_ descriptor: Int32) {
        network.close(descriptor)
    }
}
