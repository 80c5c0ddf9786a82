// Which part of a file a Range means.
import HearthWire
import Testing

@Suite("A range of bytes")
struct ByteRangeTests {
    @Test(
        "means a part, all, or nothing that is there",
        arguments: [
            (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-99", .part(0..<10)),
            ("bytes=3-5", .part(3..<6)), ("Bytes=9-", .part(9..<10)), ("bytes=-1", .part(9..<10)),
            ("bytes=-99", .part(0..<10)), ("bytes=10-", .unsatisfiable), ("bytes=10-12", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-3", .whole), ("bytes=-", .whole), ("bytes=", .whole),
            ("bytes=0-1,3-4", .whole), ("bytes=a-b", .whole), ("bytes=0-+4", .whole), ("items=0-4", .whole),
            ("bytes=--4", .whole), ("bytes=0-99999999999999999999", .part(0..<10)),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes= 0-4", .whole),
        ] as [(String?, ByteRange)])
    func reading(text: String?, range: ByteRange) {
        #expect(ByteRange(text, size: 10) == range)
    }

    @Test(
        "of an empty file is all of it, or nothing that is there",
        arguments: [
            (nil, .whole), ("bytes=0-", .unsatisfiable), ("bytes=0-5", .unsatisfiable),
            ("bytes=-5", .unsatisfiable),
        ] as [(String?, ByteRange)])
    func empty(text: String?, range: ByteRange) {
        #expect(ByteRange(text, size: 0) == range)
    }
}
