// What a child is ordered by, kept so that comparing two values is comparing integers.

/// An ordered value in three words, big-endian, whose order as integers is the order of the values.
///
///     ┌────┬─────────────────────────────────────────────┐
///     │kind│ zeros                                       │   nothing < false < true; objects: last
///     ├────┼────────────────────────────┬────────────────┤
///     │kind│ the double at or below, u64│ what is above  │   numbers, by their exact values
///     ├────┼────────────────────────────┴────────────────┤
///     │kind│ the first 23 bytes of UTF-8, order-mapped   │   texts, as keys are mapped
///     └────┴─────────────────────────────────────────────┘
///
/// A text that is longer, or that has a zero byte, is carried whole beside its words.
struct OrderedValue: Sendable {
    /// The bytes of text that the words hold.
    static let inlineByteCount = 23

    let word0: UInt64
    let word1: UInt64
    let word2: UInt64
    /// The text, if the words do not say all of it.
    let long: LongText?

    /// A text that does not fit the words.
    final class LongText: Sendable {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    private enum Kind {
        static let null: UInt64 = 0
        static let `false`: UInt64 = 1
        static let `true`: UInt64 = 2
        static let number: UInt64 = 3
        static let text: UInt64 = 4
        static let object: UInt64 = 5
    }

    init(_ value: Query.Value) {
        switch value {
        case .null: self.init(kind: Kind.null)
        case .object: self.init(kind: Kind.object)
        case .leaf(.bool(let value)): self.init(kind: value ? Kind.true : Kind.false)
        case .leaf(.integer(let value)): self.init(integer: value)
        case .leaf(.double(let value)): self.init(number: value, above: 0)
        case .leaf(.string(let text)): self.init(text)
        }
    }

    init(word0: UInt64, word1: UInt64, word2: UInt64, long: LongText?) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.long = long
    }

    private init(kind: UInt64) {
        self.init(word0: kind << 56, word1: 0, word2: 0, long: nil)
    }

    private init(integer value: Int64) {
        var below = Double(value)
        if below >= 0x1p63 || Int64(below) > value { below = below.nextDown }
        self.init(number: below, above: UInt64(value &- Int64(below)))
    }

    private init(number: Double, above: UInt64) {
        let bits = number.bitPattern
        let ascending = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        self.init(
            word0: Kind.number << 56 | ascending >> 8, word1: ascending << 56 | above, word2: 0, long: nil)
    }

    private init(_ text: String) {
        var copy = text
        let (words, fits) = copy.withUTF8 { OrderedValue.words(UnsafeRawBufferPointer($0)) }
        self.init(
            word0: Kind.text << 56 | words.0 >> 8, word1: words.1, word2: words.2,
            long: fits ? nil : LongText(text))
    }

    private static func words(
        _ bytes: UnsafeRawBufferPointer
    ) -> (words: (UInt64, UInt64, UInt64), fits: Bool) {
        let words = (Key.word(bytes, at: 0), Key.word(bytes, at: 7), Key.word(bytes, at: 15))
        return (words, bytes.count <= inlineByteCount && !bytes.contains(0))
    }
}

extension OrderedValue {
    /// The place in the order of values.
    @inline(__always)
    func ordering(to other: OrderedValue) -> Ordering {
        if word0 != other.word0 { return word0 < other.word0 ? .ascending : .descending }
        if word1 != other.word1 { return word1 < other.word1 ? .ascending : .descending }
        if word2 != other.word2 { return word2 < other.word2 ? .ascending : .descending }
        return long == nil && other.long == nil ? .same : Ordering(utf16: text, other.text)
    }

    /// The value that this is.
    var value: Query.Value {
        switch word0 >> 56 {
        case Kind.null: .null
        case Kind.false: .leaf(.bool(false))
        case Kind.true: .leaf(.bool(true))
        case Kind.number: .leaf(number)
        case Kind.text: .leaf(.string(text))
        default: .object
        }
    }

    private var number: Leaf {
        let ascending = word0 << 8 | word1 >> 56
        let double = Double(bitPattern: ascending >> 63 == 1 ? ascending ^ 1 << 63 : ~ascending)
        guard let whole = Int64(exactly: double) else { return .double(double) }
        return .integer(whole + Int64(word1 & (1 << 56 - 1)))
    }

    private var text: String {
        if let long { return long.text }
        let words = (
            (word0 << 8 | word1 >> 56).bigEndian, (word1 << 8 | word2 >> 56).bigEndian, (word2 << 8).bigEndian
        )
        return withUnsafeBytes(of: words) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }.lazy.map(Key.unmapped), as: UTF8.self)
        }
    }
}

extension OrderedValue: Hashable {
    static func == (left: OrderedValue, right: OrderedValue) -> Bool {
        left.ordering(to: right) == .same
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(word0)
        hasher.combine(word1)
        hasher.combine(word2)
    }
}
