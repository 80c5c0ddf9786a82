// Which characters one place of a pattern takes.

/// A set of Unicode scalars: a bitmap for ASCII, ranges for all others.
struct CharacterSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var ranges: [ClosedRange<UInt32>] = []
    private var isNegated = false

    /// No character.
    init() {}

    /// One character.
    init(_ scalar: UInt32) {
        insert(scalar...scalar)
    }

    /// Adds characters.
    ///
    /// - Complexity: O(1) amortised; 128 steps within ASCII.
    mutating func insert(_ range: ClosedRange<UInt32>) {
        if range.lowerBound < 128 {
            for scalar in range.lowerBound...min(range.upperBound, 127) { insertASCII(scalar) }
        }
        if range.upperBound >= 128 { ranges.append(max(range.lowerBound, 128)...range.upperBound) }
    }

    private mutating func insertASCII(_ scalar: UInt32) {
        if scalar < 64 { low |= 1 << UInt64(scalar) } else { high |= 1 << UInt64(scalar - 64) }
    }

    /// Adds the characters of another set.
    mutating func insert(_ other: CharacterSet) {
        guard other.isNegated else {
            low |= other.low
            high |= other.high
            ranges += other.ranges
            return
        }
        low |= ~other.low
        high |= ~other.high
        var next: UInt32 = 128
        for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if next < range.lowerBound { ranges.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10FFFF { ranges.append(next...0x10FFFF) }
    }

    /// All characters that are not in this set.
    var inverted: CharacterSet {
        var inverted = self
        inverted.isNegated.toggle()
        return inverted
    }

    /// Adds, of every ASCII letter, the other case; `contains(_:ignoringCase:)` sees to all others.
    mutating func foldASCII() {
        let capitals = high & 0x0000_0000_07FF_FFFE
        let smalls = high & 0x07FF_FFFE_0000_0000
        high |= capitals << 32 | smalls >> 32
    }

    /// Whether a character is in the set.
    @inline(__always)
    func contains(_ scalar: UInt32, ignoringCase: Bool) -> Bool {
        if scalar < 64 { return (low >> UInt64(scalar) & 1 == 1) != isNegated }
        if scalar < 128 { return (high >> UInt64(scalar - 64) & 1 == 1) != isNegated }
        return containsBeyondASCII(scalar, ignoringCase: ignoringCase)
    }

    /// Which ASCII characters are in the set: one bit for each, the lowest first.
    var asciiWords: [UInt64] { isNegated ? [~low, ~high] : [low, high] }

    private func containsBeyondASCII(_ scalar: UInt32, ignoringCase: Bool) -> Bool {
        if ranges.contains(where: { $0.contains(scalar) }) { return !isNegated }
        guard ignoringCase, let exact = UnicodeScalar(scalar) else { return isNegated }
        for text in [exact.properties.lowercaseMapping, exact.properties.uppercaseMapping] {
            guard let other = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { continue }
            let found =
                other.isASCII
                ? contains(other.value, ignoringCase: false) != isNegated
                : ranges.contains { $0.contains(other.value) }
            if found { return !isNegated }
        }
        return isNegated
    }
}

extension CharacterSet {
    /// `.`: everything but line breaks.
    static let anyInLine = CharacterSet(of: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).inverted
    /// `\d`.
    static let digits = CharacterSet(of: [0x30...0x39])
    /// `\w`.
    static let wordCharacters = CharacterSet(of: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`: what JavaScript takes for white space.
    static let whiteSpace = CharacterSet(of: [
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])

    private init(of ranges: [ClosedRange<UInt32>]) {
        for range in ranges { insert(range) }
    }
}
