// Starting and stopping a whole server.
import HearthServer
import Testing

@Suite("A server")
struct ServerTests {
    @Test("takes one free port for all its addresses and gives it back when it stops")
    func port() throws {
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = [.loopback4(port: 0), .loopback6(port: 0)]
        let server = try Server.start(configuration)
        let ports = Set(server.addresses.map(\.port))
        #expect(ports.count == 1)
        #expect(ports.first != 0)
        configuration.addresses = server.addresses
        #expect(throws: StartFailure.self) { try Server.start(configuration) }
        server.stop()
        server.stop()
        let second = try Server.start(configuration)
        #expect(second.addresses == server.addresses)
        second.stop()
    }

    @Test("refuses to let other machines in")
    func notLoopback() throws {
        var configuration = Configuration()
        configuration.storage = .ephemeral
        configuration.addresses = try SocketAddress.parse("0.0.0.0:0")
        configuration.isEmulator = true
        let failure = #expect(throws: StartFailure.self) { try Server.start(configuration) }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("refusing to listen on 0.0.0.0:0"))
    }

    @Test("answers what it was asked before it stops, and takes no more")
    func stops() throws {
        try withServer { server in
            let client = try TestClient(server)
            #expect(try client.ask("GET", "/.health").status == 200)
            server.stop()
            #expect(client.readToEnd() == "")
        }
    }
}
