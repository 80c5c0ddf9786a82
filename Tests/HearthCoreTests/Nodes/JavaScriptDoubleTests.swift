// The SDK's arithmetic against what V8 makes of it: counts and a checksum of all that it gets wrong.
import Testing

@testable import HearthCore

@Suite("The JavaScript SDK's bits of a number")
struct JavaScriptDoubleTests {
    private func isWrong(_ value: Double) -> Bool {
        JavaScriptDouble.bitPattern(of: value) != value.bitPattern
    }

    @Test("are wrong for 219 powers of two, the same as under V8")
    func powers() {
        let wrong = (-1_022...1_023).filter {
            isWrong(Double(sign: .plus, exponent: $0, significand: 1))
        }
        #expect(wrong.count == 219)
        #expect(wrong.prefix(8) == [-1_021, -1_019, -1_017, -1_015, -1_006, -1_004, -1_002, -1_000])
        #expect(wrong.suffix(8) == [-59, -58, -55, -51, -47, -39, -31, -29])
    }

    @Test("are wrong for 72 integers just below powers of two, the same as under V8")
    func integers() {
        var wrong = 0
        for exponent in 30...53 {
            let power = Double(sign: .plus, exponent: exponent, significand: 1)
            wrong += (1..<200).filter { isWrong(power - Double($0)) }.count
        }
        #expect(wrong == 72)
    }

    @Test("are the same as under V8 next to every power of two")
    func neighbours() {
        var count = 0
        var checksum: UInt64 = 0
        for exponent in -1_022...1_023 {
            let power = Double(sign: .plus, exponent: exponent, significand: 1)
            for distance in 1..<80 as Range<UInt64> {
                let value = Double(bitPattern: power.bitPattern - distance)
                guard value >= Double.leastNormalMagnitude else { continue }
                let bits = JavaScriptDouble.bitPattern(of: value)
                guard bits != value.bitPattern else { continue }
                count += 1
                checksum = checksum &* 31 &+ bits
            }
        }
        #expect(count == 126_317)
        #expect(checksum == 8_617_953_784_522_953_347)
    }

    @Test(
        "are right at the ends and at zero",
        arguments: [0, -0.0, 0x1p-1074, 0x1p-1022, 0x1p1023, Double.greatestFiniteMagnitude, -1.5])
    func ends(value: Double) {
        #expect(JavaScriptDouble.bitPattern(of: value) == value.bitPattern)
    }
}
