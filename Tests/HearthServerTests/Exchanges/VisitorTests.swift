// Connections that come from one address.
import Testing

@testable import HearthServer

@Suite("Connections of one address")
struct VisitorTests {
    @Test("beyond the limit are told so and closed, and come in when others end")
    func limit() throws {
        try withServer {
            $0.limits.connectionsPerAddress = 2
        } _: { (server) throws in
            let first = try TestClient(server)
            #expect(try first.ask("GET", "/.health").status == 200)
            let second = try TestClient(server)
            #expect(try second.ask("GET", "/.health").status == 200)
            for _ in 0..<3 {
                let beyond = try TestClient(server)
                let reply = try beyond.read()
                #expect(reply.status == 503)
                #expect(reply.headers["connection"] == "close")
                #expect(reply.headers["retry-after"] == "1")
                #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
                #expect(reply.body.hasPrefix(#"{"error":"Too many connections from your address"#))
                #expect(beyond.readToEnd() == "")
            }
            #expect(server.services.metrics.turnedAway.value == 3)
            second.endSending()
            #expect(second.readToEnd() == "")
            let next = try TestClient(server)
            #expect(try next.ask("GET", "/.health").status == 200)
            // Those who were there have not noticed anything.
            #expect(try first.ask("GET", "/.health").status == 200)
        }
    }

    @Test("are not counted on loopback unless that is asked for")
    func loopback() throws {
        try withServer { (server) throws in
            let clients = try (0..<20).map { _ in try TestClient(server) }
            for client in clients { #expect(try client.ask("GET", "/.health").status == 200) }
            #expect(server.services.visitors.count == 0)
        }
    }

    @Test("are forgotten when the last one ends, also those that there were too many of in all")
    func forgotten() throws {
        try withServer {
            $0.loopCount = 1
            $0.limits.connections = 1
            $0.limits.connectionsPerAddress = 10
        } _: { (server) throws in
            let first = try TestClient(server)
            #expect(try first.ask("GET", "/.health").status == 200)
            for _ in 0..<20 { #expect(try TestClient(server).readToEnd() == "") }
            #expect(server.services.visitors.count == 1)
            first.endSending()
            #expect(first.readToEnd() == "")
            // The count goes down before the descriptor is closed.
            #expect(server.services.visitors.count == 0)
        }
    }

    @Test(
        "belong together by the whole IPv4 address and by the network of an IPv6 one",
        arguments: [
            ("10.0.0.1:1", "10.0.0.1:2", true), ("10.0.0.1:1", "10.0.0.2:1", false),
            ("[2001:db8::1]:1", "[2001:db8::ffff:2]:1", true),
            ("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false),
            ("[::ffff:10.0.0.1]:1", "10.0.0.1:1", true), ("127.0.0.1:1", "[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", "127.9.9.9:1", true), ("127.0.0.1:1", "10.0.0.1:1", false),
        ])
    func together(one: String, other: String, isSame: Bool) throws {
        let visitors = try [one, other].map { Visitor(try #require(try SocketAddress.parse($0).first).host) }
        #expect((visitors[0] == visitors[1]) == isSame)
    }

    @Test("may be 1,000 beyond this machine by default, and any number on it")
    func usual() throws {
        let visitors = Visitors(limit: nil)
        let far = Visitor(try #require(try SocketAddress.parse("192.0.2.1:1").first).host)
        for _ in 0..<1_000 { #expect(visitors.enter(far)) }
        #expect(!visitors.enter(far))
        #expect(visitors.limit(of: .loopback) == nil)
        #expect(visitors.enter(.ipv4(1)))
        visitors.leave(far)
        #expect(visitors.enter(far))
        for _ in 0..<1_000 { visitors.leave(far) }
        #expect(visitors.count == 1)
    }
}
