// Recovery tells an unfinished write from damage, whatever bytes it finds.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("Recovery")
struct RecoveryTests {
    /// A small log of one segment, its batches and the story of it.
    private struct SmallLog {
        let disk = SimulatedDisk()
        let story: Story
        /// Where each batch begins and, at the end, where the last one ends.
        private(set) var borders: [Int] = [SegmentHeader.byteCount]
        /// The records before each batch.
        private(set) var counts: [Int] = []

        init(using random: inout SeededRandom) throws {
            story = Story(small: 10, using: &random)
            var rig = try Rig(disk, DirectoryOptions(segments: SegmentSizes(first: 16_384, later: 8_192)))
            for start in [0, 1, 4, 5, 8] {
                counts.append(start)
                let end = [1: 4, 4: 5, 5: 8, 8: 10][start] ?? 1
                try rig.flush(story.records[start..<end])
                let walk = try JournalWalk.all(disk)
                borders.append(walk.end?.offset ?? 0)
            }
            disk.endProcess()
        }

        let name = "journal-000001"

        /// What is found when the segment has these bytes.
        func recover(_ bytes: [UInt8]) -> Result<Recovery, StorageFailure> {
            disk.overwrite(name, with: bytes)
            do {
                var recovery = try Recovery(disk, history: HistoryLimits())
                try recovery.run()
                return .success(recovery)
            } catch {
                return .failure(error)
            }
        }
    }

    @Test("never gives a different tree: any changed bit is found, or was in the last batch")
    func changedBits() throws {
        var random = SeededRandom(for: "changed bits")
        let log = try SmallLog(using: &random)
        let sound = log.disk.bytes(of: log.name)
        let used = try #require(log.borders.last)
        let lastBatch = log.borders[log.borders.count - 2]
        var (refused, cut) = (0, 0)
        for bit in 0..<(used + 200) * 8 where bit < used * 8 || bit % 37 == 0 {
            var bytes = sound
            bytes[bit / 8] ^= 1 << (bit % 8)
            switch log.recover(bytes) {
            case .success(let recovery):
                cut += 1
                let end = Int(recovery.replay.end)
                #expect(bit / 8 >= lastBatch && end == (bit / 8 < used ? 8 : 10), "bit \(bit)")
                #expect(recovery.replay.recovered().isSame(as: log.story.states[end]))
            case .failure(let failure):
                refused += 1
                #expect(bit / 8 < lastBatch, "bit \(bit)")
                #expect(failure.description.contains("journal-000001"), "\(failure)")
            }
        }
        #expect(refused == lastBatch * 8 && cut > 0)
    }

    @Test("cuts an unfinished last batch, wherever it ends, and says how many bytes")
    func unfinished() throws {
        var random = SeededRandom(for: "unfinished batch")
        let log = try SmallLog(using: &random)
        let sound = log.disk.bytes(of: log.name)
        let used = try #require(log.borders.last)
        let lastBatch = log.borders[log.borders.count - 2]
        for end in lastBatch...used {
            let bytes = Array(sound[..<end]) + [UInt8](repeating: 0, count: sound.count - end)
            let recovery = try log.recover(bytes).get()
            // A byte that was to be zero may count as written.
            let isWhole = bytes == sound
            #expect(recovery.replay.recovered().isSame(as: log.story.states[isWhole ? 10 : 8]), "\(end)")
            #expect(recovery.walk.unfinishedByteCount <= end - lastBatch)
            #expect(isWhole || recovery.walk.unfinishedByteCount >= min(1, end - lastBatch))
        }
    }

    @Test("refuses a segment that was cut off, at every byte")
    func truncated() throws {
        var random = SeededRandom(for: "truncated segment")
        let log = try SmallLog(using: &random)
        let sound = log.disk.bytes(of: log.name)
        for end in 0..<sound.count where end < 3_000 || end % 61 == 0 {
            guard case .failure(let failure) = log.recover(Array(sound[..<end])) else {
                Issue.record("a segment of \(end) bytes was accepted")
                continue
            }
            #expect(failure.description.contains("journal-000001"))
        }
    }

    @Test("refuses when a batch in the middle is gone, as zeros or as other bytes")
    func missingBatch() throws {
        var random = SeededRandom(for: "missing batch")
        let log = try SmallLog(using: &random)
        let sound = log.disk.bytes(of: log.name)
        for index in 0..<log.borders.count - 2 {
            var bytes = sound
            for offset in log.borders[index]..<log.borders[index + 1] { bytes[offset] = 0 }
            let failure = try #require(throws: StorageFailure.self) { try log.recover(bytes).get() }
            #expect(
                failure.kind == .damaged(lastSound: log.story.states[log.counts[index]].mapValues(\.revision))
            )
            #expect(failure.reason.contains("byte \(log.borders[index]) "), "\(failure)")
        }
    }

    @Test("says what is damaged, what is sound and what to do")
    func message() throws {
        var story = Story(using: &SeededRandom.fixed)
        story.add(JournalRecord(namespace: "default", .created(epoch: "e1")))
        for revision in 1...3 as ClosedRange<Revision> {
            let edits = [Edit.put(.known("/rooms/lobby"), Node(.integer(revision)))]
            let commit = Commit(revision: revision, time: 1, kind: .set, base: .root, edits: edits, undo: nil)
            story.add(JournalRecord(namespace: "default", .commit(commit, session: nil)))
        }
        let disk = SimulatedDisk(location: "/var/lib/hearth")
        var rig = try Rig(disk)
        for record in story.records { try rig.flush([record]) }
        disk.endProcess()
        var bytes = disk.bytes(of: "journal-000001")
        bytes[400] ^= 1
        disk.overwrite("journal-000001", with: bytes)
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(
            failure.description == """
                cannot recover /var/lib/hearth: journal-000001 is damaged at byte 349 (checksum differs)
                sound up to revision default:1
                run 'hearth check /var/lib/hearth' to list what is wrong, or \
                'hearth recover /var/lib/hearth --until default:1' to open without what comes after
                """)
    }

    @Test("refuses when a whole segment is gone")
    func missingSegment() throws {
        var random = SeededRandom(for: "missing segment")
        let story = Story(150, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        for record in story.records { try rig.flush([record]) }
        disk.endProcess()
        let names = try disk.names(.journal)
        #expect(names.count > 3)
        for name in names.dropLast() {
            let broken = disk.copy()
            try broken.remove(name)
            let failure = try #require(throws: StorageFailure.self) { _ = try Rig(broken).report }
            #expect(failure.reason.contains("missing"), "\(failure)")
        }
    }

    @Test("refuses a record of a newer version without calling it damage")
    func newerKind() throws {
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        try rig.flush([JournalRecord(namespace: "default", .created(epoch: "e1"))])
        disk.endProcess()
        let name = "journal-000001"
        var bytes = disk.bytes(of: name)
        let header = try SegmentHeader(bytes, of: 1)
        let start = SegmentHeader.byteCount + BatchHeader.byteCount
        bytes[start + EncodedRecord.frameByteCount] = 99
        let range = start..<start + Int(bytes.fixed32(at: start))
        bytes.setFixed32(EncodedRecord.checksum(bytes, range, header.checksumStart), at: start + 4)
        disk.overwrite(name, with: bytes)
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.kind == .unsupported)
        #expect(failure.reason == "unknown kind of record 99, written by a newer version")
    }

    @Test("refuses a checkpoint that holds another revision than its journal leads to", arguments: [-1, 1])
    func contradiction(shift: Revision) throws {
        var random = SeededRandom(for: "contradiction")
        let story = Story(small: 10, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        try rig.flush(story.records)
        var states = story.now
        let name = try #require(states.keys.first)
        states[name]?.revision += shift
        _ = try rig.checkpoint(states)
        disk.endProcess()
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.reason.contains("the journal leads to revision"), "\(failure)")
        let isDamage = if case .damaged = failure.kind { true } else { false }
        #expect(isDamage)
    }

    @Test("keeps no more history than it may, the newest of all namespaces")
    func historyLimits() throws {
        var random = SeededRandom(for: "history limits")
        let story = Story(200, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        try rig.flush(story.records)
        disk.endProcess()
        for limits in [
            HistoryLimits(byteCount: 4_000), HistoryLimits(byteCount: 0),
            HistoryLimits(commitsPerNamespace: 3),
        ] {
            var options = Rig.options
            options.history = limits
            let found = try Rig(disk, options).namespaces
            disk.endProcess()
            #expect(found.isSame(as: story.now))
            let history = found.values.flatMap(\.history)
            let weight = history.reduce(0) {
                $0 + ($1.edits + ($1.undo ?? [])).reduce(128) { $0 + $1.weight }
            }
            #expect(weight <= limits.byteCount)
            #expect(found.values.allSatisfy { $0.history.count <= limits.commitsPerNamespace })
            #expect(limits.byteCount == 0 || !history.isEmpty)
        }
    }
}

extension JournalWalk {
    /// A walk through the whole journal of a disk, without a checkpoint.
    static func all(_ disk: SimulatedDisk) throws(StorageFailure) -> JournalWalk {
        var recovery = try Recovery(disk, history: HistoryLimits())
        try recovery.run()
        return recovery.walk
    }
}
