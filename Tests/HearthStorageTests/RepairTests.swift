// What an administrator does with a directory: check it, recover it, back it up and restore it.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("Looking after a directory")
struct RepairTests {
    /// A stopped directory with a checkpoint in the middle, and its story.
    private func stopped(_ random: inout SeededRandom) throws -> (SimulatedDisk, Story) {
        let story = Story(90, using: &random)
        let disk = SimulatedDisk()
        var rig = try Rig(disk)
        for index in story.records.indices {
            try rig.flush([story.records[index]])
            if index == 39 {
                let summary = try rig.checkpoint(story.states[40])
                try rig.journal.release(before: summary.position)
            }
        }
        try rig.directory.close()
        disk.endProcess()
        return (disk, story)
    }

    @Test("finds nothing wrong with a sound one, and changes nothing")
    func soundCheck() throws {
        var random = SeededRandom(for: "sound check")
        let (disk, story) = try stopped(&random)
        let calls = disk.callCount
        let check = try DirectoryCheck.run(disk)
        #expect(check.isSound && check.findings.isEmpty, "\(check.findings)")
        #expect(check.soundRevisions == story.now.mapValues(\.revision))
        #expect(check.recordCount >= 50 && check.checkedByteCount > 10_000)
        #expect(disk.callCount == calls)
    }

    @Test("finds any changed byte of a journal or a checkpoint, and says where")
    func damagedCheck() throws {
        var random = SeededRandom(for: "damaged check")
        let (disk, _) = try stopped(&random)
        for name in try disk.names(.journal).dropLast() + disk.names(.checkpoint) {
            let used = disk.bytes(of: name).lastIndex { $0 != 0 } ?? 0
            for _ in 0..<6 {
                let broken = disk.copy()
                var bytes = disk.bytes(of: name)
                let offset = Int.random(in: 0...used, using: &random)
                bytes[offset] ^= 0x20
                broken.overwrite(name, with: bytes)
                let check = try DirectoryCheck.run(broken)
                #expect(check.findings.first?.severity == .damage, "\(name) at \(offset)")
                #expect(
                    check.findings.contains { $0.place == "/data/\(name)" && $0.offset ?? 0 <= offset },
                    "\(name) at \(offset) of \(used): \(check.findings)")
            }
        }
    }

    @Test("notes what a crash left, and files of others")
    func notes() throws {
        var random = SeededRandom(for: "notes of a check")
        let (disk, _) = try stopped(&random)
        disk.overwrite("checkpoint-000009.unfinished", with: [1])
        disk.overwrite("letter.txt", with: [1])
        disk.overwrite(FileName.running, with: Array("always".utf8))
        let check = try DirectoryCheck.run(disk)
        #expect(check.isSound)
        #expect(
            check.findings.map(\.place) == [
                "/data/checkpoint-000009.unfinished", "/data/letter.txt", "/data",
            ])
        #expect(throws: StorageFailure.self) { try DirectoryCheck.run(SimulatedDisk()) }
    }

    @Test("recovers up to the damage, keeps the old files, and begins new epochs")
    func recovers() throws {
        var random = SeededRandom(for: "recover")
        for _ in 0..<5 {
            let (disk, story) = try stopped(&random)
            let name = try #require(try disk.names(.journal).dropLast().last)
            var bytes = disk.bytes(of: name)
            bytes[Int.random(in: 64..<3_000, using: &random)] ^= 1
            disk.overwrite(name, with: bytes)
            let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
            guard case .damaged(let lastSound) = failure.kind else {
                Issue.record("\(failure)")
                continue
            }
            let (namespace, revision) = try #require(lastSound.min { $0.key < $1.key })
            let old = try disk.list().filter { $0.hasPrefix("journal") || $0.hasPrefix("checkpoint") }
            let result = try DirectoryRecovery.run(
                disk, until: namespace, revision, segments: Rig.options.segments,
                random: SeededRandom(seed: 5))
            #expect(result.revisions == lastSound && result.damage != nil)
            #expect(Set(result.kept) == Set(old.map { "kept-1-" + $0 }))
            for (kept, name) in zip(result.kept.sorted(), old.sorted()) where name == "journal" {
                #expect(disk.bytes(of: kept).count > 4_000)
            }
            try expect(disk, is: story.states[Int(result.position)])
            #expect(try DirectoryCheck.run(disk).isSound)
        }
    }

    private func expect(_ disk: SimulatedDisk, is states: [String: NamespaceState]) throws {
        var rig = try Rig(disk)
        #expect(Set(rig.namespaces.keys) == Set(states.keys))
        for (name, state) in states {
            let found = try #require(rig.namespaces[name])
            #expect(found.state.epoch != state.epoch && found.state.floor == state.revision)
            #expect(found.state.root == state.root && found.state.revision == state.revision)
            #expect(found.state.rules == state.rules && found.history.isEmpty)
        }
        let name = try #require(states.keys.min())
        try rig.flush([JournalRecord(namespace: name, .onDisconnect(session: "s9", writes: [1]))])
        disk.endProcess()
        let again = try Rig(disk)
        #expect(again.namespaces[name]?.state.onDisconnect["s9"] == [1])
        disk.endProcess()
    }

    @Test("recovers an earlier revision of a sound directory")
    func recoversEarlier() throws {
        var random = SeededRandom(for: "recover earlier")
        let (disk, story) = try stopped(&random)
        let name = try #require(story.states[70].keys.min { $0 < $1 })
        let revision = try #require(story.states[70][name]?.revision)
        let result = try DirectoryRecovery.run(
            disk, until: name, revision, segments: Rig.options.segments, random: random)
        #expect(result.damage == nil && result.revisions[name] == revision)
        try expect(disk, is: story.states[Int(result.position)])
    }

    @Test("does not recover what is not there, and says what is")
    func recoversNothing() throws {
        var random = SeededRandom(for: "recover nothing")
        let (disk, story) = try stopped(&random)
        let before = try disk.list()
        let (some, state) = try #require(story.now.min { $0.key < $1.key })
        let last = state.revision
        // A story deletes namespaces and makes them anew: an earlier one of this name may have got further.
        for (name, revision, reason) in [
            (some, last + 1_000, "'\(some)' is sound up to revision \(last) alone"),
            ("nobody", 1, "there is no namespace 'nobody' in what is sound"),
        ] {
            let failure = try #require(throws: StorageFailure.self) {
                try DirectoryRecovery.run(
                    disk, until: name, revision, segments: Rig.options.segments, random: random)
            }
            #expect(failure.reason == reason)
            #expect(failure.advice.contains("\(some):\(last)"))
        }
        #expect(try disk.list() == before)
    }

    @Test("a recovery that crashes at any call leaves the old state, refused as before, or the new one")
    func recoveryCrashes() throws {
        var random = SeededRandom(for: "recovery crashes")
        let (sound, story) = try stopped(&random)
        let name = try #require(try sound.names(.journal).dropLast().last)
        var bytes = sound.bytes(of: name)
        bytes[200] ^= 1
        sound.overwrite(name, with: bytes)
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(sound.copy()).report }
        guard case .damaged(let lastSound) = failure.kind else { return }
        let (namespace, revision) = try #require(lastSound.min { $0.key < $1.key })
        var outcomes: [Bool] = []
        for call in 1...40 {
            let disk = sound.copy()
            disk.plan(.init(powerLossAt: disk.callCount + call))
            let result = Result { () throws(StorageFailure) in
                try DirectoryRecovery.run(
                    disk, until: namespace, revision, segments: Rig.options.segments, random: random)
            }
            disk.restart(using: &random)
            if case .success(let recovery) = result {
                try expect(disk, is: story.states[Int(recovery.position)])
                break
            }
            do {
                let rig = try Rig(disk)
                #expect(rig.namespaces.mapValues(\.state.revision) == lastSound)
                outcomes.append(true)
            } catch {
                #expect(error.kind == failure.kind, "call \(call): \(error)")
                outcomes.append(false)
            }
            disk.endProcess()
        }
        #expect(outcomes.contains(true) && outcomes.contains(false))
    }

    @Test("backs up and restores all namespaces, in new epochs")
    func backup() throws {
        var random = SeededRandom(for: "backup")
        let (disk, story) = try stopped(&random)
        let shelf = SimulatedDisk(location: "/shelf")
        let written = try Backup.write(disk, to: "monday", on: shelf, random: random)
        #expect(written.revisions == story.now.mapValues(\.revision))
        #expect(try shelf.list() == ["monday"])
        #expect(try Backup.check("monday", on: shelf).byteCount == written.byteCount)
        let fresh = SimulatedDisk(location: "/fresh")
        let restored = try Backup.restore(
            "monday", on: shelf, to: fresh, segments: Rig.options.segments, random: random)
        #expect(restored.revisions == written.revisions)
        try expect(fresh, is: story.now)
        let failure = try #require(throws: StorageFailure.self) {
            try Backup.restore("monday", on: shelf, to: fresh, segments: Rig.options.segments, random: random)
        }
        #expect(failure.kind == .occupied)
    }

    @Test("restores nothing from a damaged backup, and leaves no directory that opens when it crashes")
    func damagedBackup() throws {
        var random = SeededRandom(for: "damaged backup")
        let (disk, story) = try stopped(&random)
        let shelf = SimulatedDisk(location: "/shelf")
        _ = try Backup.write(disk, to: "monday", on: shelf, random: random)
        let sound = shelf.bytes(of: "monday")
        for _ in 0..<30 {
            var bytes = sound
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 8
            shelf.overwrite("monday", with: bytes)
            let fresh = SimulatedDisk()
            #expect(throws: StorageFailure.self) {
                try Backup.restore(
                    "monday", on: shelf, to: fresh, segments: Rig.options.segments, random: random)
            }
            #expect(try fresh.list().isEmpty)
        }
        shelf.overwrite("monday", with: sound)
        for call in 1...14 {
            let fresh = SimulatedDisk(faults: .init(powerLossAt: call))
            let result = Result { () throws(StorageFailure) in
                try Backup.restore(
                    "monday", on: shelf, to: fresh, segments: Rig.options.segments, random: random)
            }
            fresh.restart(using: &random)
            if try FormatFile.check(fresh) {
                try expect(fresh, is: story.now)
            } else {
                #expect(throws: StorageFailure.self) { try result.get() }
            }
        }
    }
}
