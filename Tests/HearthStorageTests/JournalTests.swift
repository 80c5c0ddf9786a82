// The journal: what was flushed is there again, in order, across segments, however the process ended.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("The journal")
struct JournalTests {
    @Test("gives back what was flushed, after a clean stop, a killed process and a power loss")
    func reopens() throws {
        var random = SeededRandom(for: "journal reopens")
        let story = Story(120, using: &random)
        let disk = SimulatedDisk()
        var done = 0
        for round in 0..<12 {
            var rig = try Rig(disk)
            #expect(rig.namespaces.isSame(as: story.states[done]))
            #expect(rig.report.isNew == (round == 0))
            #expect(rig.report.wasUnclean == (round > 0 && round % 3 != 1))
            for _ in 0..<5 {
                try rig.flush(story.records[done..<done + 2])
                done += 2
            }
            if round % 3 == 0 {
                try rig.directory.close()
                disk.endProcess()
            } else if round % 3 == 1 {
                disk.endProcess()
            } else {
                disk.restart(using: &random)
            }
        }
        #expect(try Rig(disk).namespaces.isSame(as: story.states[done]))
    }

    @Test("is read from any position on, in pieces, across segments")
    func reads() throws {
        var random = SeededRandom(for: "journal reads")
        let story = Story(150, using: &random)
        var rig = try Rig(SimulatedDisk())
        for start in stride(from: 0, to: 150, by: 3) { try rig.flush(story.records[start..<start + 3]) }
        let (durable, oldest) = (rig.journal.durable, rig.journal.oldest)
        #expect(durable == 150)
        #expect(oldest == 1)
        for start in [1, 2, 75, 149, 150] as [Position] {
            var next = start
            while next <= 150 {
                let piece = try rig.read(from: next, byteLimit: 2_000)
                #expect(piece.map(\.position) == Array(next..<next + Position(piece.count)))
                for placed in piece {
                    let expected = EncodedRecord(story.records[Int(placed.position) - 1])
                    #expect(EncodedRecord(placed.record).bytes == expected.bytes)
                }
                guard let last = piece.last else { break }
                next = last.position + 1
            }
            #expect(next == 151)
        }
        let none = try rig.read(from: 151, byteLimit: 100)
        #expect(none.isEmpty)
    }

    @Test("makes a segment to fit a record that is larger than one")
    func largeRecord() throws {
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        let large = Node(.string(String(repeating: "m", count: 50_000)))
        var story = Story(using: &SeededRandom.fixed)
        story.add(JournalRecord(namespace: "default", .created(epoch: "e1")))
        let commit = Commit(
            revision: 1, time: 5, kind: .set, base: .known("/rooms"), edits: [.put(.known("/rooms"), large)],
            undo: [.put(.known("/rooms"), .empty)])
        story.add(JournalRecord(namespace: "default", .commit(commit, session: nil)))
        try rig.journal.prepareNextSegment()
        try rig.flush(story.records)
        disk.endProcess()
        #expect(try Rig(disk).namespaces.isSame(as: story.now))
    }

    @Test("leaves out undo that is too large, and history begins after that commit")
    func largeUndo() throws {
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        var story = Story(using: &SeededRandom.fixed)
        story.add(JournalRecord(namespace: "default", .created(epoch: "e1")))
        let texts = [String(repeating: "m", count: 70_000), "bye", "again"]
        for (index, text) in texts.enumerated() {
            let edits = [Edit.put(.known("/rooms/lobby"), Node(.string(text)))]
            let undo = story.now["default"]?.root.undo(of: edits)
            let commit = Commit(
                revision: Revision(index + 1), time: 5, kind: .set, base: .root, edits: edits, undo: undo)
            story.add(JournalRecord(namespace: "default", .commit(commit, session: nil)))
        }
        try rig.flush(story.records)
        disk.endProcess()
        let found = try Rig(disk).namespaces["default"]
        #expect(found?.state.floor == 2)
        #expect(found?.history.map(\.revision) == [3])
    }

    @Test("releases segments below a position, uses one again, and says when a record is gone")
    func releases() throws {
        var random = SeededRandom(for: "journal releases")
        let story = Story(200, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        for record in story.records { try rig.flush([record]) }
        let before = try disk.names(.journal)
        #expect(before.count > 3)
        try rig.journal.release(before: 150)
        let oldest = rig.journal.oldest
        #expect(oldest <= 150 && oldest > 1)
        #expect(try disk.names(.journal).count < before.count)
        #expect(try disk.names(.spare).count == 1)
        #expect(rig.kindOfFailure(readingFrom: 1) == .missing)
        let found = try rig.read(from: 150, byteLimit: 1)
        #expect(found.first?.position == 150)
        try rig.journal.prepareNextSegment()
        #expect(try disk.names(.spare).isEmpty)
        let needsPreparation = rig.journal.needsPreparation
        #expect(!needsPreparation)
    }

    @Test("tells a reader that its segment was released meanwhile")
    func releasedUnderReader() throws {
        var random = SeededRandom(for: "journal reader")
        let story = Story(200, using: &random)
        var rig = try Rig(SimulatedDisk())
        for record in story.records { try rig.flush([record]) }
        let reader = rig.journal.reader()
        #expect(try reader.read(from: 1, byteLimit: 1).count == 1)
        try rig.journal.release(before: 150)
        try rig.journal.prepareNextSegment()
        do {
            _ = try reader.read(from: 1, byteLimit: 1)
            Issue.record("a released record was read")
        } catch {
            #expect(error.kind == .missing)
        }
    }

    @Test("never takes bytes that a client stored for a record of its own")
    func forgedRecords() throws {
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        var story = Story(using: &SeededRandom.fixed)
        story.add(JournalRecord(namespace: "default", .created(epoch: "e1")))
        try rig.flush(story.records)
        // A copy of a whole sound segment as somebody's writes, and then a torn batch before it.
        let copied = disk.bytes(of: "journal-000001")
        story.add(JournalRecord(namespace: "default", .onDisconnect(session: "s", writes: copied)))
        try rig.flush(story.records.suffix(1))
        disk.endProcess()
        let name = try #require(try disk.names(.journal).last)
        var bytes = disk.bytes(of: name)
        bytes[SegmentHeader.byteCount + BatchHeader.byteCount + 30] ^= 1
        disk.overwrite(name, with: bytes)
        let again = try Rig(disk)
        #expect(again.namespaces.isSame(as: story.states[1]))
        #expect(again.report.cutByteCount > 200)
    }
}

extension SeededRandom {
    /// For stories that the test tells itself.
    static var fixed: SeededRandom {
        get { SeededRandom(seed: 1) }
        set {}
    }
}

@Suite("Preparing segments")
struct SegmentPreparationTests {
    @Test("takes one that is ready too late for later use, and recovery is not confused by it")
    func late() throws {
        var random = SeededRandom(for: "late segment")
        let story = Story(120, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        let preparation = rig.journal.nextPreparation()
        // The journal cannot wait and makes other segments meanwhile.
        for record in story.records[..<80] { try rig.flush([record]) }
        let late = try preparation.run()
        let crashed = disk.copy()
        #expect(try Rig(crashed).namespaces.differences(from: story.states[80]) == [])
        #expect(try !crashed.list().contains("journal-000002"))
        rig.journal.adopt(late)
        for record in story.records[80...] { try rig.flush([record]) }
        #expect(try !disk.list().contains("journal-000002"))
        disk.endProcess()
        #expect(try Rig(disk).namespaces.differences(from: story.now) == [])
    }

    @Test("makes the first ones small, then larger ones, up to the usual size")
    func growth() throws {
        let disk = SimulatedDisk()
        let sizes = SegmentSizes(first: 4_096, later: 50_000)
        var rig = try Rig(disk, DirectoryOptions(segments: sizes))
        let record = JournalRecord(
            namespace: "a", .onDisconnect(session: "s", writes: [UInt8](repeating: 1, count: 900)))
        for _ in 0..<150 {
            try rig.flush([record])
            if rig.journal.needsPreparation { try rig.journal.prepareNextSegment() }
        }
        let found = try disk.names(.journal).map { disk.bytes(of: $0).count }
        #expect(Array(found.prefix(4)) == [4_096, 16_384, 50_000, 50_000])
    }

    @Test("at the start gives room at once if the last segment is nearly full")
    func nearlyFull() throws {
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        let record = JournalRecord(namespace: "a", .created(epoch: "e1"))
        try rig.flush([record])
        let writes = [UInt8](repeating: 1, count: rig.room - 600)
        try rig.flush([JournalRecord(namespace: "a", .onDisconnect(session: "s", writes: writes))])
        let before = rig.room
        #expect(before < 1_024)
        disk.endProcess()
        let again = try Rig(disk)
        let after = again.room
        #expect(after > 4_096)
    }
}
