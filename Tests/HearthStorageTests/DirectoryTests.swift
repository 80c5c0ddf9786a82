// Which directories are opened, by whom, and what is said when they are not.
import HearthCore
import HearthTesting
import Testing

@testable import HearthStorage

@Suite("A data directory")
struct DirectoryTests {
    @Test("is refused while another process has it open, whose number is named")
    func locked() throws {
        let disk = SimulatedDisk()
        let rig = try Rig(disk)
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.kind == .locked(process: SimulatedDisk.process))
        #expect(try disk.lockHolder(FileName.lock) == SimulatedDisk.process)
        #expect(rig.report.isNew)
    }

    @Test("is not made out of a directory with files of others")
    func foreign() throws {
        let disk = SimulatedDisk(location: "/home/ann")
        disk.overwrite("letter.txt", with: [1])
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(
            failure.description == """
                cannot use /home/ann: it is no data directory, and it is not empty: 'letter.txt' is in it
                name an empty or a new directory
                """)
        #expect(try disk.list() == ["letter.txt"])
    }

    @Test("of another version is refused with what to do", arguments: [0, 3, 77] as [UInt32])
    func otherVersion(version: UInt32) throws {
        let disk = SimulatedDisk()
        disk.overwrite(FileName.format, with: FormatFile.text(version))
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.kind == .unsupported)
        #expect(failure.advice.contains(version > 1 ? "or a newer one" : "in between"))
    }

    @Test("of the version before is opened, and is of this version from then on")
    func versionBefore() throws {
        let disk = SimulatedDisk()
        disk.overwrite(FileName.format, with: FormatFile.text(FormatVersion.current - 1))
        _ = try Rig(disk).report
        #expect(try disk.contents(of: FileName.format) == FormatFile.text(FormatVersion.current))
    }

    @Test("whose format file is broken is refused", arguments: ["", "hearth data, format 1", "format 1\n"])
    func brokenFormat(text: String) throws {
        let disk = SimulatedDisk()
        disk.overwrite(FileName.format, with: Array(text.utf8))
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk).report }
        #expect(failure.kind == .damaged(lastSound: [:]))
    }

    @Test("that was used in production is refused to an emulator; one of an emulator may go into production")
    func production() throws {
        let disk = SimulatedDisk()
        var emulator = Rig.options
        emulator.isEmulator = true
        _ = try Rig(disk, emulator).report
        disk.endProcess()
        _ = try Rig(disk, emulator).report
        disk.endProcess()
        _ = try Rig(disk).report
        disk.endProcess()
        let failure = try #require(throws: StorageFailure.self) { _ = try Rig(disk, emulator).report }
        #expect(failure.reason.contains("used in production"))
        #expect(failure.advice.contains("--emulator"))
    }

    @Test("holds what its names say, and no name means two things")
    func names() {
        #expect(FileName.numbered(.journal, 42) == "journal-000042")
        #expect(FileName.numbered(.checkpoint, 1_234_567) == "checkpoint-1234567")
        #expect(FileName.number(.journal, in: "journal-000042") == 42)
        for name in ["journal-42", "journal-", "journal-000042.unfinished", "journal--00001", "bulk-000001"] {
            #expect(FileName.number(.journal, in: name) == nil)
        }
    }

    @Test("gives each epoch eight letters and digits, and a cursor with it can be read")
    func epochs() throws {
        let rig = try Rig(SimulatedDisk())
        let epochs = (0..<50).map { _ in rig.directory.freshEpoch() }
        #expect(Set(epochs).count == 50)
        for epoch in epochs { #expect(Cursor("\(epoch)-7") == Cursor(epoch: epoch, revision: 7)) }
    }
}
