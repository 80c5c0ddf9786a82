// The disk of this machine keeps the promises that the simulated one is tested with.
import Glibc
import HearthCore
import HearthServer
import HearthStorage
import HearthTesting
import Testing

@Suite("The disk of this machine")
struct SystemDiskTests {
    private let directory = TemporaryDirectory()

    private var disk: SystemDisk { SystemDisk(directory.path + "/data/deep") }

    private func kind(_ body: () throws(StorageFailure) -> Void) -> StorageFailure.Kind? {
        do {
            try body()
            return nil
        } catch {
            return error.kind
        }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("makes directories and files that only their owner can read")
    func modes() throws {
        try disk.makeDirectory()
        try disk.makeDirectory()
        let file = try disk.create("admin-token")
        #expect(mode(disk.location) == 0o700)
        #expect(mode(disk.path(of: "admin-token")) == 0o600)
        chmod(disk.path(of: "admin-token"), 0o644)
        try file.makePrivate()
        #expect(mode(disk.path(of: "admin-token")) == 0o600)
    }

    @Test("writes, reads, renames and removes")
    func files() throws {
        try disk.makeDirectory()
        let file = try disk.create("a")
        try file.write([1, 2, 3], at: 2)
        #expect(try file.byteCount() == 5)
        #expect(try file.read(at: 1, count: 3) == [0, 1, 2])
        #expect(try file.read(at: 3, count: 99) == [2, 3])
        #expect(try file.read(at: 9, count: 1).isEmpty)
        try file.fillWithZeros(from: 3, to: 3_000_000)
        #expect(try file.byteCount() == 3_000_000)
        #expect(try file.read(at: 0, count: 5) == [0, 0, 1, 0, 0])
        try file.sync()
        try disk.rename("a", to: "b")
        try disk.syncDirectory()
        #expect(try disk.list() == ["b"])
        #expect(try disk.open("b", for: .reading).read(at: 2, count: 1) == [1])
        try disk.remove("b")
        #expect(try disk.list().isEmpty)
        #expect(try disk.freeByteCount() > 0)
    }

    @Test("says what is missing, what is there already, and where")
    func failures() throws {
        #expect(kind { () throws(StorageFailure) in _ = try disk.list() } == .missing)
        try disk.makeDirectory()
        _ = try disk.create("a")
        #expect(kind { () throws(StorageFailure) in _ = try disk.create("a") } == .occupied)
        #expect(kind { () throws(StorageFailure) in _ = try disk.open("x", for: .reading) } == .missing)
        #expect(kind { () throws(StorageFailure) in try disk.remove("x") } == .missing)
        do {
            try disk.rename("x", to: "y")
            Issue.record("a file was renamed that is not there")
        } catch {
            #expect(error.description == "cannot rename \(disk.location)/x: No such file or directory")
        }
    }

    @Test("gives a lock to one at a time, names who has it, and takes it back at the end")
    func lock() throws {
        try disk.makeDirectory()
        #expect(try disk.lockHolder("lock") == nil)
        var held: (any DiskLock)? = try disk.lock("lock")
        #expect(held != nil)
        #expect(kind { () throws(StorageFailure) in _ = try disk.lock("lock") } == .locked(process: getpid()))
        #expect(try disk.lockHolder("lock") == getpid())
        held = nil
        #expect(try disk.lockHolder("lock") == nil)
        held = try disk.lock("lock")
        #expect(try disk.contents(of: "lock") == Array("\(getpid())\n".utf8))
    }

    @Test("replaces a small file in one step, and refuses to read a large one as a small one")
    func replaces() throws {
        try disk.makeDirectory()
        #expect(try disk.contents(of: "format") == nil)
        try disk.replace("format", with: [1, 2])
        try disk.replace("format", with: [3])
        #expect(try disk.contents(of: "format") == [3])
        #expect(try disk.list() == ["format"])
        try disk.replace("format", with: [UInt8](repeating: 0, count: 100))
        #expect(
            kind { () throws(StorageFailure) in _ = try disk.contents(of: "format", byteLimit: 99) }
                == .unsupported)
    }

    @Test("keeps a journal and a checkpoint through stops, clean or not")
    func journal() throws {
        var records = [JournalRecord(namespace: "default", .created(epoch: "e1"))]
        var root = Node.empty
        for index in 1...200 {
            let path = Path([try Key("rooms"), try Key("lobby"), Key(index: index)])
            let edits = [Edit.put(path, Node(.string("message \(index)")))]
            let commit = Commit(
                revision: Revision(index), time: Int64(index), kind: .set, base: path, edits: edits,
                undo: root.undo(of: edits))
            root.apply(edits)
            records.append(JournalRecord(namespace: "default", .commit(commit, session: nil)))
        }
        let options = DirectoryOptions(segments: SegmentSizes(first: 4_096, later: 8_192))
        for start in stride(from: 0, to: 200, by: 67) {
            var opened = try DataDirectory.open(disk, options, random: SeededRandom(seed: 3))
            var journal = opened.takeJournal()
            #expect(journal.durable == Position(start))
            let batch = records[start..<start + 67].map { EncodedRecord($0) }
            try journal.append(Batch(first: journal.written + 1, records: batch))
            if start > 0 { try opened.directory.close() }
        }
        let opened = try DataDirectory.open(disk, options, random: SeededRandom(seed: 3))
        #expect(opened.namespaces["default"]?.state.root == root)
        #expect(opened.namespaces["default"]?.history.count == 200)
        let check = try DirectoryCheck.run(disk)
        #expect(check.isSound && check.recordCount == 201)
    }
}
