// Frames to clients.
import HearthTesting
import HearthWire
import Testing

@Suite("Frames to a client")
struct WebSocketFramesTests {
    @Test("have no mask, and the shortest form of their length", arguments: [0, 125, 126, 65_535, 65_536])
    func text(count: Int) {
        let payload = [UInt8](repeating: 0x61, count: count)
        var output: [UInt8] = []
        payload.withUnsafeBytes { WebSocketFrames.appendText($0, to: &output) }
        let head: [UInt8] =
            switch count {
            case ...125: [0x81, UInt8(count)]
            case ...65_535: [0x81, 126, UInt8(count >> 8), UInt8(count & 255)]
            default: [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]
            }
        #expect(output == head + payload)
    }

    @Test("about the connection are short")
    func control() {
        var output: [UInt8] = []
        WebSocketFrames.appendPing(to: &output)
        WebSocketFrames.appendPong([7, 8], to: &output)
        WebSocketFrames.appendClose(.tooBig, "big", to: &output)
        WebSocketFrames.appendClose(nil, to: &output)
        let expected: [UInt8] = [0x89, 0, 0x8A, 2, 7, 8, 0x88, 5, 0x03, 0xF1, 0x62, 0x69, 0x67, 0x88, 0]
        #expect(output == expected)
    }

    @Test("about an error have room for its reason")
    func reasons() {
        let error = WebSocketError(.policyViolation, String(repeating: "x", count: 123))
        var output: [UInt8] = []
        WebSocketFrames.appendClose(error.code, error.reason, to: &output)
        #expect(output.count == 127)
    }
}

@Suite("Compression of messages")
struct WebSocketDeflateTests {
    private static func chat(_ count: Int) -> [UInt8] {
        Array((0..<count).map { #"{"room":"lobby","text":"message \#($0)"}"# }.joined().utf8)
    }

    @Test("gives back what it was given", arguments: [20, 100, 5_000])
    func roundTrip(count: Int) throws {
        let text = Self.chat(count)
        var deflater = WebSocketDeflater()
        var inflater = WebSocketInflater()
        let first = try #require(text.withUnsafeBytes { deflater.deflate($0) })
        #expect(first.count < text.count / 2)
        let second = try #require(text.withUnsafeBytes { deflater.deflate($0) })
        #expect(second == first, "each message is compressed by itself")
        for _ in 0..<2 {
            #expect(try inflater.inflate(first, isText: true, limit: text.count) == text)
        }
    }

    @Test("leaves alone what is short or does not get smaller")
    func notWorth() {
        var deflater = WebSocketDeflater()
        #expect(Self.chat(5).withUnsafeBytes { deflater.deflate($0) } == nil)
        var random = SeededRandom(for: "noise")
        let noise = random.bytes(4_000)
        #expect(noise.withUnsafeBytes { deflater.deflate($0) } == nil)
    }

    @Test("reads the examples of the standard")
    func examples() throws {
        var inflater = WebSocketInflater()
        let hello = Array("Hello".utf8)
        let plain: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        let blocks: [UInt8] = [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
        for example in [plain, stored, final, blocks] {
            #expect(try inflater.inflate(example, isText: true, limit: 5) == hello)
        }
    }

    @Test("bounds what few bytes may stand for")
    func bomb() throws {
        let zeros = [UInt8](repeating: 0x30, count: 1 << 20)
        var deflater = WebSocketDeflater()
        var inflater = WebSocketInflater()
        let small = try #require(zeros.withUnsafeBytes { deflater.deflate($0) })
        #expect(small.count < 8_000)
        #expect(throws: WebSocketError.self) {
            try inflater.inflate(small, isText: true, limit: (1 << 20) - 1)
        }
        #expect(try inflater.inflate(small, isText: true, limit: 1 << 20).count == 1 << 20)
    }

    @Test("refuses broken data and text that is not UTF-8, and goes on with the next message")
    func broken() throws {
        var deflater = WebSocketDeflater()
        var inflater = WebSocketInflater()
        do {
            _ = try inflater.inflate([0x07, 0xFF, 0xFF, 0x12], isText: true, limit: 100)
            Issue.record("broken data were taken")
        } catch {
            #expect(error.code == .invalidData)
        }
        let bytes = [UInt8](repeating: 0xE9, count: 2_000)
        let wrong = try #require(bytes.withUnsafeBytes { deflater.deflate($0) })
        #expect(try inflater.inflate(wrong, isText: false, limit: 2_000) == bytes)
        do {
            _ = try inflater.inflate(wrong, isText: true, limit: 2_000)
            Issue.record("text that is not UTF-8 was taken")
        } catch {
            #expect(error.code == .invalidData)
        }
    }
}
