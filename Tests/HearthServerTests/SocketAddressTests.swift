// Addresses as people write them.
import HearthServer
import Testing

@Suite("A socket address")
struct SocketAddressTests {
    @Test(
        "is read and written alike",
        arguments: [
            "127.0.0.1:9000", "[::1]:9000", "0.0.0.0:80", "[2001:db8::1]:65535", "[::]:0",
        ])
    func roundTrip(text: String) throws {
        #expect(try SocketAddress.parse(text).map(\.description) == [text])
    }

    @Test("that says localhost means both loopback addresses")
    func localhost() throws {
        let addresses = try SocketAddress.parse("localhost:9000")
        #expect(addresses.map(\.description) == ["127.0.0.1:9000", "[::1]:9000"])
        #expect(addresses.allSatisfy { $0.isLoopback })
    }

    @Test(
        "says whether other machines reach it",
        arguments: [
            ("127.8.9.1:1", true), ("[::1]:1", true), ("0.0.0.0:1", false), ("[::]:1", false),
            ("10.0.0.1:1", false),
            ("[fe80::1]:1", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try SocketAddress.parse(text).first?.isLoopback == isLoopback)
    }

    @Test(
        "is refused with an example",
        arguments: [
            "", "9000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "example.com:9000", "::1:9000",
            "[::1:9000",
        ])
    func refused(text: String) {
        let failure = #expect(throws: StartFailure.self) { try SocketAddress.parse(text) }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("127.0.0.1:9000"))
    }
}
