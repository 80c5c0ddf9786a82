// Sessions of TLS over plain bytes.
import HearthCrypto
import HearthTesting
import Testing

@Suite("A TLS session")
struct TLSSessionTests {
    @Test("opens and carries bytes both ways, whatever the key", arguments: SignatureAlgorithm.allCases)
    func opens(algorithm: SignatureAlgorithm) throws {
        let authority = TestAuthority()
        let pair = TLSPair(try authority.serverContext(algorithm), try authority.clientContext())
        #expect(!pair.server.isOpen)
        pair.exchange()
        #expect(pair.client.isOpen)
        #expect(pair.server.isOpen)
        #expect(pair.server.session.version == "TLSv1.3")
        #expect(pair.server.session.applicationProtocol == "http/1.1")
        #expect(!pair.server.isResumed)
        #expect(pair.client.say(Array("hello".utf8)) == nil)
        #expect(pair.server.say(Array("welcome".utf8)) == nil)
        pair.exchange()
        #expect(String(decoding: pair.server.heard, as: UTF8.self) == "hello")
        #expect(String(decoding: pair.client.heard, as: UTF8.self) == "welcome")
        #expect(pair.client.last == .needsInput)
    }

    @Test("carries what is longer than a record", arguments: [1, 16_383, 16_384, 16_385, 100_000, 1 << 20])
    func long(count: Int) throws {
        let authority = TestAuthority()
        let pair = TLSPair(try authority.serverContext(), try authority.clientContext())
        pair.exchange()
        let text = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        #expect(pair.server.say(text) == nil)
        #expect(pair.server.output.count > count)
        pair.exchange()
        #expect(pair.client.heard == text)
    }

    @Test("needs no more than a byte at a time, and no more room than one")
    func byteByByte() throws {
        let authority = TestAuthority()
        let pair = TLSPair(try authority.serverContext(), try authority.clientContext())
        var hasSpoken = false
        while !pair.client.output.isEmpty || !pair.server.output.isEmpty {
            for byte in pair.client.takeOutput() { pair.server.take([byte], room: 1) }
            for byte in pair.server.takeOutput() { pair.client.take([byte], room: 1) }
            if pair.client.isOpen, pair.server.isOpen, !hasSpoken {
                hasSpoken = true
                #expect(pair.client.say(Array("byte by byte".utf8)) == nil)
            }
        }
        #expect(String(decoding: pair.server.heard, as: UTF8.self) == "byte by byte")
    }

    @Test("says its end, and hears the other's, while the other direction goes on")
    func halves() throws {
        let authority = TestAuthority()
        let pair = TLSPair(try authority.serverContext(), try authority.clientContext())
        pair.exchange()
        pair.client.session.end(output: &pair.client.output)
        pair.exchange()
        #expect(pair.server.last == .ended)
        #expect(pair.server.say(Array("still here".utf8)) == nil)
        pair.server.session.end(output: &pair.server.output)
        pair.exchange()
        #expect(String(decoding: pair.client.heard, as: UTF8.self) == "still here")
        #expect(pair.client.last == .ended)
    }

    @Test("says nothing when it ends before its handshake")
    func earlyEnd() throws {
        let server = TLSEnd(TLSSession(server: try TestAuthority().serverContext()))
        server.session.end(output: &server.output)
        #expect(server.output.isEmpty)
    }

    @Test("is waited for while a hello, or a record, has come in part")
    func partial() throws {
        let authority = TestAuthority()
        let pair = TLSPair(try authority.serverContext(), try authority.clientContext())
        let hello = pair.client.takeOutput()
        for cut in [1, 5, 6, hello.count - 1] {
            let other = TLSEnd(TLSSession(server: try authority.serverContext()))
            other.take(Array(hello[..<cut]))
            #expect(other.last == .needsInput)
            #expect(other.output.isEmpty)
        }
        pair.server.take(hello)
        pair.client.take(pair.server.takeOutput())
        pair.exchange()
        #expect(pair.client.say(Array("in two pieces".utf8)) == nil)
        let record = pair.client.takeOutput()
        pair.server.take(Array(record[..<10]))
        #expect(pair.server.last == .needsInput)
        #expect(pair.server.heard.isEmpty)
        pair.server.take(Array(record[10...]))
        #expect(String(decoding: pair.server.heard, as: UTF8.self) == "in two pieces")
    }

    @Test("fails on a record that was changed, with an alert")
    func changed() throws {
        let authority = TestAuthority()
        let pair = TLSPair(try authority.serverContext(), try authority.clientContext())
        pair.exchange()
        #expect(pair.client.say(Array("hello".utf8)) == nil)
        var record = pair.client.takeOutput()
        record[record.count - 1] ^= 1
        pair.server.take(record)
        guard case .failed(.broken) = pair.server.last else {
            Issue.record("\(pair.server.last)")
            return
        }
        #expect(pair.server.heard.isEmpty)
        #expect(!pair.server.output.isEmpty)
        pair.client.take(pair.server.takeOutput())
        guard case .failed(.broken(let reason)) = pair.client.last else {
            Issue.record("\(pair.client.last)")
            return
        }
        #expect(reason.contains("bad record mac"))
    }

    @Test(
        "fails on what is no handshake",
        arguments: [
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{4}abcd",
            "garbage that is long",
            "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}",
        ])
    func garbage(text: String) throws {
        let server = TLSEnd(TLSSession(server: try TestAuthority().serverContext()))
        server.take(Array(text.utf8))
        guard case .failed(.broken) = server.last else {
            Issue.record("\(server.last)")
            return
        }
        server.take(Array(text.utf8))
        guard case .failed = server.last else {
            Issue.record("a broken session went on: \(server.last)")
            return
        }
        #expect(!server.isOpen)
    }

    @Test("never traps on a damaged conversation, and hands out nothing that was not said")
    func damaged() throws {
        let authority = TestAuthority()
        let server = try authority.serverContext()
        let client = try authority.clientContext()
        var random = SeededRandom(for: "damaged TLS")
        for _ in 0..<300 {
            let pair = TLSPair(server, client)
            var rounds = 0
            var hasSpoken = false
            while rounds < 6, !pair.client.output.isEmpty || !pair.server.output.isEmpty {
                rounds += 1
                var bytes = pair.client.takeOutput()
                for _ in 0..<Int.random(in: 0...2, using: &random) { damage(&bytes, &random) }
                pair.server.take(bytes)
                pair.client.take(pair.server.takeOutput())
                if pair.client.isOpen, !hasSpoken {
                    hasSpoken = true
                    // A client that has been told of the damage cannot speak any more.
                    _ = pair.client.say(Array("hello".utf8))
                }
            }
            #expect(pair.server.heard.isEmpty || pair.server.heard == Array("hello".utf8))
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.removeSubrange(place...)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
    }
}
