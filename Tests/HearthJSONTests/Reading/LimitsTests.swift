// What a reader refuses although the grammar allows it, and that refusing is cheap.
import HearthJSON
import Testing

@Suite("A limit")
struct LimitsTests {
    @Test("of depth lets exactly so many levels be open")
    func depth() {
        let limits = JSONLimits(depth: 3)
        #expect(fault(of: "[[[1]]]", limits: limits) == nil)
        #expect(
            fault(of: "[{\"a\":[{}]}]", limits: limits)?.description
                == "line 1, column 8: more than 3 objects and arrays inside each other")
        #expect(fault(of: "[[[]],[[]]]", limits: limits) == nil)
    }

    @Test("of depth stops a million brackets at once", arguments: ["[", "{\"a\":", "[{\"a\":"])
    func brackets(open: String) {
        let text = String(repeating: open, count: 1_000_000)
        let error = fault(of: text)
        #expect(error?.reason == .tooDeep(limit: 1_000))
        #expect((error?.place.offset ?? .max) < 6_000)
    }

    @Test(
        "of depth can be far beyond one word of levels", arguments: [63, 64, 65, 127, 128, 129, 999, 1_000])
    func levels(count: Int) {
        let text =
            String(repeating: "[{\"a\":", count: count / 2) + "0" + String(repeating: "}]", count: count / 2)
        #expect(fault(of: text) == nil)
        #expect(read(text).count == count / 2 * 5 + 2)
        let wrong =
            String(repeating: "[{\"a\":", count: count / 2) + "0" + String(repeating: "]}", count: count / 2)
        #expect(fault(of: wrong)?.reason == .unexpected(byte: UInt8(ascii: "]"), expected: .commaOrObjectEnd))
    }

    @Test("of keys counts the bytes that they say")
    func keys() {
        let limits = JSONLimits(keyBytes: 4, stringBytes: 1)
        #expect(fault(of: "{\"abcd\":1}", limits: limits) == nil)
        #expect(fault(of: "{\"\\u0061\\u0062cd\":1}", limits: limits) == nil)
        #expect(fault(of: "{\"\\u00e9\\u00e9\":1}", limits: limits) == nil)
        #expect(fault(of: "{\"\\ud83d\\ude42\":1}", limits: limits) == nil)
        #expect(
            fault(of: "{ \"abcde\":1}", limits: limits)?.description
                == "line 1, column 3: the key is longer than 4 bytes")
        #expect(fault(of: "{\"\\u00e9\\u00e9\\n\":1}", limits: limits)?.reason == .keyTooLong(limit: 4))
        #expect(fault(of: "{\"\u{E9}\u{E9}.\":1}", limits: limits)?.reason == .keyTooLong(limit: 4))
    }

    @Test("of strings leaves keys alone")
    func strings() {
        let limits = JSONLimits(keyBytes: 9, stringBytes: 2)
        #expect(fault(of: "{\"abcd\":\"ab\"}", limits: limits) == nil)
        #expect(
            fault(of: "{\"abcd\":\"abc\"}", limits: limits)?.description
                == "line 1, column 9: the string is longer than 2 bytes")
        #expect(fault(of: "\"\u{1F642}\"", limits: limits)?.reason == .stringTooLong(limit: 2))
    }

    @Test("of a string stops it before it has arrived")
    func endless() throws {
        let limits = JSONLimits(stringBytes: 5_000)
        var reader = JSONReader(limits: limits)
        var text = [UInt8(ascii: "\"")] + [UInt8](repeating: UInt8(ascii: "a"), count: 5_000)
        let token = try text.withUnsafeBytes { try reader.next(in: $0, isFinal: false) }
        #expect(token == .needsMore)
        text.append(UInt8(ascii: "a"))
        #expect(throws: JSONError.self) {
            try text.withUnsafeBytes { _ = try reader.next(in: $0, isFinal: false) }
        }
    }

    @Test("of the whole text counts white space, whole or in chunks")
    func total() {
        let limits = JSONLimits(totalBytes: 10)
        #expect(
            fault(of: "[1, 2,   ]", limits: limits)?.reason
                == .unexpected(byte: UInt8(ascii: "]"), expected: .value))
        #expect(fault(of: "[1, 2, 34]", limits: limits) == nil)
        #expect(fault(of: "[1, 2, 345]", limits: limits)?.reason == .textTooLong(limit: 10))
        #expect(fault(of: "[1]\n        ", limits: limits)?.reason == .textTooLong(limit: 10))
        let spaces = Array(repeating: [UInt8(ascii: " ")], count: 100)
        #expect(read(spaces, limits: limits).count == 1)
        let string = Array("\"aaaaaaaaaaaaaaaa".utf8).map { [$0] }
        guard case .fault(let error) = read(string, limits: limits).first else {
            Issue.record("nothing was refused")
            return
        }
        #expect(error.reason == .textTooLong(limit: 10))
    }

    @Test("of numbers is beyond the exact form of every double")
    func numbers() {
        let smallest =
            "0." + String(repeating: "0", count: 323) + "494065645841246544176568792868221372365059802614"
        #expect(read(smallest) == [.double(.leastNonzeroMagnitude), .end])
        #expect(
            read("1" + String(repeating: "0", count: 4_095))
                == [.fault(fault(of: "1e999") ?? fallback)])
        #expect(
            fault(of: "[1" + String(repeating: "0", count: 4_096))?.description
                == "line 1, column 2: the number is written with more than 4096 bytes")
        #expect(read("0." + String(repeating: "0", count: 4_000) + "1e4001") == [.double(1), .end])
    }

    private var fallback: JSONError { preconditionFailure("1e999 is out of range") }

    @Test("of strings lets ten megabytes through, whole or in small chunks")
    func hugeString() {
        let run = String(repeating: "a", count: 50_000)
        let text = "\"" + String(repeating: run + "caf\u{E9} \\n", count: 200) + "\""
        let expected = String(repeating: run + "caf\u{E9} \n", count: 200)
        #expect(read(text) == [.string(expected), .end])
        let bytes = Array(text.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 997).map {
            Array(bytes[$0..<min($0 + 997, bytes.count)])
        }
        #expect(read(pieces) == [.string(expected), .end])
    }
}
