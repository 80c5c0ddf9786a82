// The promise of room is kept: what was reserved fits what is prepared, however it is divided into batches.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("Records that wait")
struct PendingRecordsTests {
    private func record(_ byteCount: Int) -> EncodedRecord {
        EncodedRecord(
            JournalRecord(
                namespace: "a", .onDisconnect(session: "s", writes: [UInt8](repeating: 1, count: byteCount))))
    }

    @Test("get consecutive positions and leave as one batch")
    func positions() throws {
        var pending = PendingRecords(after: 41, room: JournalRoom(byteCount: 10_000, location: "/data"))
        #expect(pending.isEmpty && pending.last == 41)
        #expect(pending.append(record(1)) == 42)
        #expect(pending.append(record(2)) == 43)
        let batch = pending.take()
        #expect(batch.first == 42 && batch.last == 43 && batch.count == 2)
        #expect(pending.isEmpty && pending.append(record(3)) == 44)
    }

    @Test("never need more of the disk than was promised, whatever their sizes and batches")
    func promise() throws {
        var random = SeededRandom(for: "room")
        for _ in 0..<30 {
            let disk = SimulatedDisk()
            let options = DirectoryOptions(segments: SegmentSizes(first: 8_192, later: 16_384))
            var rig = try Rig(disk, options)
            try rig.flush([JournalRecord(namespace: "a", .created(epoch: "e1"))])
            try rig.journal.prepareNextSegment()
            var pending = PendingRecords(after: rig.journal.written, room: rig.journal.room)
            // No further byte is to be had from here on.
            let used = try disk.list().reduce(0) { $0 + disk.bytes(of: $1).count }
            disk.plan(.init(capacity: used))
            var isRefused = false
            while !isRefused {
                let next = record(Int.random(in: 1...2_500, using: &random))
                do {
                    try pending.reserve(next.byteCount)
                    _ = pending.append(next, reserved: next.byteCount)
                } catch {
                    #expect(error.isNoSpace)
                    isRefused = true
                }
                guard random.oneIn(3) else { continue }
                try rig.journal.append(pending.take())
                pending.update(room: rig.journal.room)
            }
            try rig.journal.append(pending.take())
            let written = rig.journal.written
            #expect(written == pending.last)
        }
    }

    @Test("leave as they are although batches use each other's memory")
    func reuse() throws {
        var random = SeededRandom(for: "memory of batches")
        var rig = try Rig(
            SimulatedDisk(), DirectoryOptions(segments: SegmentSizes(first: 4_096, later: 8_192)))
        var pending = PendingRecords(after: rig.journal.written, room: rig.journal.room)
        let start = rig.journal.written + 1
        var sizes: [Int] = []
        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                sizes.append(Int.random(in: 1...1_500, using: &random))
                _ = pending.append(record(sizes[sizes.count - 1]))
            }
            var batch = pending.take()
            // Some come while the batch is on its way.
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                sizes.append(Int.random(in: 1...1_500, using: &random))
                _ = pending.append(record(sizes[sizes.count - 1]))
            }
            try rig.journal.flush(&batch)
            pending.reuse(&batch)
            #expect(batch.isEmpty)
        }
        try rig.journal.append(pending.take())
        let found = try rig.read(from: start, byteLimit: .max)
        #expect(found.map(\.position) == Array(start..<start + Position(sizes.count)))
        #expect(found.map { EncodedRecord($0.record).bytes } == sizes.map { record($0).bytes })
    }

    @Test("count as taken while they are flushed")
    func flushing() throws {
        var pending = PendingRecords(after: 0, room: JournalRoom(byteCount: 2_000, location: "/data"))
        let large = record(1_000)
        try pending.reserve(large.byteCount)
        _ = pending.append(large, reserved: large.byteCount)
        _ = pending.take()
        #expect(throws: StorageFailure.self) { try pending.reserve(large.byteCount) }
        pending.update(room: JournalRoom(byteCount: 1_500, location: "/data"))
        try pending.reserve(large.byteCount)
    }

    @Test("are refused with the reason and what happens next")
    func message() throws {
        var pending = PendingRecords(after: 0, room: JournalRoom(byteCount: 100, location: "/var/lib/hearth"))
        do {
            try pending.reserve(4_000)
            Issue.record("there is no room")
        } catch {
            #expect(
                error.description == """
                    cannot accept the write into /var/lib/hearth: the journal has no room for 4000 more bytes
                    if the disk is full, make space: writing goes on by itself then
                    """)
        }
    }
}

@Suite("A small file that is replaced")
struct SmallFileTests {
    @Test("is the old or the new one after a crash at any call, never a part")
    func crashes() throws {
        var random = SeededRandom(for: "replaced file")
        let (old, new) = (random.bytes(700), random.bytes(900))
        for call in 1...6 {
            for _ in 0..<30 {
                let disk = SimulatedDisk()
                try disk.replace("format", with: old)
                disk.overwrite("format.unfinished", with: [1, 2, 3])
                disk.plan(.init(powerLossAt: disk.callCount + call))
                do { try disk.replace("format", with: new) } catch { #expect(error.kind == .broken) }
                disk.restart(using: &random)
                let found = disk.bytes(of: "format")
                #expect(found == old || found == new)
            }
        }
    }

    @Test("that says nothing of its place is told with it")
    func failureText() {
        let failure = StorageFailure(
            .broken, action: "write to", place: "/data/journal-000042", offset: 8_192,
            reason: "Input/output error",
            advice: "look at the disk")
        #expect(
            failure.description == """
                cannot write to /data/journal-000042 at byte 8192: Input/output error
                look at the disk
                """)
        #expect(!failure.isFatal && failure.fatal.isFatal)
        let full = StorageFailure(.noSpace, action: "prepare", place: "/data", reason: "full")
        #expect(full.isNoSpace && !full.fatal.isNoSpace)
        #expect(full.description == "cannot prepare /data: full")
    }
}
