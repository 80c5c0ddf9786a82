// The simulated disk must be as cruel as it says and never crueller: what is synced stays.
import HearthStorage
import HearthTesting
import Testing

@Suite("A simulated disk")
struct SimulatedDiskTests {
    /// What a file holds after a power loss, drawn many times.
    private func outcomes(
        _ name: String, _ count: Int = 300, using random: inout SeededRandom,
        after prepare: (SimulatedDisk) throws -> Void
    ) throws -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for _ in 0..<count {
            let disk = SimulatedDisk()
            try prepare(disk)
            disk.restart(using: &random)
            found.insert(disk.bytes(of: name))
        }
        return found
    }

    @Test("keeps what was synced, bytes and name")
    func synced() throws {
        var random = SeededRandom(for: "synced bytes")
        let found = try outcomes("a", using: &random) { disk in
            let file = try disk.create("a")
            try file.write([1, 2, 3], at: 0)
            try file.sync()
            try disk.syncDirectory()
        }
        #expect(found == [[1, 2, 3]])
    }

    @Test("may lose or tear the last write, at any byte")
    func torn() throws {
        var random = SeededRandom(for: "torn write")
        let found = try outcomes("a", using: &random) { disk in
            let file = try disk.create("a")
            try file.write([9, 9, 9, 9], at: 0)
            try file.sync()
            try disk.syncDirectory()
            try file.write([1, 2, 3, 4], at: 0)
        }
        #expect(
            found == [[9, 9, 9, 9], [1, 9, 9, 9], [1, 2, 9, 9], [1, 2, 3, 9], [1, 2, 3, 4]])
    }

    @Test("may keep any sectors of unsynced writes and lose others")
    func sectors() throws {
        var random = SeededRandom(for: "lost sectors")
        let sectorCount = 3
        let found = try outcomes("a", 600, using: &random) { disk in
            let file = try disk.create("a")
            try file.fillWithZeros(from: 0, to: 512 * sectorCount)
            try disk.syncDirectory()
            try file.write([UInt8](repeating: 1, count: 512 * sectorCount), at: 0)
            try file.write([], at: 0)
        }
        let patterns = Set(found.map { bytes in (0..<sectorCount).map { bytes[$0 * 512] } })
        #expect(patterns.count == 1 << sectorCount)
        for bytes in found {
            for sector in 0..<sectorCount {
                #expect(Set(bytes[(sector * 512)..<(sector * 512 + 512)]).count == 1)
            }
        }
    }

    @Test("may lose names that were not synced, each on its own")
    func names() throws {
        var random = SeededRandom(for: "lost names")
        var found: Set<[String]> = []
        for _ in 0..<300 {
            let disk = SimulatedDisk()
            _ = try disk.create("a")
            try disk.syncDirectory()
            _ = try disk.create("b")
            try disk.rename("a", to: "c")
            #expect(try disk.list() == ["b", "c"])
            disk.restart(using: &random)
            found.insert(try disk.list())
        }
        #expect(found == [["a"], ["a", "b"], ["c"], ["b", "c"]])
    }

    @Test("goes off in the call that was planned, and every later one fails")
    func powerLoss() throws {
        let disk = SimulatedDisk(faults: .init(powerLossAt: 3))
        let file = try disk.create("a")
        try file.write([1], at: 0)
        #expect(throws: StorageFailure.self) { try file.sync() }
        #expect(throws: StorageFailure.self) { try file.write([2], at: 0) }
        #expect(throws: StorageFailure.self) { try disk.list() }
        #expect(disk.callCount == 3)
        var random = SeededRandom(seed: 1)
        disk.restart(using: &random)
        #expect(throws: StorageFailure.self) { try file.byteCount() }
        _ = try disk.create("b")
    }

    @Test("fails just the calls that were planned, full or broken")
    func planned() throws {
        let disk = SimulatedDisk(faults: .init(failures: [2: true, 4: false]))
        let file = try disk.create("a")
        var kinds: [StorageFailure.Kind?] = []
        for _ in 0..<4 {
            do {
                try file.write([7], at: 0)
                kinds.append(nil)
            } catch {
                kinds.append(error.kind)
            }
        }
        #expect(kinds == [.noSpace, nil, .broken, nil])
        #expect(disk.bytes(of: "a") == [7])
    }

    @Test("is full when its capacity is used, and not for bytes that are there already")
    func capacity() throws {
        let disk = SimulatedDisk(faults: .init(capacity: 10))
        let file = try disk.create("a")
        try file.write([UInt8](repeating: 1, count: 8), at: 0)
        #expect(try disk.freeByteCount() == 2)
        #expect(throws: StorageFailure.self) { try file.write([1, 2, 3], at: 8) }
        try file.write([UInt8](repeating: 2, count: 10), at: 0)
        try disk.remove("a")
        #expect(try disk.freeByteCount() == 10)
    }

    @Test("gives a lock back when it is let go or the process ends")
    func locks() throws {
        let disk = SimulatedDisk()
        var lock: (any DiskLock)? = try disk.lock("lock")
        #expect(throws: StorageFailure.self) { try disk.lock("lock") }
        #expect(lock != nil)
        lock = nil
        lock = try disk.lock("lock")
        disk.endProcess()
        let next = try disk.lock("lock")
        // One of a process that has ended does not take away that of its successor.
        lock = nil
        #expect(try disk.lockHolder("lock") == SimulatedDisk.process)
        withExtendedLifetime(next) {}
    }

    @Test("copies itself, and the copy goes its own way")
    func copies() throws {
        let disk = SimulatedDisk()
        disk.overwrite("a", with: [1])
        let copy = disk.copy()
        copy.overwrite("a", with: [2])
        _ = try copy.create("b")
        #expect(disk.bytes(of: "a") == [1] && copy.bytes(of: "a") == [2])
        #expect(try disk.list() == ["a"])
    }
}
