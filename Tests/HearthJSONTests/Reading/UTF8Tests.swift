// Bytes beyond ASCII: exactly the well-formed sequences of the Unicode standard pass.
import HearthJSON
import HearthTesting
import Testing

@Suite("UTF-8 in strings")
struct UTF8Tests {
    static let wellFormed: [[UInt8]] = [
        [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xE1, 0x80, 0x80], [0xEC, 0xBF, 0xBF],
        [0xED, 0x80, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
        [0xF0, 0x90, 0x80, 0x80],
        [0xF3, 0xBF, 0xBF, 0xBF], [0xF4, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
    ]
    static let illFormed: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2, 0x7F], [0xC2, 0xC0], [0xC2], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x7F], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xEF, 0xBF, 0xC0], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80],
        [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    private func quoted(_ bytes: [UInt8], after padding: Int) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        return [quote] + Array(repeating: UInt8(ascii: "a"), count: padding) + bytes + [quote]
    }

    @Test("passes at every boundary, at every place in a word", arguments: wellFormed)
    func passes(bytes: [UInt8]) throws {
        for padding in 0..<9 {
            let text = quoted(bytes, after: padding)
            let expected = String(repeating: "a", count: padding) + String(decoding: bytes, as: UTF8.self)
            try verifyChunked(text, yields: [.string(expected), .end], copies: 1) { read($0) }
        }
    }

    @Test("is refused where it is not well-formed, at the place of the character", arguments: illFormed)
    func refused(bytes: [UInt8]) throws {
        for padding in 0..<9 {
            let text = quoted(bytes, after: padding)
            let error = try #require(fault(of: text))
            #expect(error.reason == .invalidUTF8)
            #expect(error.place.column == padding + 2)
            try verifyChunked(text, yields: [.fault(error)], copies: 1) { read($0) }
        }
    }

    @Test("passes exactly where the standard library takes it, for all pairs of bytes and more")
    func oracle() {
        let edges: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF4, 0xFF]
        for first in UInt8(0x80)...0xFF {
            for second in UInt8(0x20)...0xFF where second != 0x22 && second != 0x5C {
                compare([first, second])
                guard edges.contains(second) else { continue }
                for third in edges {
                    compare([first, second, third])
                    compare([first, second, third, 0x80])
                }
            }
        }
    }

    private func compare(_ bytes: [UInt8]) {
        let isSound = String(validating: bytes, as: UTF8.self) != nil
        let isTaken = fault(of: quoted(bytes, after: 0)) == nil
        if isSound != isTaken { Issue.record("\(bytes): sound \(isSound), taken \(isTaken)") }
    }
}
