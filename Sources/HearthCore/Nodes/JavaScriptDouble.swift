// How the JavaScript SDK writes a number into a hash, mistakes included (wire-protocol.md §7.2).

/// The bits that the JavaScript SDK takes a number for when it hashes it.
///
/// It finds the exponent as `floor(log(v) / LN2)`, which is off by one just below some powers of two and at
/// many powers of two themselves. A transaction over such a number could never succeed if only the right
/// bits counted. The logarithm is that of V8 and SpiderMonkey, whose last bit decides.
enum JavaScriptDouble {
    /// The 64 bits that the SDK writes for `value`; mostly those that it has.
    ///
    /// - Precondition: `value` is finite.
    static func bitPattern(of value: Double) -> UInt64 {
        let magnitude = value.magnitude
        guard magnitude >= Double.leastNormalMagnitude else { return value.bitPattern }
        let exponent = min((logarithm(magnitude) / ln2).rounded(.down), bias)
        let scaled = magnitude * power(52 - Int(exponent)) - 0x1p52
        // Of very small numbers nothing is left. Math.round rounds halves up. A fraction below zero keeps
        // its bits in two's complement.
        let rounded = scaled.isFinite ? Int64((scaled + 0.5).rounded(.down)) : 0
        let fraction = UInt64(bitPattern: rounded) & 0xF_FFFF_FFFF_FFFF
        let sign: UInt64 = value < 0 ? 1 << 63 : 0
        return sign | UInt64(exponent + bias) << 52 | fraction
    }

    private static let bias = 1_023.0
    /// JavaScript's `Math.LN2`.
    private static let ln2 = 0.693147180559945309417232121458

    /// Two to the power of `exponent`, infinite where no double holds it.
    private static func power(_ exponent: Int) -> Double {
        exponent > 1_023 ? .infinity : Double(sign: .plus, exponent: exponent, significand: 1)
    }

    private static let ln2High = Double(bitPattern: 0x3FE6_2E42_FEE0_0000)
    private static let ln2Low = Double(bitPattern: 0x3DEA_39EF_3579_3C76)
    /// The coefficients of the approximation, from z to z⁷.
    private static let terms = [
        0x3FE5_5555_5555_5593, 0x3FD9_9999_9997_FA04, 0x3FD2_4924_9422_9359, 0x3FCC_71C5_1D8E_78AF,
        0x3FC7_4664_96CB_03DE, 0x3FC3_9A09_D078_C69F, 0x3FC2_F112_DF3E_5244,
    ].map { Double(bitPattern: $0) }

    /// The natural logarithm of a normal number as FreeBSD's `msun` computes it (`e_log.c`), operation for
    /// operation.
    private static func logarithm(_ value: Double) -> Double {
        let high = Int(value.bitPattern >> 32)
        let top = high & 0xF_FFFF
        let carry = (top + 0x95F64) & 0x10_0000
        let count = Double((high >> 20) - 1_023 + (carry >> 20))
        let word = UInt64(top | (carry ^ 0x3FF0_0000)) << 32 | value.bitPattern & 0xFFFF_FFFF
        let f = Double(bitPattern: word) - 1
        if 0xF_FFFF & (2 + top) < 3 { return logarithm(nearOne: f, count) }
        let s = f / (2 + f)
        let z = s * s
        let w = z * z
        let even = w * (terms[1] + w * (terms[3] + w * terms[5]))
        let odd = z * (terms[0] + w * (terms[2] + w * (terms[4] + w * terms[6])))
        let rest = odd + even
        if (top - 0x6147A) | (0x6B851 - top) > 0 {
            let half = 0.5 * f * f
            guard count != 0 else { return f - (half - s * (f + rest)) }
            return count * ln2High - ((half - (s * (f + rest) + count * ln2Low)) - f)
        }
        guard count != 0 else { return f - s * (f - rest) }
        return count * ln2High - ((s * (f - rest) - count * ln2Low) - f)
    }

    private static func logarithm(nearOne f: Double, _ count: Double) -> Double {
        if f == 0 { return count == 0 ? 0 : count * ln2High + count * ln2Low }
        let rest = f * f * (0.5 - 0.33333333333333333 * f)
        return count == 0 ? f - rest : count * ln2High - ((rest - count * ln2Low) - f)
    }
}
