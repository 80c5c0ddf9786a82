// Uploaded files on a disk that forgets and fails.
import HearthCore
import HearthStorage
import HearthTesting
import Testing

/// A place of the namespace `default`.
private func place(_ path: String, in namespace: String = "default") -> StoredFile.Place {
    StoredFile.Place(namespace: namespace, path: path)
}

extension FileStore {
    /// Stores a text, in pieces of three bytes.
    fileprivate func put(_ text: String, at place: StoredFile.Place) throws {
        let bytes = Array(text.utf8)
        let file = StoredFile(place: place, contentType: "text/plain", time: 7, byteCount: bytes.count)
        let upload = try begin(file).get()
        for start in stride(from: 0, to: bytes.count, by: 3) {
            try upload.write(Array(bytes[start..<min(start + 3, bytes.count)]))
        }
        try upload.finish(tag: FileStoreTests.tag(text))
    }

    /// What is at a place; nil if nothing is.
    fileprivate func text(at place: StoredFile.Place) throws -> String? {
        guard let opened = try open(place) else { return nil }
        let bytes = try opened.content.read(at: opened.start, count: opened.file.byteCount)
        #expect(opened.tag == FileStoreTests.tag(String(decoding: bytes, as: UTF8.self)))
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite("The store of uploaded files")
struct FileStoreTests {
    fileprivate static func tag(_ text: String) -> String {
        String((text + String(repeating: "=", count: 22)).prefix(22))
    }

    private func open(_ disk: SimulatedDisk, limit: Int = 1 << 20) throws -> FileStore {
        try FileStore(on: disk, limit: limit)
    }

    @Test("keeps files, finds them again after a start, and forgets those that are removed")
    func keeping() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.put("a cat", at: place("rooms/cat.png"))
        try store.put("", at: place("empty"))
        try store.put("another cat", at: place("rooms/cat.png", in: "chat"))
        try store.put("a larger cat", at: place("rooms/cat.png"))
        #expect(try disk.list().sorted() == ["file-000002", "file-000003", "file-000004"])
        disk.endProcess()
        let again = try open(disk)
        #expect(try again.text(at: place("rooms/cat.png")) == "a larger cat")
        #expect(try again.text(at: place("rooms/cat.png", in: "chat")) == "another cat")
        #expect(try again.text(at: place("empty"))?.isEmpty == true)
        let found = try #require(again.find(place("rooms/cat.png")))
        #expect(found.file.contentType == "text/plain" && found.file.time == 7 && found.file.byteCount == 12)
        #expect(again.usage.cost == store.usage.cost && again.usage.count == 3)
        #expect(try again.remove(place("rooms/cat.png")))
        #expect(try !again.remove(place("rooms/cat.png")))
        #expect(
            try again.text(at: place("rooms/cat.png")) == nil && again.find(place("rooms/cat.png")) == nil)
        try again.removeAll(of: "default")
        #expect(try disk.list() == ["file-000003"])
        #expect(again.usage.cost == 11 + FileStore.costPerFile)
    }

    @Test("gives who reads a file the bytes that it had, whatever becomes of it")
    func reading() throws {
        let store = try open(SimulatedDisk())
        try store.put("first", at: place("a"))
        let opened = try #require(try store.open(place("a")))
        try store.put("second", at: place("a"))
        #expect(try store.remove(place("a")))
        #expect(try opened.content.read(at: opened.start, count: 99) == Array("first".utf8))
    }

    @Test("takes no more than it may have, each file counting for more than its bytes")
    func quota() throws {
        let disk = SimulatedDisk()
        let store = try open(disk, limit: 3 * FileStore.costPerFile)
        func begin(_ byteCount: Int) throws -> Result<FileUpload, FileStore.Refusal> {
            try store.begin(
                StoredFile(place: place("b"), contentType: "a/b", time: 0, byteCount: byteCount))
        }
        try store.put("1234", at: place("a"))
        let upload = try begin(1000).get()
        #expect(throws: FileStore.Refusal.overQuota(limit: 3 * FileStore.costPerFile)) {
            try begin(FileStore.costPerFile).get()
        }
        try upload.abandon()
        try begin(FileStore.costPerFile - 4).get().abandon()
        #expect(store.usage.cost == 4 + FileStore.costPerFile)
        #expect(try disk.list() == ["file-000001"])
        do {
            let upload = try begin(10).get()
            #expect(try disk.list().count == 2)
            #expect(store.usage.cost == 14 + 2 * FileStore.costPerFile)
            withExtendedLifetime(upload) {}
        }
        // One that nobody holds any more is as good as given up.
        #expect(try disk.list() == ["file-000001"])
        #expect(store.usage.cost == 4 + FileStore.costPerFile)
    }

    @Test("leaves the disk room for the journal")
    func reserve() throws {
        let store = try open(SimulatedDisk(faults: .init(capacity: 65 << 20)), limit: .max)
        let file = StoredFile(place: place("a"), contentType: "a/b", time: 0, byteCount: 2 << 20)
        #expect(throws: FileStore.Refusal.diskIsFull) { try store.begin(file).get() }
        #expect(store.usage.cost == 0)
    }

    @Test("is told when the disk fails at any step, and then has what it had before")
    func failures() throws {
        var sawFailure = false
        for call in 1...20 {
            let disk = SimulatedDisk()
            let store = try open(disk)
            try store.put("first", at: place("a"))
            disk.plan(.init(failures: [disk.callCount + call: call.isMultiple(of: 2)]))
            do {
                try store.put("second", at: place("a"))
                #expect(try store.text(at: place("a")) == "second")
            } catch is StorageFailure {
                sawFailure = true
                #expect(try store.text(at: place("a")) == "first", "call \(call)")
            }
            disk.plan(.init())
            #expect(store.usage.cost <= 6 + FileStore.costPerFile, "call \(call)")
        }
        #expect(sawFailure)
    }

    @Test("has, after a loss of power at any step, what was acknowledged and nothing unfinished")
    func crashes() throws {
        var random = SeededRandom(for: "uploads and power")
        var call = 1
        var isCut = true
        while isCut {
            let disk = SimulatedDisk()
            try openDirectory(disk)
            disk.plan(.init(powerLossAt: disk.callCount + call))
            let story = UploadStory(disk)
            isCut = !story.play()
            disk.restart(using: &random)
            try openDirectory(disk)
            let store = try open(disk)
            for name in ["a", "b"] {
                let text = try store.text(at: place(name))
                #expect(story.mayBe(text, at: name), "call \(call), \(name): \(text ?? "nothing")")
            }
            #expect(store.damaged.isEmpty)
            let files = try disk.list().filter { $0.hasPrefix("file-") }
            #expect(files.count == store.usage.count)
            #expect(try !disk.list().contains { $0.hasSuffix(".unfinished") })
            call += 1
        }
        #expect(call > 20)
    }

    /// Opens the data directory as a server does, which cleans up, and ends the process.
    private func openDirectory(_ disk: SimulatedDisk) throws {
        _ = try DataDirectory.open(disk, Rig.options, random: SeededRandom(for: "uploads' directory"))
        disk.endProcess()
    }

    /// Stores, replaces and removes until the power goes.
    private final class UploadStory {
        private let disk: SimulatedDisk
        /// What each file has for certain, and what it may have since.
        private var acknowledged: [String: String] = [:]
        private var pending: (name: String, text: String?)?

        init(_ disk: SimulatedDisk) {
            self.disk = disk
        }

        /// Whether it came to its end.
        func play() -> Bool {
            let steps: [(String, String?)] = [
                ("a", "first"), ("b", "other"), ("a", "second"), ("b", nil), ("a", "third"), ("a", nil),
                ("b", "last"),
            ]
            do {
                let store = try FileStore(on: disk, limit: 1 << 20)
                for (name, text) in steps {
                    pending = (name, text)
                    if let text {
                        try store.put(text, at: place(name))
                    } else {
                        _ = try store.remove(place(name))
                    }
                    acknowledged[name] = text
                    pending = nil
                }
                return true
            } catch {
                return false
            }
        }

        func mayBe(_ text: String?, at name: String) -> Bool {
            text == acknowledged[name] || (pending?.name == name && text == pending?.text)
        }
    }
}
