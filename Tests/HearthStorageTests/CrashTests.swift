// The durability contract, tried at every call to the disk: what was acknowledged is there, nothing is half
// there.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("After a crash")
struct CrashTests {
    @Test("at any call to the disk, every acknowledged record is there and no other is half there")
    func everyCall() throws {
        var random = SeededRandom(for: "crash at every call")
        let start = random.branch()
        let calls = try callCount(from: start)
        #expect(calls > 50)
        for call in 1...calls {
            var seed = start
            var run = Run(using: &seed)
            let disk = SimulatedDisk(faults: .init(powerLossAt: call))
            run.go(on: disk)
            #expect(run.failure != nil, "call \(call)")
            disk.restart(using: &random)
            try checkAndGoOn(&run, disk, "call \(call) of \(calls)")
        }
    }

    @Test("and another in the recovery from it, the same holds")
    func twice() throws {
        var random = SeededRandom(for: "crash twice")
        for _ in 0..<50 {
            var run = Run(using: &random)
            let disk = SimulatedDisk(faults: .init(powerLossAt: Int.random(in: 20...120, using: &random)))
            run.go(on: disk)
            disk.restart(using: &random)
            for _ in 0..<3 {
                let call = disk.callCount + Int.random(in: 1...12, using: &random)
                disk.plan(.init(powerLossAt: call))
                do { _ = try Rig(disk) } catch { #expect(error.kind == .broken, "\(error)") }
                disk.restart(using: &random)
            }
            try checkAndGoOn(&run, disk, "after three crashes")
        }
    }

    private func callCount(from start: SeededRandom) throws -> Int {
        var seed = start
        let disk = SimulatedDisk()
        var run = Run(using: &seed)
        run.go(on: disk)
        try #require(run.failure == nil, "\(String(describing: run.failure))")
        return disk.callCount
    }

    /// Opens, compares, and tells the story to its end on what was found.
    private func checkAndGoOn(_ run: inout Run, _ disk: SimulatedDisk, _ when: String) throws {
        let (found, end) = try reopen(disk, when)
        let faults = run.faults(of: found, at: end)
        try #require(faults == [], "\(when) in \(String(describing: run.failedStep))")
        disk.endProcess()
        run.goOn(from: Int(end), on: disk)
        try #require(run.failure == nil, "\(when), going on: \(String(describing: run.failure))")
        let last = try reopen(disk, when).0
        #expect(last.differences(from: run.story.now) == [], "\(when), going on")
    }

    private func reopen(
        _ disk: SimulatedDisk, _ when: String
    ) throws -> ([String: RecoveredNamespace], Position) {
        let rig = try Rig(disk)
        return (rig.namespaces, rig.journal.durable)
    }

    @Test("while a segment that was prepared for nothing is used again, the directory opens")
    func preparedTwice() throws {
        var random = SeededRandom(for: "crash in a second use")
        for call in 1...24 {
            let disk = SimulatedDisk()
            var rig = try Rig(disk)
            try rig.flush([JournalRecord(namespace: "default", .created(epoch: "e1"))])
            // A worker prepares one while the journal, which could not wait, makes another.
            let late = rig.journal.nextPreparation()
            try rig.journal.prepareNextSegment()
            rig.journal.adopt(try late.run())
            disk.plan(.init(powerLossAt: disk.callCount + call % 8 + 1))
            do { try rig.journal.prepareNextSegment(atLeast: 9_000) } catch { #expect(error.kind == .broken) }
            disk.restart(using: &random)
            let again = try Rig(disk)
            #expect(again.namespaces.keys.sorted() == ["default"], "call \(call)")
        }
    }

    @Test("of a server that syncs in intervals, a prefix is there, in a new epoch")
    func interval() throws {
        var random = SeededRandom(for: "crash with intervals")
        var options = Rig.options
        options.sync = .interval
        for _ in 0..<60 {
            let story = Story(40, using: &random)
            let disk = SimulatedDisk()
            var rig = try Rig(disk, options)
            var synced = 0
            for index in story.records.indices {
                var batch = Batch(
                    first: Position(index + 1), records: [EncodedRecord(story.records[index])])
                try rig.journal.write(&batch)
                guard random.oneIn(6) else { continue }
                try rig.journal.sync()
                synced = index + 1
            }
            synced = max(synced, Int(rig.journal.durable))
            disk.restart(using: &random)
            let again = try Rig(disk, options)
            let kept = Int(again.journal.durable) - again.namespaces.count
            #expect(kept >= synced && again.report.hasNewEpochs)
            for (name, found) in again.namespaces {
                let expected = try #require(story.states[kept][name])
                #expect(found.state.epoch != expected.epoch && found.state.floor == found.state.revision)
                #expect(found.state.root == expected.root && found.state.revision == expected.revision)
            }
        }
    }

    @Test("or a stop that was clean, no epoch changes")
    func cleanInterval() throws {
        var options = Rig.options
        options.sync = .interval
        let story = Story(20, using: &SeededRandom.fixed)
        let disk = SimulatedDisk()
        var rig = try Rig(disk, options)
        try rig.flush(story.records)
        try rig.directory.close()
        disk.endProcess()
        let again = try Rig(disk, options)
        #expect(!again.report.hasNewEpochs && !again.report.wasUnclean)
        #expect(again.namespaces.isSame(as: story.now))
    }
}
