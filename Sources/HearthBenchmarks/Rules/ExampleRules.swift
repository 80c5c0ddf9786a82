// The rules under `rules`, read from the checkout that the benchmarks were built in.
import Glibc

enum ExampleRules {
    /// The file that cannot be read, and the system's reason.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The file of an example.
    static func path(_ name: String) -> String {
        let top = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return top.joined(separator: "/") + "/rules/\(name)/rules.json"
    }

    /// The rules text of an example.
    static func text(_ name: String) throws -> [UInt8] {
        let path = path(name)
        guard let file = fopen(path, "r") else {
            throw Unreadable(description: "\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }
}
