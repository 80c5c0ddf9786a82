// A small directory with every byte cut away and every bit flipped: what is wrong is named, what is sound is
// saved, and nothing is ever found that was not there.
import Foundation
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("A damaged directory")
struct DamageTests {
    /// Every so manieth bit and byte is tried; `HEARTH_EFFORT=1000` tries each one.
    private static var effort: Int {
        ProcessInfo.processInfo.environment["HEARTH_EFFORT"].flatMap { Int($0) } ?? 1
    }

    /// A stopped directory with a checkpoint and records before and after it.
    private static func stopped(_ random: inout SeededRandom) throws -> (SimulatedDisk, Story) {
        let story = Story(26, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        for index in story.records.indices {
            try rig.flush([story.records[index]])
            if index == 11 { _ = try rig.checkpoint(story.states[12]) }
        }
        try rig.directory.close()
        disk.endProcess()
        return (disk, story)
    }

    /// What came of many kinds of damage.
    private struct Tally {
        var tried = 0
        var named = 0
        var recovered = 0
    }

    @Test("is noticed at every bit, and saved as far as it is sound")
    func everyBit() throws {
        var random = SeededRandom(for: "every bit")
        let (disk, story) = try DamageTests.stopped(&random)
        var tally = Tally()
        for name in try disk.names(.journal) + disk.names(.checkpoint) {
            let bytes = disk.bytes(of: name)
            let used = (bytes.lastIndex { $0 != 0 } ?? 0) + 80
            let step = max(1, 211 / DamageTests.effort)
            for bit in stride(from: 0, to: min(used, bytes.count) * 8, by: step) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let broken = disk.copy()
                broken.overwrite(name, with: changed)
                try judge(broken, name, at: bit / 8, story, &tally, "bit \(bit) of \(name)")
            }
        }
        print("damage: \(tally.tried) bits flipped, \(tally.named) named, \(tally.recovered) recovered")
        #expect(tally.named > tally.tried / 2 && tally.recovered > 0)
    }

    @Test("is noticed wherever a file is cut off, and saved as far as it is sound")
    func everyCut() throws {
        var random = SeededRandom(for: "every cut")
        let (disk, story) = try DamageTests.stopped(&random)
        var tally = Tally()
        for name in try disk.names(.journal) + disk.names(.checkpoint) {
            let bytes = disk.bytes(of: name)
            for length in stride(from: 0, to: bytes.count, by: max(1, 61 / DamageTests.effort)) {
                let broken = disk.copy()
                broken.overwrite(name, with: Array(bytes[..<length]))
                try judge(broken, name, at: length, story, &tally, "\(name) cut after \(length)")
                #expect(tally.named == tally.tried, "\(name) cut after \(length) is not named")
            }
        }
        print("damage: \(tally.tried) cuts, \(tally.named) named, \(tally.recovered) recovered")
        #expect(tally.recovered > 0)
    }

    private func judge(
        _ broken: SimulatedDisk, _ name: String, at offset: Int, _ story: Story, _ tally: inout Tally,
        _ what: String
    ) throws {
        tally.tried += 1
        let check = try DirectoryCheck.run(broken)
        if !check.isSound {
            tally.named += 1
            let isNamed = check.findings.contains { finding in
                finding.severity == .damage && finding.place == "/data/\(name)"
                    && finding.offset ?? 0 <= offset
            }
            #expect(isNamed, "\(what): \(check.findings)")
        }
        do throws(StorageFailure) {
            let rig = try Rig(broken)
            // What was acknowledged last may look like a write that was never finished: no more than that.
            let end = Int(rig.journal.durable)
            #expect(end >= story.records.count - 1, "\(what): \(end) of \(story.records.count)")
            #expect(rig.namespaces.differences(from: story.states[end]) == [], "\(what)")
        } catch {
            guard case .damaged(let sound) = error.kind else {
                Issue.record("\(what): \(error)")
                return
            }
            #expect(!check.isSound, "\(what): refused at the start, and the check finds nothing")
            try recover(broken, sound, story, &tally, what)
        }
    }

    private func recover(
        _ broken: SimulatedDisk, _ sound: [String: Revision], _ story: Story, _ tally: inout Tally,
        _ what: String
    ) throws {
        guard let (namespace, revision) = sound.min(by: { $0.key < $1.key }) else { return }
        broken.endProcess()
        let result = try DirectoryRecovery.run(
            broken, until: namespace, revision, segments: Rig.options.segments, random: SeededRandom(seed: 1))
        let states = story.states[Int(result.position)]
        let rig = try Rig(broken)
        #expect(Set(rig.namespaces.keys) == Set(states.keys), "\(what)")
        for (name, state) in states {
            #expect(rig.namespaces[name]?.state.root.etag == state.root.etag, "\(what)")
            #expect(rig.namespaces[name]?.state.root == state.root, "\(what)")
        }
        broken.endProcess()
        #expect(try DirectoryCheck.run(broken).isSound, "\(what)")
        tally.recovered += 1
    }

    @Test("a newer one or one of others is not restored into, and stays as it is")
    func occupied() throws {
        var random = SeededRandom(for: "restore over")
        let (disk, story) = try DamageTests.stopped(&random)
        let shelf = SimulatedDisk(location: "/shelf")
        _ = try Backup.write(disk, to: "monday", on: shelf, random: random)
        let journal = try #require(try disk.names(.journal).first)
        let changes: [(String, [UInt8])] = [
            (FileName.format, Array("hearth data, format 9\n".utf8)), (journal, [1, 2, 3]),
            ("letter.txt", [1]),
        ]
        for (name, bytes) in changes {
            let target = disk.copy()
            target.overwrite(name, with: bytes)
            let before = try target.list().sorted().map { target.bytes(of: $0) }
            let failure = try #require(throws: StorageFailure.self) {
                try Backup.restore(
                    "monday", on: shelf, to: target, segments: Rig.options.segments, random: random)
            }
            #expect(failure.kind == .occupied && failure.place == "/data", "\(name): \(failure)")
            #expect(try target.list().sorted().map { target.bytes(of: $0) } == before)
        }
        let fresh = SimulatedDisk()
        _ = try Backup.restore("monday", on: shelf, to: fresh, segments: Rig.options.segments, random: random)
        let rig = try Rig(fresh)
        for (name, state) in story.now {
            #expect(rig.namespaces[name]?.state.root.etag == state.root.etag)
        }
    }
}
