// A directory of a test's own, gone when the test is.
import Foundation

/// A path that nothing else uses; what is made there is removed at the end.
final class TemporaryDirectory {
    let path: String

    init() {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)").path
    }

    deinit {
        // A test that failed before it made anything leaves nothing to remove.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The text of a file in it.
    func text(of name: String) throws -> String {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }

    /// The names of the files in it.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
    }
}
