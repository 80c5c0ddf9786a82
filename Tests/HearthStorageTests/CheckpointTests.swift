// Checkpoints replace records: with one the state is the same, and what is below it may go.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("A checkpoint")
struct CheckpointTests {
    @Test("gives the same state as the records that it replaces, with the history that is left")
    func sameState() throws {
        var random = SeededRandom(for: "checkpoint")
        let story = Story(160, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        for index in story.records.indices {
            try rig.flush([story.records[index]])
            guard index % 40 == 39 else { continue }
            let summary = try rig.checkpoint(story.states[index + 1])
            #expect(summary.position == Position(index + 1) && summary.end == summary.position)
            try rig.journal.release(before: summary.position - 15)
            #expect(try disk.names(.checkpoint) == [FileName.numbered(.checkpoint, summary.number)])
        }
        let oldest = rig.journal.oldest
        #expect(oldest > 60)
        disk.endProcess()
        let again = try Rig(disk)
        #expect(again.namespaces.differences(from: story.now) == [])
        #expect(again.report.checkpoint == 4 && again.report.replayedCount == 0)
        #expect(again.report.replayedByteCount == 0)
    }

    @Test("may be taken while writing goes on, each namespace at a moment of its own")
    func whileWriting() throws {
        var random = SeededRandom(for: "checkpoint while writing")
        for _ in 0..<40 {
            let story = Story(70, using: &random)
            let disk = SimulatedDisk()
            var rig = try Rig(disk)
            var done = Int.random(in: 1...20, using: &random)
            try rig.flush(story.records[..<done])
            var writer = try rig.directory.beginCheckpoint(at: rig.journal.durable)
            // The list is taken once; a namespace that is gone when its turn comes is left out.
            for name in story.states[done].keys.sorted() {
                let more = Int.random(in: 0...9, using: &random)
                if more > 0 { try rig.flush(story.records[done..<done + more]) }
                done += more
                if let state = story.states[done][name] { try writer.append(state) }
            }
            let summary = try writer.finish(end: rig.journal.durable, durable: rig.journal.durable)
            try rig.directory.removeFiles(olderThan: summary)
            if random.oneIn(2) { try rig.journal.release(before: summary.position) }
            try rig.flush(story.records[done...])
            disk.restart(using: &random)
            #expect(try Rig(disk).namespaces.differences(from: story.now) == [])
        }
    }

    @Test("writes more than one block, and every changed bit in it is found")
    func everyBit() throws {
        var random = SeededRandom(for: "checkpoint bits")
        let disk = SimulatedDisk()
        let rig = try Rig(disk)
        var state = NamespaceState(name: "default", epoch: "e1", position: 0)
        state.root = random.node(levels: 3)
        var writer = try rig.directory.beginCheckpoint(at: 0)
        try writer.append(state)
        _ = try writer.finish(end: 0, durable: 0)
        let name = "checkpoint-000001"
        let sound = disk.bytes(of: name)
        for bit in 0..<sound.count * 8 where bit < 2_400 || bit % 7 == 0 {
            var bytes = sound
            bytes[bit / 8] ^= 1 << (bit % 8)
            disk.overwrite(name, with: bytes)
            let failure = try #require(throws: StorageFailure.self) { try Checkpoint.read(1, from: disk) }
            #expect(failure.place == "/data/checkpoint-000001")
        }
        for end in 0..<sound.count {
            disk.overwrite(name, with: Array(sound[..<end]))
            #expect(throws: StorageFailure.self) { try Checkpoint.read(1, from: disk) }
        }
        disk.overwrite(name, with: sound + [0])
        #expect(throws: StorageFailure.self) { try Checkpoint.read(1, from: disk) }
    }

    @Test("of large namespaces is written and read in blocks of bounded size")
    func large() throws {
        let disk = SimulatedDisk()
        let rig = try Rig(disk)
        var builder = Node.Builder()
        for index in 0..<30_000 {
            builder.insert(Node(.string("message \(index)")), for: Key(index: index))
        }
        var state = NamespaceState(name: "default", epoch: "e1", position: 0)
        state.root = builder.finish()
        state.rules = Array("{\"rules\":{}}".utf8)
        state.onDisconnect = ["s1": [1, 2, 3]]
        var writer = try rig.directory.beginCheckpoint(at: 0)
        try writer.append(state)
        let summary = try writer.finish(end: 0, durable: 0)
        #expect(summary.byteCount > 2 * BlockPurpose.blockByteCount)
        let bytes = disk.bytes(of: "checkpoint-000001")
        #expect(bytes.fixed32(at: BlockPurpose.headerByteCount) < BlockPurpose.blockByteCount + 1_000)
        let read = try Checkpoint.read(summary.number, from: disk)
        #expect(read.namespaces.first?.differences(from: state) == [])
    }

    @Test("that is damaged is passed over while the journal reaches back, and else named")
    func damaged() throws {
        var random = SeededRandom(for: "damaged checkpoint")
        let story = Story(60, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        for record in story.records { try rig.flush([record]) }
        _ = try rig.checkpoint(story.now)
        disk.endProcess()
        var bytes = disk.bytes(of: "checkpoint-000001")
        bytes[60] ^= 4
        disk.overwrite("checkpoint-000001", with: bytes)
        var again = try Rig(disk)
        #expect(again.namespaces.differences(from: story.now) == [])
        #expect(again.report.unsoundCheckpoints.count == 1)
        try again.journal.release(before: 50)
        disk.endProcess()
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.reason.hasPrefix("checkpoint-000001 is damaged at byte "), "\(failure)")
        #expect(failure.advice.contains("hearth restore"))
    }

    @Test("lets bulk files go that it contains, and keeps those that it does not")
    func bulkFiles() throws {
        var random = SeededRandom(for: "bulk files")
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        var story = Story(using: &random)
        try rig.flush([story.add(JournalRecord(namespace: "default", .created(epoch: "e1")))])
        var files: [BulkReference] = []
        for index in 0..<3 {
            let node = random.node(levels: 4)
            let file = try rig.directory.writeBulkFile(node)
            files.append(file)
            let commit = BulkCommit(
                revision: Revision(index + 1), time: 7, path: .known("/rooms/lobby"),
                mode: index == 1 ? .merge : .replace, file: file, undo: nil)
            rig.directory.noteRecorded(file, at: rig.journal.written + 1)
            try rig.flush([story.add(JournalRecord(namespace: "default", .bulk(commit)), bulk: node)])
            if index == 1 { _ = try rig.checkpoint(story.now) }
        }
        try rig.directory.abandon(try rig.directory.writeBulkFile(.empty))
        _ = try rig.directory.writeBulkFile(.empty)
        #expect(try disk.names(.bulk) == [files[2].name, "bulk-000005"])
        disk.restart(using: &random)
        #expect(try Rig(disk).namespaces.differences(from: story.now) == [])
        #expect(try disk.names(.bulk) == [files[2].name])
        disk.endProcess()
        var bytes = disk.bytes(of: files[2].name)
        bytes[bytes.count - 20] ^= 1
        disk.overwrite(files[2].name, with: bytes)
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.reason.hasPrefix("\(files[2].name) is damaged"), "\(failure)")
        #expect(failure.kind == .damaged(lastSound: ["default": 2]))
    }
}
