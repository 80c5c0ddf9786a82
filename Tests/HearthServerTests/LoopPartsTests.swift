// The parts of a loop that need no socket.
import Glibc
import HearthStorage
import HearthTesting
import Synchronization
import Testing

@testable import HearthServer

@Suite("Timers")
struct TimersTests {
    @Test("expire in the order of their deadlines, none early")
    func order() {
        var timers = Timers()
        let deadlines: [Int64] = [50, 10, 40, 10, 30, 20, 60]
        for (index, deadline) in deadlines.enumerated() {
            timers.add(PollToken(descriptor: Int32(index), generation: 1), at: deadline)
        }
        #expect(timers.next == 10)
        #expect(timers.expire(now: 9) == nil)
        var expired: [Int64] = []
        while let token = timers.expire(now: 45) { expired.append(deadlines[Int(token.descriptor)]) }
        #expect(expired == [10, 10, 20, 30, 40])
        #expect(timers.next == 50)
    }
}

@Suite("A byte buffer")
struct ByteBufferTests {
    @Test("gives back what was put in, however it grows and moves")
    func contents() {
        var buffer = ByteBuffer()
        var expected: [UInt8] = []
        for round in 0..<500 {
            let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: round % 97)
            piece.withUnsafeBytes { buffer.append($0) }
            expected += piece
            let used = min(buffer.count, (round * 31) % 89)
            buffer.consume(used)
            expected.removeFirst(used)
            #expect(buffer.withBytes { Array($0) } == expected)
        }
    }
}

@Suite("An outbox")
struct OutboxTests {
    @Test("lets replies go in the order of their requests, when they are durable")
    func order() {
        var outbox = Outbox()
        outbox.append(until: 0, durable: 0) { $0.append(1) }
        #expect(outbox.byteCount == 1)
        let pending = outbox.reserve()
        outbox.append(until: 5, durable: 0) { $0.append(2) }
        outbox.append(until: 0, durable: 0) { $0.append(3) }
        outbox.release(durable: 9)
        #expect(outbox.byteCount == 1)
        outbox.fill(pending, .held([9, 9], until: 7))
        outbox.release(durable: 6)
        #expect(outbox.byteCount == 1)
        outbox.release(durable: 7)
        #expect(outbox.byteCount == 5)
        #expect(outbox.slotCount == 0)
    }

    @Test("gives out every byte once and in order, whatever is held, on its way or shared")
    func model() {
        var random = SeededRandom(for: "outbox")
        for _ in 0..<200 {
            let spares = SpareBuffers()
            var outbox = Outbox(spares)
            var expected: [UInt8] = []
            var found: [UInt8] = []
            var (durable, newest, next) = (Int64(0), Int64(0), UInt8(0))
            for _ in 0..<60 {
                let bytes = (0..<[3, 300, 3_000][Int.random(in: 0..<3, using: &random)]).map { _ in
                    next &+= 1
                    return next
                }
                switch Int.random(in: 0..<6, using: &random) {
                case 0...1:
                    newest += Int64.random(in: 0...2, using: &random)
                    outbox.append(until: newest, durable: durable) { $0 += bytes }
                    expected += bytes
                case 2:
                    durable = Int64.random(in: durable...newest, using: &random)
                    outbox.release(durable: durable)
                case 3 where outbox.slotCount == 0:
                    outbox.append(shared: bytes)
                    expected += bytes
                default: found += drained(&outbox, atMost: Int.random(in: 1...2_000, using: &random))
                }
            }
            outbox.release(durable: newest)
            while outbox.byteCount > 0 { found += drained(&outbox, atMost: 4_096) }
            #expect(found == expected && outbox.isEmpty)
        }
    }

    private func drained(_ outbox: inout Outbox, atMost count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let copied = bytes.withUnsafeMutableBytes { outbox.copyFront(into: $0) }
        if copied > 0 { outbox.drop(copied) }
        return Array(bytes[..<copied])
    }

    @Test("lets an answer go at once only when it is first and durable")
    func finished() {
        var outbox = Outbox()
        let (first, second) = (outbox.reserve(), outbox.reserve())
        outbox.finish(second, [3, 4], until: 0, durable: 0)
        #expect(outbox.byteCount == 0)
        outbox.finish(first, [1], until: 7, durable: 6)
        #expect(outbox.byteCount == 0 && outbox.slotCount == 2)
        outbox.finish(first, [1, 2], until: 7, durable: 7)
        #expect(outbox.byteCount == 2 && outbox.slotCount == 1)
        outbox.release(durable: 7)
        #expect(front(of: outbox) == [1, 2, 3, 4])
        outbox.finish(first, [9], until: 0, durable: 7)
        #expect(outbox.byteCount == 4 && outbox.slotCount == 0)
    }

    @Test("never changes bytes that others hold, whatever comes behind them", arguments: [3, 5_000])
    func shared(count: Int) {
        let event = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let copy = event.map { $0 }
        var (one, other) = (Outbox(), Outbox())
        one.append(shared: event)
        other.append(shared: event)
        one.appendToTail { $0.append(7) }
        one.append(shared: event)
        #expect(one.byteCount == 2 * count + 1 && other.byteCount == count)
        #expect(front(of: one) == copy + [7] + copy)
        one.drop(count)
        #expect(front(of: one) == [7] + copy)
        one.drop(count + 1)
        #expect(one.isEmpty && front(of: one) == [])
        other.appendToTail { $0.append(8) }
        #expect(front(of: other) == copy + [8] && event == copy)
    }

    private func front(of outbox: Outbox) -> [UInt8] {
        var outbox = outbox
        return [UInt8](unsafeUninitializedCapacity: 20_000) { room, count in
            count = outbox.copyFront(into: UnsafeMutableRawBufferPointer(room))
        }
    }

    @Test("ignores an answer for a place that was let go")
    func late() {
        var outbox = Outbox()
        let number = outbox.reserve()
        outbox.fill(number, .held([1], until: 0))
        outbox.release(durable: 0)
        outbox.fill(number, .held([2], until: 0))
        outbox.release(durable: 0)
        #expect(outbox.byteCount == 1)
    }
}

@Suite("A mailbox")
struct MailboxTests {
    private func hasRung(_ mailbox: Mailbox) -> Bool {
        var request = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
        defer { mailbox.listen() }
        return poll(&request, 1, 0) > 0
    }

    @Test("rings for a loop that sleeps, once, and for no other")
    func rings() throws {
        let mailbox = try Mailbox()
        var messages: [LoopMessage] = []
        #expect(mailbox.awaitNext())
        mailbox.post(.durable)
        #expect(hasRung(mailbox))
        mailbox.post(.durable)
        #expect(!hasRung(mailbox) && !mailbox.awaitNext())
        mailbox.post(.durable)
        #expect(!hasRung(mailbox))
        mailbox.drain(into: &messages)
        #expect(messages.count == 3 && mailbox.isEmpty)
        #expect(mailbox.awaitNext())
        // It was woken by something else and looks into the mailbox now.
        messages = []
        mailbox.drain(into: &messages)
        mailbox.post(.durable)
        #expect(!hasRung(mailbox))
    }

    @Test("never leaves a loop asleep while a message waits")
    func manyPosters() throws {
        let (mailbox, total) = (try Mailbox(), 20_000)
        let posters = try (0..<2).map { _ in
            try RunningThread.start("poster") { for _ in 0..<total { mailbox.post(.durable) } }
        }
        var (count, messages): (Int, [LoopMessage]) = (0, [])
        while count < 2 * total {
            if mailbox.awaitNext() {
                var request = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&request, 1, 30_000) > 0)
                mailbox.listen()
            }
            mailbox.drain(into: &messages)
            count += messages.count
            messages.removeAll(keepingCapacity: true)
        }
        for poster in posters { poster.join() }
        #expect(count == 2 * total && mailbox.isEmpty)
    }
}

@Suite("Records on their way to the journal's thread")
struct RecorderTests {
    @Test("come to it when they are handed over, all at once, and wake it if it sleeps")
    func handingOver() throws {
        let recorder = try Recorder(
            PendingRecords(after: 0, room: JournalRoom(byteCount: 1 << 20, location: "/data")))
        let record = EncodedRecord(JournalRecord(namespace: "default", .deleted))
        #expect(recorder.append(record, isReserved: false) == 1)
        #expect(recorder.keepsRecordsBack && recorder.take() == nil)
        recorder.handOver()
        // It was woken, or this would last until the test's time is up.
        recorder.awaitWake(atMostNanoseconds: nil)
        #expect(!recorder.keepsRecordsBack && recorder.take()?.count == 1)
        #expect(recorder.take() == nil)
        recorder.handOver()
        for position in Position(2)...4 {
            #expect(recorder.append(record, isReserved: false) == position)
            #expect(recorder.keepsRecordsBack && recorder.take() == nil)
        }
        recorder.handOver()
        recorder.awaitWake(atMostNanoseconds: nil)
        // What others have appended meanwhile goes with it.
        #expect(recorder.append(record, isReserved: false) == 5)
        let batch = try #require(recorder.take())
        #expect(batch.first == 2 && batch.last == 5)
        #expect(recorder.append(record, isReserved: false) == 6)
        #expect(recorder.take() == nil && recorder.take(all: true)?.first == 6)
    }
}

@Suite("Spare buffers")
struct SpareBuffersTests {
    @Test("come back empty, with the memory that they had")
    func reuse() {
        let spares = SpareBuffers()
        var buffer = spares.take()
        #expect(buffer.isEmpty && buffer.capacity >= 512)
        buffer.append(contentsOf: Array(repeating: 7, count: 3_000))
        let capacity = buffer.capacity
        spares.put(&buffer)
        #expect(buffer.isEmpty && buffer.capacity == 0)
        let again = spares.take()
        #expect(again.isEmpty && again.capacity == capacity)
    }

    @Test("are not made of memory that is large or missing, nor of memory that somebody still reads")
    func refused() {
        let spares = SpareBuffers()
        var none: [UInt8] = []
        spares.put(&none)
        var large = Array(repeating: UInt8(7), count: 1 << 20)
        spares.put(&large)
        #expect(large.capacity == 0)
        #expect(spares.take().capacity < 1 << 16)
        var shared = Array(repeating: UInt8(7), count: 100)
        let kept = shared
        spares.put(&shared)
        var other = spares.take()
        other.append(contentsOf: [1, 2, 3])
        #expect(kept == Array(repeating: 7, count: 100))
    }
}

@Suite("Workers")
struct WorkersTests {
    @Test("run every job that they were given before they stop")
    func all() throws {
        let workers = try Workers(count: 3)
        let sum = Mutex(0)
        for number in 1...10_000 {
            workers.run { sum.withLock { $0 += number } }
        }
        workers.stop()
        #expect(sum.withLock { $0 } == 50_005_000)
    }

    /// Has a job to run when it goes, as the rest of a large answer does.
    private final class Parting: Sendable {
        let workers: Workers
        let count: Mutex<Int>

        init(_ workers: Workers) {
            self.workers = workers
            count = Mutex(0)
        }

        func use() { count.withLock { $0 += 1 } }

        deinit { workers.run {} }
    }

    @Test("let go of what a job held as soon as it was run, and take a job from that, too")
    func partings() throws {
        let workers = try Workers(count: 0)
        for _ in 0..<3_000 {
            let parting = Parting(workers)
            workers.run { parting.use() }
        }
        var count = 0
        while workers.runNext() { count += 1 }
        #expect(count == 6_000)
        workers.stop()
    }
}

@Suite("A log line")
struct LogTests {
    @Test("has time, level, message and quoted fields")
    func line() {
        let lines = Mutex<[String]>([])
        let log = Log(threshold: .info) { line in lines.withLock { $0.append(line) } }
        log.debug("left out")
        log.warning("segment recycled", ("name", "journal-1"), ("reason", "a \"b\"\n=c"))
        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(
            written.first?.dropFirst(24)
                == " warn  segment recycled name=journal-1 reason=\"a \\\"b\\\"\\n=c\"")
    }

    @Test("tells the time in UTC")
    func time() {
        #expect(Log.timestamp(1_000_000_000_123) == "2001-09-09T01:46:40.123Z")
    }
}
