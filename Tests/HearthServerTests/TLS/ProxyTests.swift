// Behind a proxy that ends TLS: whom is believed what.
import Testing

@testable import HearthServer

@Suite("A server behind a proxy")
struct ProxyTests {
    private func withProxy(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (Server, LogLines) throws -> Void
    ) throws {
        let log = LogLines()
        let proxy = try PeerAddress("127.0.0.1")
        try withServer {
            $0.proxies = [proxy]
            $0.log = Log(threshold: .info) { log.append($0) }
            change(&$0)
        } _: { server in
            try body(server, log)
        }
    }

    @Test("counts connections for the clients that the proxy asks for")
    func limits() throws {
        try withProxy {
            $0.limits.connectionsPerAddress = 1
        } _: { server, _ in
            let one = try TestClient(server)
            let header = ["X-Forwarded-For: 203.0.113.9, 192.0.2.1"]
            #expect(try one.ask("GET", "/.health", header).status == 200)
            #expect(try one.ask("GET", "/.health", header).status == 200)
            // The first entry is whatever the client wrote.
            let same = try TestClient(server)
            let refused = try same.ask("GET", "/.health", ["X-Forwarded-For: 192.0.2.7, 192.0.2.1:5500"])
            #expect(refused.status == 503)
            #expect(refused.body.contains("Too many connections from your address"))
            #expect(same.readToEnd() == "")
            let other = try TestClient(server)
            #expect(try other.ask("GET", "/.health", ["X-Forwarded-For: 192.0.2.2"]).status == 200)
            // A connection that goes on for another client counts for that one.
            #expect(try one.ask("GET", "/.health", ["X-Forwarded-For: [2001:db8::1]:80"]).status == 200)
            #expect(try other.ask("GET", "/.health", ["X-Forwarded-For: 192.0.2.1"]).status == 200)
            #expect(server.services.visitors.count == 2)
            one.endSending()
            other.endSending()
            _ = (one.readToEnd(), other.readToEnd())
            #expect(server.services.visitors.count == 0)
        }
    }

    @Test("takes what the proxy passes on for nobody's of this machine")
    func locked() throws {
        try withProxy { server, _ in
            let client = try TestClient(server)
            for headers in [[], ["X-Forwarded-For: 127.0.0.1"], ["X-Forwarded-For: 192.0.2.1"]] {
                #expect(try client.ask("GET", "/a.json", headers).status == 401)
                #expect(try client.ask("PUT", "/a.json", headers, body: "1").status == 401)
            }
            let admin = ["Authorization: Bearer \(server.shownToken ?? "")", "X-Forwarded-For: 192.0.2.1"]
            #expect(try client.ask("PUT", "/a.json", admin, body: "1").status == 200)
        }
    }

    @Test("warns once of a proxy that passes on what came without TLS")
    func plainClients() throws {
        try withProxy { server, log in
            let client = try TestClient(server)
            for scheme in ["https", "http", "http"] {
                let headers = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: \(scheme)"]
                #expect(try client.ask("GET", "/.health", headers).status == 200)
            }
            #expect(log.all.count { $0.contains("without TLS") } == 1)
        }
    }

    @Test("believes nobody else")
    func others() throws {
        let elsewhere = try PeerAddress("192.0.2.1")
        try withServer {
            $0.proxies = [elsewhere]
            $0.limits.connectionsPerAddress = 1
        } _: { server in
            let client = try TestClient(server)
            let header = ["X-Forwarded-For: 192.0.2.55"]
            #expect(try client.ask("GET", "/.health", header).status == 200)
            #expect(try client.ask("GET", "/a.json", header).status == 403)
            #expect(try client.ask("GET", "/a.json").status == 200)
            #expect(try TestClient(server).read().status == 503)
        }
    }

    @Test("is not warned about TLS that the proxy ends, and without one it is")
    func warning() throws {
        for (proxies, count) in [([], 1), ([try PeerAddress("::1")], 0)] {
            let log = LogLines()
            let addresses = try SocketAddress.parse("0.0.0.0:0")
            try withServer {
                $0.addresses = addresses
                $0.proxies = proxies
                $0.log = Log(threshold: .info) { log.append($0) }
            } _: { _ in
            }
            #expect(log.all.count { $0.contains("without TLS") } == count)
        }
        let log = LogLines()
        let addresses = try SocketAddress.parse("0.0.0.0:0")
        try withSecureServer {
            $0.addresses = addresses
            $0.log = Log(threshold: .info) { log.append($0) }
        } _: { _ in
        }
        #expect(log.all.isEmpty)
    }

    @Test("is refused plain HTTP beyond loopback beside TLS, and beside nothing")
    func plainListeners() throws {
        let open = try SocketAddress.parse("0.0.0.0:0")
        let plain = #expect(throws: StartFailure.self) {
            try withSecureServer {
                $0.plainAddresses = open
            } _: { _ in
            }
        }
        #expect("\(plain.map { "\($0)" } ?? "")".contains("--behind-proxy"))
        let alone = #expect(throws: StartFailure.self) {
            try withServer {
                $0.plainAddresses = [.loopback4(port: 0)]
            } _: { _ in
            }
        }
        #expect("\(alone.map { "\($0)" } ?? "")".contains("use --listen"))
    }

    @Test("has a public address that is a host, with a port perhaps")
    func publicURL() throws {
        for (text, authority, isSecure) in [
            ("https://chat.example", "chat.example", true), ("http://10.0.0.1:9000/", "10.0.0.1:9000", false),
            ("HTTPS://Chat.Example:8443", "chat.example:8443", true), ("https://[::1]:9", "[::1]:9", true),
        ] {
            let url = try PublicURL(text)
            #expect(url.authority == authority)
            #expect(url.isSecure == isSecure)
        }
        for text in [
            "", "chat.example", "ftp://a", "https://", "https://a/b", "https://a?b", "https://a:0",
            "https://a:x",
            "https://a..b", "https://[::1", "https://a b", "https://a\r\nb", "https://user@a",
            "https://a:1:2",
        ] {
            #expect(throws: StartFailure.self) { try PublicURL(text) }
        }
        for text in ["", "localhost", "127.0.0.1:80", "10.0.0.0/8"] {
            #expect(throws: StartFailure.self) { try PeerAddress(text) }
        }
        let mapped = try PeerAddress("::ffff:127.0.0.1")
        #expect(mapped.host == .ipv4(0x7F00_0001))
        let bracketed = try PeerAddress("[::1]")
        #expect(bracketed.host == .ipv6(high: 0, low: 1))
    }
}
