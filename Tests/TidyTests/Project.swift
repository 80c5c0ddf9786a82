// The files of this checkout, read once for all checks.
import Foundation

/// All text files of the project that are kept under version control, or about to be.
struct Project: Sendable {
    struct File: Sendable {
        /// Relative to the top of the project.
        let path: String
        let text: String
    }

    let top: URL
    let files: [File]
    let topLevelEntries: [String]

    static let shared = Project()

    var paths: Set<String> { Set(files.map(\.path)) }

    /// The Swift files of Sources and Tests.
    var swiftFiles: [File] { files.filter(Project.isOurSwift) }

    /// The same files, taken apart.
    let sources: [SourceText]

    private init() {
        top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        do {
            let entries = try FileManager.default.contentsOfDirectory(atPath: top.path).sorted()
            topLevelEntries = entries
            let kept = entries.filter { ![".build", ".git", ".venv", "hearth-data"].contains($0) }
            var files: [File] = []
            for entry in kept {
                try Project.collect(entry, below: top, into: &files)
            }
            self.files = files
            sources = files.filter(Project.isOurSwift).map { SourceText(path: $0.path, text: $0.text) }
        } catch {
            preconditionFailure("the project at \(top.path) cannot be read: \(error)")
        }
    }

    private static func isOurSwift(_ file: File) -> Bool {
        file.path.hasSuffix(".swift") && (file.path.hasPrefix("Sources/") || file.path.hasPrefix("Tests/"))
    }

    private static func collect(_ path: String, below top: URL, into files: inout [File]) throws {
        let url = top.appendingPathComponent(path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else { return }
        if isFolder.boolValue {
            for entry in try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
            where entry != "__pycache__" {
                try collect(path + "/" + entry, below: top, into: &files)
            }
        } else if let text = String(data: try Data(contentsOf: url), encoding: .utf8) {
            files.append(File(path: path, text: text))
        }
    }
}
