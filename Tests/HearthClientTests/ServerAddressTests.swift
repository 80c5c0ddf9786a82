// How addresses of servers and places are read, written and refused.

import HearthClient
import Testing

@Suite("The address of a server")
struct ServerAddressTests {
    @Test(
        "is read as people write it",
        arguments: [
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000", nil),
            ("http://localhost:8080/", "http://localhost:8080", nil),
            ("HTTP://db.example", "http://db.example:9000", nil),
            ("127.0.0.1:9000", "http://127.0.0.1:9000", nil),
            ("[::1]:9001", "http://[::1]:9001", nil),
            ("http://[::1]", "http://[::1]:9000", nil),
            ("http://127.0.0.1:9000/?ns=chat", "http://127.0.0.1:9000", "chat"),
            ("127.0.0.1:9000?ns=chat", "http://127.0.0.1:9000", "chat"),
        ] as [(String, String, String?)])
    func read(text: String, shown: String, namespace: String?) throws {
        let address = try ServerAddress(text)
        #expect(address.description == shown)
        #expect(address.namespace == namespace)
    }

    @Test(
        "is refused with the reason",
        arguments: [
            ("", "the host is missing"), ("http://", "the host is missing"), (":9000", "the host is missing"),
            ("ftp://127.0.0.1", "'ftp' is no scheme of it"),
            ("127.0.0.1:port", "the port is no number"), ("127.0.0.1:0", "the port is no number"),
            ("127.0.0.1:65536", "the port is no number"), ("[::1]9000", "the port is no number"),
            ("[::1", "the bracket of the IPv6 address is not closed"),
            ("::1:9000", "the host has characters that cannot stand there"),
            ("user@host:9000", "the host has characters that cannot stand there"),
            ("a b:9000", "the host has characters that cannot stand there"),
            ("http://127.0.0.1:9000/rooms", "it has a path; paths are given to the commands"),
            ("http://127.0.0.1:9000/?ns=a&x=b", "it has a path; paths are given to the commands"),
        ])
    func refused(text: String, reason: String) {
        #expect(throws: ClientError.badAddress(text, reason: reason)) { try ServerAddress(text) }
    }

    @Test("with https speaks TLS, at its own port if none is given")
    func https() throws {
        for (text, shown) in [
            ("https://db.example", "https://db.example:443"), ("HTTPS://[::1]:8443/", "https://[::1]:8443"),
        ] {
            let address = try ServerAddress(text)
            #expect(address.isSecure)
            #expect(address.description == shown)
        }
        #expect(try !ServerAddress("db.example:443").isSecure)
    }

    @Test(
        "of a place in the tree is encoded where it has to be",
        arguments: [
            ("/", "/.json"), ("", "/.json"), ("/rooms/lobby", "/rooms/lobby.json"),
            ("rooms//lobby/", "/rooms/lobby.json"), ("/rooms/.priority", "/rooms/.priority.json"),
            ("/a b/50%/ä", "/a%20b/50%25/%C3%A4.json"), ("/what?/#1", "/what%3F/%231.json"),
            ("/-Nb3_x~(1)", "/-Nb3_x~(1).json"),
        ])
    func path(path: String, target: String) {
        #expect(RequestTarget(ofData: path).text == target)
    }

    @Test("has its parameters encoded in their order")
    func query() {
        let query = [("orderBy", "\"$key\""), ("startAt", "\"a&b=c +\"")].map { (name: $0.0, value: $0.1) }
        let target = RequestTarget(ofData: "/rooms", query: query)
        #expect(target.text == "/rooms.json?orderBy=%22$key%22&startAt=%22a%26b%3Dc%20%2B%22")
    }

    @Test(
        "comes with the token in its place",
        arguments: [
            ("owner", Credentials.administrator(token: "owner")),
            ("ya29.a0Af", .administrator(token: "ya29.a0Af")),
            ("eyJh.eyJz.c2ln", .user(token: "eyJh.eyJz.c2ln")),
            ("eyJh.eyJz.", .user(token: "eyJh.eyJz.")),
        ])
    func credentials(token: String, kind: Credentials) {
        #expect(Credentials(token: token) == kind)
    }

    @Test("comes with no token that could break out of its line", arguments: ["", "a b", "a\r\nX: y", "ä"])
    func badToken(token: String) {
        #expect(Credentials(token: token) == nil)
    }
}
