// Small files: configurations, outputs, and what the system says under /proc.
import Glibc

enum TextFile {
    /// The whole file as text, what is no UTF-8 replaced.
    static func read(_ path: String) throws(ComparisonFailure) -> String {
        guard let file = fopen(path, "re") else { throw .system("cannot read \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Makes or replaces the file.
    static func write(_ bytes: [UInt8], to path: String) throws(ComparisonFailure) {
        guard let file = fopen(path, "we") else { throw .system("cannot write \(path)") }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw .system("cannot write \(path)") }
    }

    /// Makes an empty folder that is this program's alone.
    static func makeFolder() throws(ComparisonFailure) -> String {
        let top = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(top)/hearth-compare-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("cannot make a folder in \(top)") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes a folder in one that is there.
    static func makeFolder(_ path: String) throws(ComparisonFailure) {
        guard mkdir(path, 0o700) == 0 else { throw .system("cannot make \(path)") }
    }

    /// Names in a folder, without `.` and `..`; none if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file or a folder with all that is in it; what cannot be removed stays.
    static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
