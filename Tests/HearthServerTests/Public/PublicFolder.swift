// A public directory of a test's own, and a server that serves it.
import Foundation
import HearthServer
import Testing

/// Makes files below a temporary directory.
struct PublicFolder {
    let top = TemporaryDirectory()

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// What is served; beside it lies what must not be.
    var path: String { top.path + "/web" }

    /// Makes a file and the directories above it, below what is served or, with `../`, beside it.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        let url = URL(fileURLWithPath: path + "/" + name).standardizedFileURL
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func write(_ name: String, _ text: String) throws {
        try write(name, Array(text.utf8))
    }

    func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path + "/" + name, withDestinationPath: destination)
    }
}

/// Runs `body` against a server of a public folder.
func withPublicServer(
    _ change: (inout Configuration) -> Void = { _ in }, _ body: (PublicFolder, Server) throws -> Void
) throws {
    let folder = try PublicFolder()
    try withServer {
        $0.publicDirectory = folder.path
        change(&$0)
    } _: { server in
        try body(folder, server)
    }
}
