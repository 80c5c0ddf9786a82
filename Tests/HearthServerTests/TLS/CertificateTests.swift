// The certificate: what is said about files that do not do, and how it is renewed.
import Foundation
import HearthCrypto
import HearthTesting
import Testing

@testable import HearthServer

@Suite("A server's certificate")
struct CertificateTests {
    /// How many streams are open while the certificate is renewed; `HEARTH_STREAMS` opens more.
    private static let streamCount =
        ProcessInfo.processInfo.environment["HEARTH_STREAMS"].flatMap { Int($0) } ?? 200

    @Test("is renewed under open streams, which all go on")
    func renewal() throws {
        try withSecureServer {
            $0.loopCount = 2
        } _: { secure in
            let streams = try (0..<Self.streamCount).map { _ in
                let client = try secure.client()
                try client.openStream("/rooms/lobby.json")
                return client
            }
            for stream in streams { #expect(try stream.readEvent().event == "put") }
            let idle = try secure.client()
            let next = TestAuthority(named: "The next authority")
            try secure.install(next.identity())
            secure.server.readChangedCertificate()
            secure.server.readChangedCertificate()
            #expect(secure.log.all.contains { $0.contains("certificate read") })
            // Whoever comes now sees the new one, and only that.
            let writer = try secure.client(next)
            #expect(throws: NoHandshake.self) { try secure.client() }
            #expect(try writer.ask("PUT", "/rooms/lobby/topic.json", body: "\"renewed\"").status == 200)
            for stream in streams {
                #expect(try stream.readEvent().data == #"{"path":"/topic","data":"renewed"}"#)
            }
            #expect(try idle.ask("GET", "/rooms/lobby/topic.json").body == "\"renewed\"")
        }
    }

    @Test("is read when its files have held still, or at once when asked to")
    func changes() throws {
        try withSecureServer { secure in
            let next = TestAuthority()
            let identity = next.identity()
            let path = secure.directory.path
            try identity.certificate.write(toFile: path + "/chain.pem", atomically: true, encoding: .utf8)
            secure.server.readChangedCertificate()
            #expect(try secure.client().ask("GET", "/.health").status == 200)
            try identity.key.write(toFile: path + "/key.pem", atomically: true, encoding: .utf8)
            secure.server.readChangedCertificate()
            #expect(try secure.client().ask("GET", "/.health").status == 200)
            #expect(secure.log.all.isEmpty)
            secure.server.readCertificate()
            #expect(try secure.client(next).ask("GET", "/.health").status == 200)
        }
    }

    @Test("that does not fit is reported, and the old one stays until it does")
    func misfit() throws {
        try withSecureServer { secure in
            let next = TestAuthority()
            try secure.install(
                TestAuthority.Identity(certificate: next.identity().certificate, key: next.identity().key))
            for _ in 0..<4 { secure.server.readChangedCertificate() }
            let lines = secure.log.all.filter { $0.contains("certificate not read, the old one stays") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("not that of the first certificate") ?? false)
            #expect(try secure.client().ask("GET", "/.health").status == 200)
            try secure.install(next.identity())
            for _ in 0..<2 { secure.server.readChangedCertificate() }
            #expect(try secure.client(next).ask("GET", "/.health").status == 200)
        }
    }

    @Test(
        "that has expired, will soon, or is not valid yet is warned about and served",
        arguments: [
            (-9_000...(-100), "has expired"), (-9_000...3_600, "expires soon"),
            (3_600...9_000, "is not valid yet"), (-9_000...999_999_999, nil),
        ] as [(ClosedRange<Int64>, String?)])
    func dates(validity: ClosedRange<Int64>, warning: String?) throws {
        let now = WallClock().milliseconds / 1000
        let identity = TestAuthority().identity(
            validity: now + validity.lowerBound...min(now + validity.upperBound, 2_493_072_000))
        try withSecureServer(identity) { (secure) throws in
            let lines = secure.log.all.filter { $0.contains("warn") }
            #expect(lines.count == (warning == nil ? 0 : 1))
            if let warning { #expect(lines.first?.contains(warning) ?? false, "\(lines)") }
            #expect(try TestClient(secure.server).ask("GET", "/.health").status == 400)
        }
    }

    @Test("whose files do not do keeps the server from starting, with what to do")
    func refused() throws {
        let authority = TestAuthority()
        let good = authority.identity()
        let cases: [(TestAuthority.Identity, [String])] = [
            (.init(certificate: "", key: good.key), ["--tls-cert", "chain.pem", "BEGIN CERTIFICATE"]),
            (.init(certificate: good.certificate, key: "x"), ["--tls-key", "key.pem", "BEGIN PRIVATE KEY"]),
            (
                .init(certificate: good.certificate, key: authority.identity().key),
                ["chain.pem", "key.pem", "not that of the first certificate"]
            ),
        ]
        for (identity, words) in cases {
            let failure = #expect(throws: StartFailure.self) {
                try withSecureServer(identity) { _ in }
            }
            for word in words { #expect("\(failure.map { "\($0)" } ?? "")".contains(word)) }
        }
        let missing = #expect(throws: StartFailure.self) {
            try withServer {
                $0.tls = Configuration.TLS(certificateFile: "/nowhere/chain.pem", keyFile: "/nowhere/key.pem")
            } _: { _ in
            }
        }
        #expect("\(missing.map { "\($0)" } ?? "")".contains("--tls-cert: cannot read /nowhere/chain.pem"))
    }
}
