// The disk of a server that keeps no files: uploads are in memory, and gone with the process.
import HearthStorage
import Synchronization

/// A directory in memory, whose files live as long as it does.
///
/// Syncing does nothing: there is nothing that could be left after a crash.
final class MemoryDisk: Disk {
    let location = "memory"
    private let files = Mutex<[String: MemoryFile]>([:])

    func makeDirectory() {}

    func syncDirectory() {}

    func list() -> [String] { files.withLock { Array($0.keys) } }

    /// Memory is bounded by whoever uses it.
    func freeByteCount() -> Int { .max }

    func create(_ name: String) throws(StorageFailure) -> any DiskFile {
        let file = MemoryFile()
        let isNew = files.withLock { files in
            guard files[name] == nil else { return false }
            files[name] = file
            return true
        }
        guard isNew else { throw failure(.occupied, "create", name, "it is there already") }
        return file
    }

    func open(_ name: String, for access: DiskAccess) throws(StorageFailure) -> any DiskFile {
        guard let file = files.withLock({ $0[name] }) else { throw missing("open", name) }
        return file
    }

    func rename(_ name: String, to newName: String) throws(StorageFailure) {
        let isDone = files.withLock { files in
            guard let file = files.removeValue(forKey: name) else { return false }
            files[newName] = file
            return true
        }
        guard isDone else { throw missing("rename", name) }
    }

    func remove(_ name: String) throws(StorageFailure) {
        guard files.withLock({ $0.removeValue(forKey: name) }) != nil else { throw missing("remove", name) }
    }

    func lock(_ name: String) -> any DiskLock { MemoryLock() }

    func lockHolder(_ name: String) -> Int32? { nil }

    private func missing(_ action: String, _ name: String) -> StorageFailure {
        failure(.missing, action, name, "there is no such file")
    }

    private func failure(
        _ kind: StorageFailure.Kind, _ action: String, _ name: String, _ reason: String
    ) -> StorageFailure {
        StorageFailure(kind, action: action, place: path(of: name), reason: reason)
    }
}

/// Nobody else can have the directory open.
private final class MemoryLock: DiskLock {}

/// A file in memory.
private final class MemoryFile: DiskFile {
    private let bytes = Mutex<[UInt8]>([])

    func byteCount() -> Int { bytes.withLock { $0.count } }

    func read(at offset: Int, count: Int) -> [UInt8] {
        bytes.withLock { Array($0.dropFirst(offset).prefix(count)) }
    }

    func write(_ new: [UInt8], at offset: Int) {
        bytes.withLock { bytes in
            let end = offset + new.count
            if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(offset..<end, with: new)
        }
    }

    func fillWithZeros(from start: Int, to end: Int) {
        write([UInt8](repeating: 0, count: max(0, end - start)), at: start)
    }

    func sync() {}

    func makePrivate() {}
}
