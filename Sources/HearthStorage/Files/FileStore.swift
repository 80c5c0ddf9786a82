// The uploaded files of a data directory.
import HearthCore
import Synchronization

/// The uploaded files of a data directory, each in a file of its own beside the journal. Safe to use from any
/// thread.
///
/// A file appears whole or not at all: it is written under a name that the next start removes, synced, given
/// its number, and the directory synced. Of two files for one place the one with the higher number counts.
public final class FileStore: Sendable {
    /// Why a file is not taken.
    public enum Refusal: Error, Hashable, Sendable {
        /// All files together would have more bytes than they may.
        case overQuota(limit: Int)
        /// The disk would have too little left for the journal.
        case diskIsFull
    }

    struct Entry: Sendable {
        let header: FileHeader
        /// The number in the file's name.
        let number: UInt64
        let headerByteCount: Int

        /// What it counts for.
        var cost: Int { FileStore.cost(header.file.byteCount) }
    }

    private struct Contents {
        var entries: [StoredFile.Place: Entry] = [:]
        var nextNumber: UInt64 = 1
        var nextUpload: UInt64 = 1
        /// The numbers of files that do not count any more and could not be removed.
        var leftovers: Set<UInt64> = []
        /// What all files count for, with those that are being written.
        var cost = 0
    }

    /// What every file counts for beside its content.
    public static let costPerFile = 4096
    /// So many bytes of the disk are left for the journal.
    static let reserve = 64 << 20

    let disk: any Disk
    /// What all files together may count for: their bytes, and `costPerFile` for each.
    public let limit: Int
    /// Files that cannot be used, found when the store was opened.
    public let damaged: [StorageFailure]
    private let contents: Mutex<Contents>

    /// Finds the files on `disk`, and removes those that others have taken the place of. Files that are not
    /// sound are left alone, and told of in `damaged`.
    ///
    /// - Complexity: O(files), each of which is opened.
    public convenience init(on disk: any Disk, limit: Int) throws(StorageFailure) {
        let (contents, damaged, obsolete) = try FileStore.scan(disk)
        for number in obsolete { try disk.remove(FileName.numbered(.file, number)) }
        self.init(disk, limit: limit, damaged, contents)
    }

    /// Finds the files on `disk`, on which nothing is changed.
    public convenience init(reading disk: any Disk) throws(StorageFailure) {
        let (contents, damaged, _) = try FileStore.scan(disk)
        self.init(disk, limit: 0, damaged, contents)
    }

    private init(_ disk: any Disk, limit: Int, _ damaged: [StorageFailure], _ contents: Contents) {
        self.disk = disk
        self.limit = limit
        self.damaged = damaged
        self.contents = Mutex(contents)
    }

    private static func scan(
        _ disk: any Disk
    ) throws(StorageFailure) -> (Contents, damaged: [StorageFailure], obsolete: [UInt64]) {
        var contents = Contents()
        var damaged: [StorageFailure] = []
        var obsolete: [UInt64] = []
        for number in FileName.numbers(.file, in: try disk.list()) {
            contents.nextNumber = number + 1
            do throws(StorageFailure) {
                let (header, length) = try FileStore.readHeader(number, on: disk)
                let entry = Entry(header: header, number: number, headerByteCount: length)
                let older = contents.entries.updateValue(entry, forKey: header.file.place)
                contents.cost += entry.cost - (older?.cost ?? 0)
                if let older { obsolete.append(older.number) }
            } catch {
                guard case .damaged = error.kind else { throw error }
                damaged.append(error)
            }
        }
        return (contents, damaged, obsolete)
    }

    static func cost(_ byteCount: Int) -> Int { byteCount + costPerFile }

    /// Reads what stands before a file's content, and checks that the content is as long as it says.
    static func readHeader(
        _ number: UInt64, on disk: any Disk
    ) throws(StorageFailure) -> (header: FileHeader, byteCount: Int) {
        let name = FileName.numbered(.file, number)
        let file = try disk.open(name, for: .reading)
        let (header, length) = try FileHeader.read(file, disk.path(of: name))
        let byteCount = try file.byteCount()
        guard byteCount == length + header.file.byteCount else {
            throw DecodingFault.malformed(
                byteCount < length + header.file.byteCount ? .endsEarly : .goesOn, offset: byteCount
            ).failure(reading: disk.path(of: name))
        }
        return (header, length)
    }
}

extension FileStore {
    /// What is known of the file at a place, and its tag; nil if there is none.
    public func find(_ place: StoredFile.Place) -> (file: StoredFile, tag: String)? {
        contents.withLock { contents in
            contents.entries[place].map { ($0.header.file, $0.header.tag) }
        }
    }

    /// How many files there are, and what they count for, with those that are being written.
    public var usage: (count: Int, cost: Int) {
        contents.withLock { ($0.entries.count, $0.cost) }
    }

    /// The places of all files, in no particular order.
    public var places: [StoredFile.Place] {
        contents.withLock { Array($0.entries.keys) }
    }

    /// Opens the file at a place; nil if there is none. What is opened stays as it is, whatever is stored
    /// there later. May block.
    public func open(_ place: StoredFile.Place) throws(StorageFailure) -> OpenedFile? {
        while let entry = contents.withLock({ $0.entries[place] }) {
            do throws(StorageFailure) {
                return try OpenedFile(entry, on: disk)
            } catch {
                // It may have been replaced or removed in between; else it is missing indeed.
                let isStillMeant = contents.withLock { $0.entries[place]?.number == entry.number }
                guard error.kind == .missing, !isStillMeant else { throw error }
            }
        }
        return nil
    }

    /// Begins to store a file of known size. May block.
    ///
    /// - Throws: if there is no room for it; nothing is left behind then.
    public func begin(_ file: StoredFile) throws(StorageFailure) -> Result<FileUpload, Refusal> {
        let cost = FileStore.cost(file.byteCount)
        let number: UInt64? = contents.withLock { contents in
            guard cost <= limit - contents.cost else { return nil }
            contents.cost += cost
            contents.nextUpload += 1
            return contents.nextUpload - 1
        }
        guard let number else { return .failure(.overQuota(limit: limit)) }
        do throws(StorageFailure) {
            guard try disk.freeByteCount() - FileStore.reserve > file.byteCount else {
                release(cost)
                return .failure(.diskIsFull)
            }
            let name = "upload-\(number)\(FileName.unfinishedSuffix)"
            return .success(FileUpload(file, to: try disk.create(name), named: name, of: self))
        } catch {
            release(cost)
            throw error
        }
    }

    /// Removes the file at a place and returns when it will not come back after a crash; false if there is
    /// none. May block.
    public func remove(_ place: StoredFile.Place) throws(StorageFailure) -> Bool {
        // Else one of them could take the place of this one.
        for number in contents.withLock({ $0.leftovers }) {
            try disk.remove(FileName.numbered(.file, number))
            contents.withLock { _ = $0.leftovers.remove(number) }
        }
        guard let entry = contents.withLock({ $0.entries.removeValue(forKey: place) }) else { return false }
        do throws(StorageFailure) {
            try disk.remove(FileName.numbered(.file, entry.number))
            try disk.syncDirectory()
        } catch {
            putBack(entry)
            throw error
        }
        release(entry.cost)
        return true
    }

    /// Removes all files of a namespace. May block.
    public func removeAll(of namespace: String) throws(StorageFailure) {
        for place in places where place.namespace == namespace { _ = try remove(place) }
    }

    private func putBack(_ entry: Entry) {
        contents.withLock { contents in
            let place = entry.header.file.place
            if contents.entries[place] == nil {
                contents.entries[place] = entry
            } else {
                contents.cost -= entry.cost
            }
        }
    }

    /// Gives back what a file counted for.
    func release(_ cost: Int) {
        contents.withLock { $0.cost -= cost }
    }

    /// Notes a file that must be removed before any other is.
    func keepInMind(_ obsolete: Entry) {
        contents.withLock { _ = $0.leftovers.insert(obsolete.number) }
    }

    func takeNumber() -> UInt64 {
        contents.withLock { contents in
            contents.nextNumber += 1
            return contents.nextNumber - 1
        }
    }

    /// Puts a file in its place that has its name on the disk; returns the one that does not count any more.
    func put(_ entry: Entry) -> Entry? {
        contents.withLock { contents in
            let place = entry.header.file.place
            guard let other = contents.entries[place] else {
                contents.entries[place] = entry
                return nil
            }
            guard other.number < entry.number else { return entry }
            contents.entries[place] = entry
            return other
        }
    }
}
