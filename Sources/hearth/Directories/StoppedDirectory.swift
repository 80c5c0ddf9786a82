// Data directories that no server has open, as the commands on files want them.

import HearthServer
import HearthStorage

/// Calls into the storage and turns its failures into the program's.
enum StoppedDirectory {
    static let operand = Operand.required("DIR", "a data directory, as 'hearth serve --data' was given")

    /// The process that has the directory open, nil if none has.
    static func holder(of directory: String) throws(CommandFailure) -> Int32? {
        do throws(StorageFailure) {
            return try SystemDisk(directory).lockHolder(FileName.lock)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// `, 3 uploaded files among it`, or nothing if there are none.
    static func files(_ summary: Backup.Summary) -> String {
        guard summary.fileCount > 0 else { return "" }
        return ", \(Quantities.count(summary.fileCount, "uploaded file")) among it"
    }

    /// `default:1042`, one for each namespace, in the order of their names.
    static func list(_ revisions: [String: Int64]) -> [String] {
        revisions.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
    }
}

extension CommandFailure {
    /// What the machine cannot, with the storage's own advice.
    init(_ failure: StorageFailure) {
        self = .failed("\(failure)")
    }
}

/// A path taken apart into a directory and a name in it.
struct FileLocation: Equatable {
    let directory: String
    let name: String

    /// Takes `path` apart.
    ///
    /// - Throws: when it names a directory, as `backups/` does.
    init(_ path: String) throws(CommandFailure) {
        guard let slash = path.lastIndex(of: "/") else {
            (directory, name) = (".", path)
            return
        }
        name = String(path[path.index(after: slash)...])
        directory = slash == path.startIndex ? "/" : String(path[..<slash])
        guard !name.isEmpty, name != ".", name != ".." else {
            throw .misused("FILE is a file, not the directory '\(path)'")
        }
    }
}
