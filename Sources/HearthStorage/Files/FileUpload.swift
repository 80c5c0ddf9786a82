// A file that is being stored.
import HearthCore
import Synchronization

/// A file that is being written. It counts from `finish` on; one that is not finished leaves nothing behind.
///
/// It may be used on different threads, one after the other; each call may block.
public final class FileUpload: Sendable {
    private struct Progress {
        var written = 0
        var checksum: UInt32 = 0
        var isOver = false
    }

    /// What is being stored.
    public let file: StoredFile
    private let disk: any DiskFile
    private let name: String
    private let store: FileStore
    private let headerByteCount: Int
    private let progress = Mutex(Progress())

    init(_ file: StoredFile, to disk: any DiskFile, named name: String, of store: FileStore) {
        self.file = file
        self.disk = disk
        self.name = name
        self.store = store
        headerByteCount = FileUpload.header(file).bytes.count
    }

    deinit {
        guard !progress.withLock({ $0.isOver }) else { return }
        // Nobody is left to be told; the next start removes what stays.
        try? remove()
    }

    private static func header(_ file: StoredFile) -> FileHeader {
        FileHeader(file: file, tag: String(repeating: "-", count: FileHeader.tagByteCount), checksum: 0)
    }

    /// Appends to the content.
    ///
    /// - Precondition: there are not more bytes than were announced.
    public func write(_ bytes: [UInt8]) throws(StorageFailure) {
        let offset = progress.withLock { progress in
            let offset = progress.written
            progress.written += bytes.count
            progress.checksum = CRC32C.checksum(bytes, after: progress.checksum)
            return offset
        }
        precondition(offset + bytes.count <= file.byteCount, "a file has the size that was announced")
        try disk.write(bytes, at: headerByteCount + offset)
    }

    /// Puts the file in its place and returns when it will survive a crash. Once.
    ///
    /// - Parameter tag: 22 characters of ASCII that change with the content.
    /// - Precondition: all bytes have been written.
    public func finish(tag: String) throws(StorageFailure) {
        let (written, checksum) = progress.withLock { ($0.written, $0.checksum) }
        precondition(written == file.byteCount, "a file has the size that was announced")
        let header = FileHeader(file: file, tag: tag, checksum: checksum)
        try disk.write(header.bytes, at: 0)
        try disk.sync()
        let number = store.takeNumber()
        try store.disk.rename(name, to: FileName.numbered(.file, number))
        progress.withLock { $0.isOver = true }
        let entry = FileStore.Entry(header: header, number: number, headerByteCount: headerByteCount)
        do throws(StorageFailure) {
            try store.disk.syncDirectory()
        } catch {
            // Whether it would survive is unknown, so it must not: its sender is told that it failed.
            try discard(entry)
            throw error
        }
        guard let obsolete = store.put(entry) else { return }
        do throws(StorageFailure) {
            try discard(obsolete)
        } catch {
            // The upload is in its place all the same: the file with the higher number counts.
            store.keepInMind(obsolete)
        }
    }

    /// Gives up: nothing is left behind.
    public func abandon() throws(StorageFailure) {
        try remove()
    }

    private func remove() throws(StorageFailure) {
        let isFirst = progress.withLock { progress in
            defer { progress.isOver = true }
            return !progress.isOver
        }
        guard isFirst else { return }
        store.release(FileStore.cost(file.byteCount))
        try store.disk.remove(name)
    }

    private func discard(_ entry: FileStore.Entry) throws(StorageFailure) {
        store.release(entry.cost)
        try store.disk.remove(FileName.numbered(.file, entry.number))
    }
}
