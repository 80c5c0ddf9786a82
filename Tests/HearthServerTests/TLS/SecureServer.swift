// A server that speaks TLS, with files that its test may replace.
import Foundation
import HearthCrypto
import HearthTesting
import Testing

@testable import HearthServer

/// A running server with a certificate, and those who believe it.
struct SecureServer {
    let server: Server
    let directory: TemporaryDirectory
    let authority: TestAuthority
    let log: LogLines

    /// A client that believes the authority.
    func client(_ authority: TestAuthority? = nil) throws -> TestClient {
        let context = try TLSClientContext(trusting: Array((authority ?? self.authority).certificate.utf8))
        return try TestClient(server, trusting: context)
    }

    /// The administrator's header.
    var admin: [String] { ["Authorization: Bearer \(server.shownToken ?? "")"] }

    /// Replaces the files.
    func install(_ identity: TestAuthority.Identity) throws {
        try SecureServer.write(identity, to: directory.path)
    }

    static func write(_ identity: TestAuthority.Identity, to path: String) throws {
        try identity.certificate.write(toFile: path + "/chain.pem", atomically: true, encoding: .utf8)
        try identity.key.write(toFile: path + "/key.pem", atomically: true, encoding: .utf8)
    }
}

/// Runs `body` against a server with a certificate for localhost.
func withSecureServer(
    _ identity: TestAuthority.Identity? = nil, _ change: (inout Configuration) -> Void = { _ in },
    _ body: (SecureServer) throws -> Void
) throws {
    let directory = TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    let authority = TestAuthority()
    try SecureServer.write(identity ?? authority.identity(), to: directory.path)
    let log = LogLines()
    try withServer {
        $0.tls = Configuration.TLS(
            certificateFile: directory.path + "/chain.pem", keyFile: directory.path + "/key.pem")
        $0.log = Log(threshold: .info) { log.append($0) }
        change(&$0)
    } _: { server in
        try body(SecureServer(server: server, directory: directory, authority: authority, log: log))
    }
}
