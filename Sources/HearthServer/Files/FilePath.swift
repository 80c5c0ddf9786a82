// The path of an uploaded file, as clients name it.
import HearthCore
import HearthStorage
import HearthWire

/// The steps of a file's path. They are names of the rules and never of the file system.
struct FilePath: Equatable, Sendable {
    /// What a path has at most, in bytes of UTF-8.
    static let byteLimit = 1024

    let names: [String]

    /// Takes what follows `/.files/`, decoded.
    ///
    /// - Throws: 400 for what clients or proxies could understand in two ways, and for what is too long.
    init(_ text: String) throws(RESTError) {
        names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= FilePath.byteLimit, names.count <= Path.depthLimit else {
            throw .longFilePath
        }
        for name in names {
            let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
            guard isPlain, !name.isEmpty, name != ".", name != ".." else { throw .badFilePath }
        }
    }

    var text: String { names.joined(separator: "/") }

    /// Which stored file it is.
    func place(in namespace: String) -> StoredFile.Place {
        StoredFile.Place(namespace: namespace, path: text)
    }
}

extension RESTError {
    static var badFilePath: RESTError {
        RESTError(
            status: 400,
            text: "A file's path has steps like 'rooms/lobby/cat.png': none is empty, '.', '..' or has a "
                + "backslash or a control character.")
    }

    static var longFilePath: RESTError {
        RESTError(
            status: 400,
            text: "A file's path has at most \(FilePath.byteLimit) bytes and \(Path.depthLimit) steps.")
    }
}
