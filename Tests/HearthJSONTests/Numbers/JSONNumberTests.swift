// Numbers from text and to text, against tables, the standard library and each other.
import HearthJSON
import HearthTesting
import Testing

/// Reads a number by itself.
private func number(_ text: String) throws -> JSONNumber {
    try Array(text.utf8).withUnsafeBytes { try JSONNumber($0) }
}

private func text(_ value: Double) -> String {
    var bytes: [UInt8] = []
    JSONNumber.append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

private func text(_ value: Int64) -> String {
    var bytes: [UInt8] = []
    JSONNumber.append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("A number read")
struct NumberReadingTests {
    @Test(
        "is an integer as long as it is written as one and fits 64 bits",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-1", -1), ("1700000000000", 1_700_000_000_000),
            ("9007199254740993", 9_007_199_254_740_993), ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
        ])
    func integers(text: String, value: Int64) throws {
        #expect(try number(text) == .integer(value))
    }

    @Test(
        "is a double otherwise",
        arguments: [
            ("9223372036854775808", 0x1p63), ("-9223372036854775809", -0x1p63),
            ("18446744073709551616", 0x1p64),
            ("9999999999999999999", 1e19), ("99999999999999999999", 1e20), ("1.0", 1), ("1e0", 1),
            ("-2.50", -2.5),
            ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23), ("123456789012345678e-30", 123456789012345678e-30),
            ("9007199254740993.0", 9_007_199_254_740_992),
            ("9007199254740993.0000000000001", 9_007_199_254_740_994),
            ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
            ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown),
            ("2.2250738585072014e-308", Double.leastNormalMagnitude),
            ("4.9e-324", Double.leastNonzeroMagnitude),
            ("1.797693134862315807e308", Double.greatestFiniteMagnitude),
            ("0.000000000000000000000000000000000000001e39", 1), ("1000000000000000000000000000000e-30", 1),
            ("0e999999999999999999999", 0), ("0.0e-5", 0), ("1e-999999999999999999999", 0), ("-1e-400", 0),
            ("2e-324", 0),
            ("-0.0", 0), ("-0e1", 0),
        ])
    func doubles(text: String, value: Double) throws {
        #expect(try number(text) == .double(value))
        #expect(try number(text).description.hasPrefix("-") == (value < 0))
    }

    @Test(
        "beyond the doubles is refused",
        arguments: ["1e309", "-1e309", "1e99999999999999999999", "1.7976931348623159e308"])
    func outOfRange(text: String) {
        #expect(throws: JSONError.self) { try number(text) }
        #expect(fault(of: text)?.reason == .numberOutOfRange)
    }

    @Test(
        "by itself must be the whole text",
        arguments: ["", " 1", "1 ", "1,", "--1", "-", "1e", "0x1", "01", "1_000"])
    func whole(text: String) {
        #expect(throws: JSONError.self) { try number(text) }
    }

    @Test("is the nearest double to any digits, as the standard library finds it")
    func random() throws {
        var random = SeededRandom(for: "numbers read")
        for _ in 0..<20_000 {
            let text = randomNumber(&random)
            guard let expected = Double(text), expected.isFinite else {
                #expect(throws: JSONError.self, "\(text)") { try number(text) }
                continue
            }
            switch try number(text) {
            case .integer(let value): if Int64(text) != value { Issue.record("\(text) became \(value)") }
            case .double(let value):
                if value != expected || value.sign == .minus && value == 0 || Int64(text) != nil {
                    Issue.record("\(text) became \(value)")
                }
            }
        }
    }

    private func randomNumber(_ random: inout SeededRandom) -> String {
        func digits(_ most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in
                "\(Int.random(in: 0...9, using: &random))"
            }.joined()
        }
        var text = random.oneIn(2) ? "-" : ""
        text +=
            random.oneIn(4)
            ? "0" : "\(Int.random(in: 1...9, using: &random))" + digits(random.oneIn(4) ? 30 : 16)
        if random.oneIn(2) { text += "." + digits(random.oneIn(4) ? 30 : 8) }
        if random.oneIn(3) {
            text += ["e", "E", "e+", "e-", "E-"][Int.random(in: 0..<5, using: &random)] + digits(3)
        }
        return text
    }
}

@Suite("A number written")
struct NumberWritingTests {
    /// From ECMA-262, Number::toString, and what a JavaScript engine prints.
    static let table: [(Double, String)] = [
        (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (1.5, "1.5"), (-0.5, "-0.5"), (100, "100"), (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"), (1.0 / 3, "0.3333333333333333"), (123.456, "123.456"),
        (1e15, "1000000000000000"), (1e16, "10000000000000000"),
        (1.2345678901234568e20, "123456789012345680000"),
        (1e20, "100000000000000000000"), (9.999999999999999e20, "999999999999999900000"), (1e21, "1e+21"),
        (1.5e21, "1.5e+21"), (-1e21, "-1e+21"), (1.234e30, "1.234e+30"), (0.001, "0.001"),
        (0.00001, "0.00001"),
        (0.000001, "0.000001"), (0.00000123, "0.00000123"), (1e-7, "1e-7"), (1.23e-7, "1.23e-7"),
        (-1e-7, "-1e-7"),
        (1e100, "1e+100"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        (.leastNonzeroMagnitude, "5e-324"),
        (2.2250738585072014e-308, "2.2250738585072014e-308"), (9007199254740991, "9007199254740991"),
        (9007199254740992, "9007199254740992"), (9007199254740994, "9007199254740994"),
        (0x1p63, "9223372036854776000"),
        (-0x1p63, "-9223372036854776000"), (4294967296.5, "4294967296.5"), (1700000000000, "1700000000000"),
        (12345.678e10, "123456780000000"), (0.1e-5, "0.000001"), (9.5e-7, "9.5e-7"), (123e-20, "1.23e-18"),
        (48.13743, "48.13743"), (5e20, "500000000000000000000"), (1.0000000000000002, "1.0000000000000002"),
    ]

    @Test("has JavaScript's form", arguments: table)
    func forms(value: Double, expected: String) {
        #expect(text(value) == expected)
    }

    @Test("reads back as itself, with no more digits than the standard library needs")
    func roundTrip() throws {
        var random = SeededRandom(for: "doubles written")
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let written = text(value)
            if Double(written) != value { Issue.record("\(value) became \(written)") }
            if case .double(let again) = try number(written), again != value {
                Issue.record("\(written) was \(value)")
            }
            if significant(written) != significant(value.description) {
                Issue.record("\(value) became \(written)")
            }
        }
    }

    @Test("is an integer in decimal up to both ends of 64 bits")
    func integers() {
        var random = SeededRandom(for: "integers written")
        for value in [0, 1, -1, 9, 10, 99, 100, Int64.max, Int64.min, Int64.max / 10] {
            #expect(text(value) == "\(value)")
        }
        for _ in 0..<10_000 {
            let value = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
            if text(value) != "\(value)" { Issue.record("\(value) became \(text(value))") }
        }
    }

    @Test("has its exponent at the right end of every decade")
    func decades() {
        for exponent in -323...308 {
            guard let value = Double("1e\(exponent)") else { continue }
            let written = text(value)
            switch exponent {
            case ..<(-6): #expect(written == "1e\(exponent)")
            case ..<0: #expect(written == "0." + String(repeating: "0", count: -exponent - 1) + "1")
            case ..<21: #expect(written == "1" + String(repeating: "0", count: exponent))
            default: #expect(written == "1e+\(exponent)")
            }
        }
    }

    /// The digits of a number without the zeros around them.
    private func significant(_ text: String) -> Substring {
        let digits = text.prefix { $0 != "e" }.filter(\.isNumber)
        return Substring(digits).trimmingZeros
    }
}

extension Substring {
    fileprivate var trimmingZeros: Substring {
        var rest = drop { $0 == "0" }
        while rest.last == "0" { rest.removeLast() }
        return rest
    }
}
