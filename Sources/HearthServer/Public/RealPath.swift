// Where a path really leads, all symbolic links followed.
import Glibc

/// Paths without symbolic links, `.` and `..`.
enum RealPath {
    /// Where `path` leads; what is missing at its end is taken as it is written.
    static func of(_ path: String) -> String {
        if let found = resolved(path) { return found }
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return of(".") + "/" + path }
        let name = path[path.index(after: slash)...]
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        guard parent != path else { return path }
        return joined(of(parent), name)
    }

    /// Whether the real path `path` is `directory`, or lies somewhere below it.
    static func isInside(_ path: String, _ directory: String) -> Bool {
        path == directory || path.hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
    }

    /// Where the file behind a descriptor really lies.
    ///
    /// - Throws: if `/proc` does not tell, the only place that does.
    static func of(descriptor: Int32) throws(SystemFailure) -> String {
        let link = "/proc/self/fd/\(descriptor)"
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else { throw SystemFailure("readlink", link) }
        guard count < buffer.count else { throw SystemFailure("readlink", link, code: ENAMETOOLONG) }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    private static func joined(_ directory: String, _ name: Substring) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
