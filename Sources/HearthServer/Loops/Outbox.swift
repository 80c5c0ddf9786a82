// What one connection is still owed: replies in the order of their requests, then the bytes on their way.
import CLinux

/// The replies of one connection, in order, and the bytes that have left them but not yet the process.
///
///     requests ─▶ ┌────────┬──────────────┬────────┐ ─▶ ┌───────────────┐ ─▶ socket
///                 │ slot 7 │ slot 8       │ slot 9 │    │ queue │ tail  │
///                 │ pending│ held until N │ source │    └───────────────┘
///                 └────────┴──────────────┴────────┘
///
/// A slot lets its bytes go when it is the first one and what it shows is durable. Bytes of several
/// replies leave with one call. Shared bytes (events) are not copied while they wait, unless they are short.
struct Outbox {
    /// A reply that has its place in the order.
    enum Slot {
        /// A worker, or an event, will fill it in.
        case pending
        /// It is written and waits for the journal; others may have the same bytes.
        case held([UInt8], until: Int64)
        /// The same in memory that is lent to this connection alone.
        case written([UInt8], until: Int64)
        /// It is large and written piece by piece, as fast as the client takes it.
        case source(any ReplySource)
        /// The reply goes on without end: whatever is appended belongs to it.
        case stream
    }

    private var slots: [Slot] = []
    private var firstNumber: UInt64 = 0
    private var queue: [[UInt8]] = []
    private var tail: [UInt8] = []
    /// Whether others may hold the bytes of the tail, too.
    private var isTailShared = false
    private var spares: SpareBuffers
    /// How many bytes of what is first in line have been sent.
    private var sentOfFirst = 0
    /// How many bytes are on their way.
    private(set) var byteCount = 0

    /// Begins with nothing; the memory for bytes on their way comes from `spares`.
    init(_ spares: SpareBuffers = SpareBuffers()) {
        self.spares = spares
    }

    /// Whether nothing is owed and nothing on its way.
    var isEmpty: Bool { slots.isEmpty && byteCount == 0 }
    /// How many replies are owed.
    var slotCount: Int { slots.count }
    /// The oldest reply that is owed.
    var first: Slot? { slots.isEmpty ? nil : slots[0] }
    /// The number of the oldest reply that is owed.
    var firstSlotNumber: UInt64 { firstNumber }

    /// Takes the next place in the order and returns its number.
    mutating func reserve(_ slot: Slot = .pending) -> UInt64 {
        slots.append(slot)
        return firstNumber + UInt64(slots.count - 1)
    }

    /// Takes memory from other buffers from now on: those of the loop that has taken the connection over.
    mutating func use(_ spares: SpareBuffers) {
        self.spares = spares
    }

    /// Lets the bytes of a place go at once if nothing is in their way, else has them wait there.
    ///
    /// - Parameter position: the journal position that must be durable before they leave.
    mutating func finish(_ number: UInt64, _ bytes: [UInt8], until position: Int64, durable: Int64) {
        guard number == firstNumber, !slots.isEmpty, position <= durable else {
            return fill(number, .held(bytes, until: position))
        }
        append(shared: bytes)
        removeFirst(1)
    }

    /// Replaces what stands in a place; nothing happens if it has been let go.
    mutating func fill(_ number: UInt64, _ slot: Slot) {
        guard number >= firstNumber, number - firstNumber < UInt64(slots.count) else { return }
        slots[Int(number - firstNumber)] = slot
    }

    /// Lets `write` append a whole reply at once if nothing is in its way, else to its place in the order.
    ///
    /// - Parameter position: the journal position that must be durable before it leaves.
    mutating func append(until position: Int64, durable: Int64, _ write: (inout [UInt8]) -> Void) {
        if slots.isEmpty && position <= durable {
            appendToTail(write)
        } else {
            var bytes = spares.take()
            write(&bytes)
            slots.append(.written(bytes, until: position))
        }
    }

    /// Moves the replies that may leave to the bytes on their way, and removes a first place that is done.
    ///
    /// - Returns: the source or stream that is first now, if it is one.
    mutating func release(durable: Int64) {
        var count = 0
        while count < slots.count, release(at: count, durable: durable) { count += 1 }
        removeFirst(count)
    }

    /// - Returns: false if what stands there may not leave yet, or is no reply that is written.
    private mutating func release(at index: Int, durable: Int64) -> Bool {
        switch slots[index] {
        case .held(let bytes, until: let position) where position <= durable: append(shared: bytes)
        case .written(var bytes, until: let position) where position <= durable:
            slots[index] = .pending
            append(lent: &bytes)
        case .held, .written, .pending, .source, .stream: return false
        }
        return true
    }

    /// Appends bytes in memory of this connection: most often nothing else is on its way, and they need not
    /// move.
    private mutating func append(lent bytes: inout [UInt8]) {
        guard tail.capacity == 0, queue.isEmpty else {
            append(shared: bytes)
            // Long ones were not copied.
            if bytes.count < 2048 { spares.put(&bytes) }
            return
        }
        byteCount += bytes.count
        isTailShared = false
        swap(&tail, &bytes)
    }

    /// Removes the first place, whose bytes have all been appended.
    mutating func finishFirst() {
        removeFirst(1)
    }

    /// Appends bytes that others hold too, without copying them if they are long.
    mutating func append(shared bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        guard byteCount > 0 else {
            tail = bytes
            isTailShared = true
            byteCount = bytes.count
            return
        }
        guard bytes.count >= 2048 else {
            appendToTail { $0.append(contentsOf: bytes) }
            return
        }
        sealTail()
        queue.append(bytes)
        byteCount += bytes.count
    }

    /// Lets `write` append bytes of this connection alone.
    mutating func appendToTail(_ write: (inout [UInt8]) -> Void) {
        if tail.capacity == 0 || isTailShared {
            var own = spares.take()
            own.append(contentsOf: tail)
            tail = own
            isTailShared = false
        }
        let before = tail.count
        write(&tail)
        byteCount += tail.count - before
    }

    /// Sends as much as the socket takes, with one call, and returns what came of it; nil when there is
    /// nothing.
    mutating func send(to descriptor: Int32, by poller: any Poller) -> Socket.Transfer? {
        guard byteCount > 0 else { return nil }
        let result = queue.isEmpty ? sendTail(to: descriptor, poller) : sendPieces(to: descriptor, poller)
        if case .bytes(let count) = result { drop(count) }
        return result
    }

    /// Copies the bytes that are first in line, as many as `buffer` has room for, and returns how many that
    /// is. They stay until they are dropped.
    mutating func copyFront(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if !queue.isEmpty { sealTail() }
        var count = 0
        var start = sentOfFirst
        for index in 0..<max(1, queue.count) {
            let piece = queue.isEmpty ? tail : queue[index]
            let length = min(piece.count - start, buffer.count - count)
            guard length > 0 else { break }
            piece.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + length])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
            }
            count += length
            start = 0
        }
        return count
    }

    /// Forgets everything that is owed, for a connection that is gone.
    mutating func removeAll() {
        self = Outbox(spares)
    }

    private mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        firstNumber += UInt64(count)
        if count == slots.count {
            // Who is owed one reply after the other needs the place again.
            slots.removeAll(keepingCapacity: slots.capacity <= 4)
        } else {
            slots.removeFirst(count)
        }
    }

    private mutating func sealTail() {
        guard !tail.isEmpty else { return }
        queue.append(tail)
        tail = []
        isTailShared = false
    }

    private func sendTail(to descriptor: Int32, _ poller: any Poller) -> Socket.Transfer {
        tail.withUnsafeBytes { bytes in
            poller.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sentOfFirst...]))
        }
    }

    private mutating func sendPieces(to descriptor: Int32, _ poller: any Poller) -> Socket.Transfer {
        sealTail()
        let count = min(queue.count, 16)
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { pieces in
            for index in 0..<count {
                // The arrays stay in the queue during the call, so their storage does not move.
                queue[index].withUnsafeBytes { bytes in
                    let start = index == 0 ? sentOfFirst : 0
                    let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                    pieces.initializeElement(
                        at: index, to: iovec(iov_base: base.map { $0 + start }, iov_len: bytes.count - start))
                }
            }
            return poller.send(descriptor, pieces: pieces)
        }
    }

    /// Removes bytes that have been sent from the front of the line.
    ///
    /// - Precondition: there are so many.
    mutating func drop(_ sent: Int) {
        byteCount -= sent
        if queue.isEmpty {
            sentOfFirst += sent
        } else {
            dropPieces(sent)
        }
        guard queue.isEmpty, sentOfFirst == tail.count else { return }
        if isTailShared { tail = [] } else { spares.put(&tail) }
        isTailShared = false
        sentOfFirst = 0
    }

    private mutating func dropPieces(_ sent: Int) {
        var rest = sent
        var finished = 0
        while finished < queue.count, rest >= queue[finished].count - sentOfFirst {
            rest -= queue[finished].count - sentOfFirst
            sentOfFirst = 0
            finished += 1
        }
        if finished > 0 { queue.removeFirst(finished) }
        if queue.isEmpty { queue = [] }
        sentOfFirst += rest
    }
}
