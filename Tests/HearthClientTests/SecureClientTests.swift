// A client that speaks TLS with a server of ours.

import Foundation
import HearthClient
import HearthServer
import HearthTesting
import HearthWire
import Testing

@Suite("A client over TLS")
struct SecureClientTests {
    /// Runs `body` against a server with a certificate of an authority that the client may believe.
    private func withServer(_ body: (ServerAddress, Trust, String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-secure-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // What is left there does no harm.
            try? FileManager.default.removeItem(at: folder)
        }
        let authority = TestAuthority()
        let identity = authority.identity(for: ["127.0.0.1"])
        let chain = folder.appendingPathComponent("chain.pem")
        let key = folder.appendingPathComponent("key.pem")
        try identity.certificate.write(to: chain, atomically: true, encoding: .utf8)
        try identity.key.write(to: key, atomically: true, encoding: .utf8)
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = [.loopback4(port: 0)]
        configuration.tls = Configuration.TLS(certificateFile: chain.path, keyFile: key.path)
        configuration.log = Log(threshold: .error)
        let server = try Server.start(configuration)
        defer { server.stop() }
        let port = try #require(server.addresses.first?.port)
        let trust = try Trust(certificates: Array(authority.certificate.utf8), named: "authority.pem")
        try body(
            ServerAddress(host: "127.0.0.1", port: port, isSecure: true), trust, server.shownToken ?? "")
    }

    private func target(_ path: String) -> RequestTarget { RequestTarget(ofData: path) }

    @Test("writes and reads, small and large, request after request")
    func exchanges() throws {
        try withServer { address, trust, _ in
            let client = Client(address, trust: trust)
            for count in [1, 100, 16_384, 65_536, 3_000_000] {
                let text = Array("\"\(String(repeating: "h", count: count))\"".utf8)
                let put = ClientRequest(.put, target("/rooms/lobby/topic"), body: .bytes(text))
                #expect(try client.collect(put).answer.status == 200)
                let read = try client.collect(ClientRequest(.get, target("/rooms/lobby/topic")))
                #expect(read.body == text)
            }
        }
    }

    @Test("sends a file once it is asked for it, or hears that it is not wanted")
    func file() throws {
        try withServer { address, trust, token in
            let path = FileManager.default.temporaryDirectory
                .appendingPathComponent("hearth-body-\(UUID().uuidString)").path
            let text = Array("\"\(String(repeating: "hearth", count: 500_000))\"".utf8)
            try Data(text).write(to: URL(fileURLWithPath: path))
            defer {
                // What is left there does no harm.
                try? FileManager.default.removeItem(atPath: path)
            }
            let handle = try #require(FileHandle(forReadingAtPath: path))
            let body = FileBody(descriptor: handle.fileDescriptor, name: "body", length: text.count)
            let put = ClientRequest(.put, target("/rooms/lobby/topic"), body: .file(body))
            let client = Client(address, credentials: .administrator(token: token), trust: trust)
            #expect(try client.collect(put).answer.status == 200)
            #expect(try client.collect(ClientRequest(.get, target("/rooms/lobby/topic"))).body == text)
            try handle.seek(toOffset: 0)
            let stranger = Client(address, credentials: .administrator(token: "wrong"), trust: trust)
            let error = #expect(throws: ClientError.self) { try stranger.collect(put) }
            guard case .refused(let refusal) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.status == 401)
        }
    }

    @Test("follows a stream")
    func stream() throws {
        try withServer { address, trust, _ in
            let writer = Client(address, trust: trust)
            let put = ClientRequest(.put, target("/rooms/lobby/a"), body: .bytes(Array("1".utf8)))
            _ = try writer.collect(put)
            var target = target("/rooms/lobby")
            target.query = [
                ("feed", "longpoll"), ("timeout", "20s"), ("since", "now"), ("events", "child_added"),
            ]
            let client = Client(address, trust: trust)
            let answer = try client.collect(ClientRequest(.get, self.target("/rooms/lobby"))).answer
            #expect(answer.cursor != nil)
            target.query[2] = ("since", try #require(answer.cursor))
            let next = ClientRequest(.put, self.target("/rooms/lobby/b"), body: .bytes(Array("2".utf8)))
            _ = try writer.collect(next)
            let told = String(decoding: try client.collect(ClientRequest(.get, target)).body, as: UTF8.self)
            #expect(told.contains(#""key":"b""#))
        }
    }

    @Test("refuses a server that it has no reason to believe, and says what to do")
    func untrusted() throws {
        try withServer { address, trust, _ in
            let request = ClientRequest(.get, target("/"))
            let other = try Trust(certificates: Array(TestAuthority().certificate.utf8), named: "other.pem")
            for client in [Client(address, trust: other), Client(address)] {
                let error = #expect(throws: ClientError.self) { try client.collect(request) }
                guard case .insecure(_, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("certificate is not believed") && reason.contains("--ca"))
                #expect(error?.mayPass == false)
            }
            let named = ServerAddress(host: "localhost", port: address.port, isSecure: true)
            let error = #expect(throws: ClientError.self) {
                try Client(named, trust: trust).collect(request)
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("hostname mismatch"))
        }
    }

    @Test("says so when the other end speaks no TLS")
    func plainServer() throws {
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = [.loopback4(port: 0)]
        configuration.log = Log(threshold: .error)
        let server = try Server.start(configuration)
        defer { server.stop() }
        let port = try #require(server.addresses.first?.port)
        let client = Client(ServerAddress(host: "127.0.0.1", port: port, isSecure: true))
        let error = #expect(throws: ClientError.self) {
            try client.collect(ClientRequest(.get, target("/")))
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("does it speak TLS at this port?"))
    }

    @Test("refuses to believe a file without certificates")
    func noCertificates() {
        let error = #expect(throws: ClientError.self) {
            try Trust(certificates: Array("hello".utf8), named: "authority.pem")
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("authority.pem: there is no certificate in it"))
    }
}
