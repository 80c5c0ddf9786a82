// A text that stops too early, wherever it stops.
import HearthJSON
import Testing

@Suite("A truncated text")
struct TruncatedTextTests {
    static let text = """
        {"rooms": {"lobby": {"topic": "caf\u{E9} \\u00e9\\ud83d\\ude42\u{1F642}", "open": true,
         "old": false, "none": null, "n": [1, -2.5e+3, 0, {}, []]}}}
        """

    @Test("is refused at its end, at every byte")
    func everyByte() {
        let bytes = Array(Self.text.utf8)
        for count in 0..<bytes.count {
            let error = fault(of: Array(bytes[..<count]))
            guard case .unexpectedEnd = error?.reason else {
                Issue.record("cut after \(count) bytes: \(String(describing: error))")
                continue
            }
            #expect(error?.place.offset == count)
        }
        #expect(fault(of: bytes) == nil)
    }

    @Test("asks for more at every byte as long as it is not final")
    func needsMore() throws {
        let bytes = Array(Self.text.utf8)
        for count in 0..<bytes.count {
            var reader = JSONReader()
            let last = try bytes[..<count].withUnsafeBytes { try lastToken(&reader, in: $0) }
            #expect(last == .needsMore, "cut after \(count) bytes")
            #expect(reader.consumed <= count)
        }
    }

    @Test("asks for more after a complete value, since text might follow")
    func completeValue() throws {
        var reader = JSONReader()
        let last = try Array("{} ".utf8).withUnsafeBytes { try lastToken(&reader, in: $0) }
        #expect(last == .needsMore)
        #expect(reader.discardConsumed() == 3)
        #expect(reader.offset == 3)
        let end = try reader.next(in: UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true)
        #expect(end == .end)
        #expect(try reader.next(in: UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true) == .end)
    }

    private func lastToken(
        _ reader: inout JSONReader, in buffer: UnsafeRawBufferPointer
    ) throws -> JSONToken {
        while true {
            let token = try reader.next(in: buffer, isFinal: false)
            if token == .needsMore || token == .end { return token }
        }
    }
}
