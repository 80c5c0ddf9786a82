// What clients are told over the realtime protocol.
import HearthCore
import HearthTesting
import HearthWire
import Testing

@Suite("A message to a client")
struct RealtimeTextTests {
    private static func text(_ write: (inout [UInt8]) -> Void) -> String {
        var output: [UInt8] = []
        write(&output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func push(
        _ change: RealtimeText.Change, _ path: String, isPriority: Bool = false, _ json: String, tag: Int64?
    ) throws -> String {
        let path = try Path(path)
        return text { output in
            Array(json.utf8).withUnsafeBytes {
                RealtimeText.appendPush(change, at: path, isPriority: isPriority, json: $0, to: &output)
            }
            RealtimeText.appendEnd(tag: tag, to: &output)
        }
    }

    @Test("greets")
    func handshake() {
        let greeting = Self.text {
            RealtimeText.appendHandshake(
                time: 1_700_000_000_000, host: "db.example.com:8443", session: "kIsN", to: &$0)
        }
        #expect(
            greeting
                == #"{"t":"c","d":{"t":"h","d":{"ts":1700000000000,"v":"5","#
                + #""h":"db.example.com:8443","s":"kIsN"}}}"#
        )
        #expect(
            Self.text { RealtimeText.appendReset(host: "a:1", to: &$0) }
                == #"{"t":"c","d":{"t":"r","d":"a:1"}}"#)
    }

    @Test("replies")
    func replies() {
        #expect(
            Self.text { RealtimeText.appendReply(to: 3, .ok, to: &$0) }
                == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":""}}}"#)
        #expect(
            Self.text { RealtimeText.appendReply(to: 0, .permissionDenied, #"no "x""#, to: &$0) }
                == #"{"t":"d","d":{"r":0,"b":{"s":"permission_denied","d":"no \"x\""}}}"#)
        #expect(
            Self.text { output in
                Array("null".utf8).withUnsafeBytes {
                    RealtimeText.appendReply(to: 10, .ok, data: $0, to: &output)
                }
            } == #"{"t":"d","d":{"r":10,"b":{"s":"ok","d":null}}}"#)
        #expect(
            Self.text { RealtimeText.appendListening(to: 2, lacksIndex: false, to: &$0) }
                == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{}}}}"#)
        #expect(
            Self.text { RealtimeText.appendListening(to: 2, lacksIndex: true, to: &$0) }
                == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#)
    }

    @Test("pushes values, with the tag last")
    func pushes() throws {
        #expect(
            try Self.push(.put, "/room/title", #""yo""#, tag: nil)
                == #"{"t":"d","d":{"a":"d","b":{"p":"room/title","d":"yo"}}}"#)
        #expect(
            try Self.push(.merge, "/q", #"{"a":null,"c":3}"#, tag: 1)
                == #"{"t":"d","d":{"a":"m","b":{"p":"q","d":{"a":null,"c":3},"t":1}}}"#)
        #expect(
            try Self.push(.put, #"/a"b\c"#, "null", tag: nil)
                == #"{"t":"d","d":{"a":"d","b":{"p":"a\"b\\c","d":null}}}"#)
        #expect(
            try Self.push(.put, "/a", isPriority: true, "5", tag: nil)
                == #"{"t":"d","d":{"a":"d","b":{"p":"a/.priority","d":5}}}"#)
        #expect(
            try Self.push(.put, "/", isPriority: true, "5", tag: nil)
                == #"{"t":"d","d":{"a":"d","b":{"p":".priority","d":5}}}"#)
    }

    @Test("takes back listens and tokens")
    func revocations() throws {
        let path = try Path("/q")
        #expect(
            Self.text { RealtimeText.appendCancel(at: path, query: nil, to: &$0) }
                == #"{"t":"d","d":{"a":"c","b":{"p":"q"}}}"#)
        #expect(
            Self.text {
                RealtimeText.appendCancel(at: path, query: Array(#"{"l":2,"vf":"r"}"#.utf8), to: &$0)
            }
                == #"{"t":"d","d":{"a":"c","b":{"p":"q","q":[{"l":2,"vf":"r"}]}}}"#)
        #expect(
            Self.text { RealtimeText.appendRevocation(.expiredToken, "Auth token is expired.", to: &$0) }
                == #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired."}}}"#)
    }

    /// Reads frames back, with masks put on, as texts.
    private static func texts(_ frames: [UInt8]) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var rest = frames[...]
        while rest.count >= 2 {
            let start = rest.startIndex
            #expect(rest[start] == 0x81)
            let short = Int(rest[start + 1])
            let (head, count) =
                switch short {
                case 126: (4, Int(rest[start + 2]) << 8 | Int(rest[start + 3]))
                case 127: (10, rest[(start + 2)..<(start + 10)].reduce(0) { $0 << 8 | Int($1) })
                default: (2, short)
                }
            texts.append(Array(rest.dropFirst(head).prefix(count)))
            rest = rest.dropFirst(head + count)
        }
        #expect(rest.isEmpty)
        return texts
    }

    @Test("goes in one frame up to 16384 bytes, then in segments with their number first")
    func frames() throws {
        for count in [1, 16_384, 16_385, 40_000] {
            let text = [UInt8](repeating: 0x61, count: count)
            var output: [UInt8] = []
            RealtimeFrames.append(text, to: &output)
            let texts = Self.texts(output)
            guard count > 16_384 else {
                #expect(texts == [text])
                continue
            }
            #expect(texts.first.map { String(decoding: $0, as: UTF8.self) } == "\(texts.count - 1)")
            #expect(Array(texts.dropFirst().joined()) == text)
        }
    }

    @Test("is cut between characters, so that each frame is UTF-8")
    func characters() throws {
        var random = SeededRandom(for: "segments")
        for _ in 0..<20 {
            let text = (0..<30_000).map { _ in
                ["a", "é", "€", "😀"][Int.random(in: 0..<4, using: &random)]
            }.joined()
            var output: [UInt8] = []
            RealtimeFrames.append(Array(text.utf8), to: &output)
            let texts = Self.texts(output)
            #expect(texts.dropFirst().allSatisfy { String(validating: $0, as: UTF8.self) != nil })
            #expect(Array(texts.dropFirst().joined()) == Array(text.utf8))
            var assembly = RealtimeAssembly(limit: 1 << 20)
            var whole: [UInt8]?
            for text in texts { whole = try assembly.take(text) }
            #expect(whole == Array(text.utf8))
        }
    }

    @Test("has at most 9999 segments, which grow with it")
    func manySegments() {
        let text = [UInt8](repeating: 0x61, count: 16_384 * 9_999 + 1)
        var output: [UInt8] = []
        RealtimeFrames.append(text, to: &output)
        let texts = Self.texts(output)
        #expect(texts.count - 1 <= 9_999)
        #expect(texts.dropFirst().reduce(0) { $0 + $1.count } == text.count)
    }

    @Test("is compressed segment by segment where that helps")
    func compressed() throws {
        let text = Array(String(repeating: #"{"text":"hello"},"#, count: 2_000).utf8)
        var deflater = WebSocketDeflater()
        var output: [UInt8] = []
        RealtimeFrames.append(text, compressedBy: &deflater, to: &output)
        #expect(output.count < text.count / 10)
        #expect(output.first == 0x81, "the number of segments is not compressed")
        #expect(output.dropFirst(3).first == 0xC1)
    }
}
