// Damage to uploaded files is found, and backups take them along.
import HearthCore
import HearthStorage
import HearthTesting
import Testing

@Suite("Uploaded files")
struct StoredFileTests {
    private static let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// A stopped directory with files.
    private func directory(_ random: inout SeededRandom) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        _ = try DataDirectory.open(disk, Rig.options, random: random.branch())
        let store = try FileStore(on: disk, limit: 1 << 30)
        for (path, bytes) in [("cat.png", Self.content), ("a/empty", []), ("a/b", Array("text".utf8))] {
            let place = StoredFile.Place(namespace: "default", path: path)
            let upload = try store.begin(
                StoredFile(place: place, contentType: "a/b", time: 1, byteCount: bytes.count)
            ).get()
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                try upload.write(Array(bytes[start..<min(start + 100_000, bytes.count)]))
            }
            try upload.finish(tag: String(repeating: "t", count: 22))
        }
        disk.endProcess()
        return disk
    }

    private func content(_ path: String, on disk: SimulatedDisk) throws -> [UInt8]? {
        let store = try FileStore(reading: disk)
        guard let opened = try store.open(StoredFile.Place(namespace: "default", path: path)) else {
            return nil
        }
        return try opened.content.read(at: opened.start, count: opened.file.byteCount)
    }

    @Test("are checked to the last byte")
    func check() throws {
        var random = SeededRandom(for: "checking uploads")
        let disk = try directory(&random)
        let sound = try DirectoryCheck.run(disk)
        #expect(sound.isSound && sound.checkedByteCount > Self.content.count)
        let bytes = disk.bytes(of: "file-000001")
        for offset in [0, 8, 12, 16, 20, 40, 80, bytes.count / 2, bytes.count - 1] {
            var damaged = bytes
            damaged[offset] ^= 4
            disk.overwrite("file-000001", with: damaged)
            let check = try DirectoryCheck.run(disk)
            #expect(check.findings.contains { $0.place.hasSuffix("file-000001") }, "byte \(offset)")
            #expect(!check.isSound, "byte \(offset)")
            #expect(throws: StorageFailure.self, "byte \(offset)") {
                try Backup.write(disk, to: "backup", on: SimulatedDisk(), random: random)
            }
            // The others are there all the same.
            #expect(try content("a/b", on: disk) == Array("text".utf8))
        }
        for cut in [Array(bytes.dropLast()), bytes + [0], []] {
            disk.overwrite("file-000001", with: cut)
            #expect(try !DirectoryCheck.run(disk).isSound)
            #expect(try FileStore(reading: disk).damaged.count == 1)
        }
    }

    @Test("go into a backup and come out of it")
    func backup() throws {
        var random = SeededRandom(for: "uploads in a backup")
        let disk = try directory(&random)
        let shelf = SimulatedDisk(location: "/shelf")
        let written = try Backup.write(disk, to: "monday", on: shelf, random: random)
        #expect(written.fileCount == 3)
        #expect(try Backup.check("monday", on: shelf).fileCount == 3)
        let fresh = SimulatedDisk(location: "/fresh")
        let restored = try Backup.restore(
            "monday", on: shelf, to: fresh, segments: Rig.options.segments, random: random)
        #expect(restored.fileCount == 3)
        #expect(try content("cat.png", on: fresh) == Self.content)
        #expect(try content("a/empty", on: fresh) == [])
        #expect(try content("a/b", on: fresh) == Array("text".utf8))
        #expect(try DirectoryCheck.run(fresh).isSound)
        let sound = shelf.bytes(of: "monday")
        for _ in 0..<20 {
            var bytes = sound
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 8
            shelf.overwrite("monday", with: bytes)
            #expect(throws: StorageFailure.self) { try Backup.check("monday", on: shelf) }
        }
    }
}
