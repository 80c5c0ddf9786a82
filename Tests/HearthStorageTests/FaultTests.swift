// Disks that are full or broken: nothing accepted is lost, and what can be tried again can be tried again.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("A failing disk")
struct FaultTests {
    @Test("stops the process when a flush fails, and leaves what was acknowledged", arguments: [true, false])
    func everyCall(isFull: Bool) throws {
        var random = SeededRandom(for: "fault at every call")
        let start = random.branch()
        var seed = start
        let whole = SimulatedDisk()
        var run = Run(using: &seed)
        run.go(on: whole)
        for call in 1...whole.callCount {
            var seed = start
            var run = Run(using: &seed)
            let disk = SimulatedDisk(faults: .init(failures: [call: isFull]))
            run.go(on: disk)
            if let failure = run.failure {
                #expect(failure.isFatal == (run.failedStep == .flush))
                #expect(failure.kind == (isFull ? .noSpace : .broken))
                #expect(failure.isNoSpace == (isFull && run.failedStep != .flush))
            } else {
                // A start goes on without a segment in reserve when the disk is full.
                #expect(isFull, "call \(call)")
            }
            disk.restart(using: &random)
            let rig = try Rig(disk)
            let end = rig.journal.durable
            #expect(run.faults(of: rig.namespaces, at: end) == [], "call \(call)")
        }
    }

    @Test("refuses room before anything is accepted, and takes writes again when there is space")
    func full() throws {
        let disk = SimulatedDisk(faults: .init(capacity: 20_000))
        var rig = try Rig(disk)
        var pending = PendingRecords(after: rig.journal.durable, room: rig.journal.room)
        let record = EncodedRecord(
            JournalRecord(
                namespace: "default", .onDisconnect(session: "s", writes: [UInt8](repeating: 7, count: 400))))
        _ = pending.append(EncodedRecord(JournalRecord(namespace: "default", .created(epoch: "e1"))))
        var refusals = 0
        var accepted = 0
        for round in 0..<200 {
            if round == 150 { disk.plan(.init()) }
            do {
                try pending.reserve(record.byteCount)
                let position = pending.append(record, reserved: record.byteCount)
                accepted += 1
                #expect(position == Position(accepted + 1))
            } catch {
                #expect(error.isNoSpace)
                refusals += 1
            }
            guard round % 3 == 0 else { continue }
            try rig.journal.append(pending.take())
            if rig.journal.needsPreparation {
                do { try rig.journal.prepareNextSegment() } catch { #expect(error.isNoSpace) }
            }
            pending.update(room: rig.journal.room)
        }
        #expect(refusals > 20 && refusals < 150)
        #expect(accepted > 70)
        try rig.journal.append(pending.take())
        let durable = rig.journal.durable
        #expect(durable == Position(accepted + 1))
    }

    @Test("leaves no half-made segment behind when it is full")
    func halfMade() throws {
        let disk = SimulatedDisk(faults: .init(capacity: 6_000))
        var rig = try Rig(disk)
        let before = try disk.list().sorted()
        for _ in 0..<3 {
            do {
                try rig.journal.prepareNextSegment()
                Issue.record("there is no space for a segment")
            } catch {
                #expect(error.isNoSpace)
            }
        }
        #expect(try disk.list().sorted() == before)
        disk.plan(.init())
        try rig.journal.prepareNextSegment()
        #expect(try disk.names(.journal).count == 2)
    }

    @Test("gives a released reservation back")
    func released() throws {
        var pending = PendingRecords(after: 0, room: JournalRoom(byteCount: 1_000, location: "/data"))
        try pending.reserve(800)
        #expect(throws: StorageFailure.self) { try pending.reserve(200) }
        pending.release(reserved: 800)
        try pending.reserve(200)
    }
}
