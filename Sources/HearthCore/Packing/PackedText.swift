// Finding one's way in canonical text without building anything.
import HearthJSON

/// The canonical text of a value without priorities: objects everywhere, members in key order, no white
/// space, escapes and numbers as `JSONWriter` writes them, nothing empty in it. So equal values have equal
/// texts.
///
/// What is read here was written or checked by us; of other bytes it makes nonsense, but never reads beyond
/// their end.
enum PackedText {
    /// No object with a longer text is packed, and no string of more bytes.
    static let recordLimit = 1_024

    /// Where a member of an object stands in a text.
    struct Member {
        /// The first byte of the key, after its quote.
        let keyStart: Int
        /// Its closing quote.
        let keyEnd: Int
        let valueEnd: Int

        var start: Int { keyStart &- 1 }
        /// After the closing quote and the colon.
        var valueStart: Int { keyEnd &+ 2 }
    }

    /// The place behind the string whose quote stands at `quote`.
    static func endOfString(at quote: Int, in text: UnsafeRawBufferPointer) -> Int {
        var at = quote &+ 1
        while at < text.count {
            if at &+ 8 <= text.count {
                let marks = endMarks(text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                guard marks != 0 else {
                    at &+= 8
                    continue
                }
                at &+= marks.trailingZeroBitCount >> 3
            }
            let byte = text[at]
            if byte == UInt8(ascii: "\"") { return at &+ 1 }
            at &+= byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return text.count
    }

    /// The same for a string with a look at what is in it: whether all of it is ASCII and stands as it is.
    static func endOfText(at quote: Int, in text: UnsafeRawBufferPointer) -> (end: Int, isPlain: Bool) {
        var at = quote &+ 1
        var seen: UInt64 = 0
        while at &+ 8 <= text.count {
            let raw = text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            let marks = endMarks(raw)
            guard marks != 0 else {
                seen |= raw
                at &+= 8
                continue
            }
            let index = marks.trailingZeroBitCount >> 3
            guard text[at &+ index] == UInt8(ascii: "\"") else { break }
            // What stands behind the quote does not count.
            seen |= UInt64(littleEndian: raw) << UInt64(truncatingIfNeeded: 64 &- index &* 8)
            return (at &+ index &+ 1, seen & 0x8080_8080_8080_8080 == 0)
        }
        while at < text.count, text[at] != UInt8(ascii: "\\") {
            if text[at] == UInt8(ascii: "\"") { return (at &+ 1, seen & 0x8080_8080_8080_8080 == 0) }
            seen |= UInt64(text[at])
            at &+= 1
        }
        return (endOfString(at: at &- 1, in: text), false)
    }

    /// The closing quote of the key whose quote stands at `quote`, and its first word, as `Key` has it: 0 if
    /// the key is not just its bytes, as numbers, keys beyond ASCII and those with escapes. None is 0 itself.
    static func endOfKey(at quote: Int, in text: UnsafeRawBufferPointer) -> (keyEnd: Int, word: UInt64) {
        let start = quote &+ 1
        guard start &+ 8 <= text.count else { return (endOfString(at: quote, in: text) &- 1, 0) }
        let raw = text.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        let marks = endMarks(raw)
        // 8 if neither a quote nor a backslash is among the bytes.
        let count = marks.trailingZeroBitCount >> 3
        guard start &+ count < text.count, text[start &+ count] == UInt8(ascii: "\"") else {
            let keyEnd = endOfString(at: quote, in: text) &- 1
            return (keyEnd, wordOfLongKey(start..<keyEnd, in: text))
        }
        let word = UInt64(bigEndian: raw) & ~(~0 >> UInt64(truncatingIfNeeded: count &* 8))
        let isPlain = word & 0x8080_8080_8080_8080 == 0 && !mayBeNumber(start, in: text)
        return (start &+ count, isPlain ? word : 0)
    }

    /// The same word for a key that has at least eight bytes, or escapes.
    private static func wordOfLongKey(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> UInt64 {
        var seen: UInt8 = range.count < 8 || mayBeNumber(range.lowerBound, in: text) ? 0x80 : 0
        for at in range { seen |= text[at] == UInt8(ascii: "\\") ? 0x80 : text[at] }
        if seen & 0x80 != 0 { return 0 }
        return UInt64(bigEndian: text.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self))
    }

    private static func mayBeNumber(_ start: Int, in text: UnsafeRawBufferPointer) -> Bool {
        let first = text[start] == UInt8(ascii: "-") ? text[start &+ 1] : text[start]
        return first &- UInt8(ascii: "0") < 10
    }

    /// Sets the top bit of the first byte that is a quote or a backslash; later ones may be marked wrongly.
    @inline(__always)
    private static func endMarks(_ raw: UInt64) -> UInt64 {
        let word = UInt64(littleEndian: raw)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let quoteMarks = (quotes &- ones) & ~quotes
        return (quoteMarks | ((backslashes &- ones) & ~backslashes)) & 0x8080_8080_8080_8080
    }

    /// The place behind the value that begins at `start`.
    static func endOfValue(at start: Int, in text: UnsafeRawBufferPointer) -> Int {
        switch text[start] {
        case UInt8(ascii: "\""): return endOfString(at: start, in: text)
        case UInt8(ascii: "{"): return endOfObject(at: start, in: text)
        default: return endOfPlainValue(at: start, in: text)
        }
    }

    /// The comma or brace behind a number or literal.
    private static func endOfPlainValue(at start: Int, in text: UnsafeRawBufferPointer) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var at = start
        while at &+ 8 <= text.count {
            let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let commas = word ^ 0x2C2C_2C2C_2C2C_2C2C
            let braces = word ^ 0x7D7D_7D7D_7D7D_7D7D
            let marks = ((commas &- ones) & ~commas | (braces &- ones) & ~braces) & 0x8080_8080_8080_8080
            if marks != 0 { return at &+ marks.trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < text.count, text[at] != UInt8(ascii: ","), text[at] != UInt8(ascii: "}") { at &+= 1 }
        return at
    }

    private static func endOfObject(at start: Int, in text: UnsafeRawBufferPointer) -> Int {
        var at = start
        var depth = 0
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "\""):
                at = endOfString(at: at, in: text)
                continue
            case UInt8(ascii: "{"): depth &+= 1
            case UInt8(ascii: "}"):
                depth &-= 1
                if depth == 0 { return at &+ 1 }
            default: break
            }
            at &+= 1
        }
        return text.count
    }

    /// The member whose quote stands at `start`.
    @inline(__always)
    static func member(at start: Int, in text: UnsafeRawBufferPointer) -> Member {
        let keyEnd = endOfString(at: start, in: text) &- 1
        return Member(
            keyStart: start &+ 1, keyEnd: keyEnd, valueEnd: endOfValue(at: keyEnd &+ 2, in: text))
    }

    /// The member of that name in the object that is `object`.
    static func member(named key: Key, in object: UnsafeRawBufferPointer) -> Member? {
        guard let name = name(key, from: 0, in: object) else { return nil }
        return Member(
            keyStart: name.lowerBound, keyEnd: name.upperBound,
            valueEnd: endOfValue(at: name.upperBound &+ 2, in: object))
    }

    /// Where the name of a member stands, between its quotes, in the object that begins at `start`; nil if it
    /// has none of that name. What follows the object is not looked at.
    static func name(_ key: Key, from start: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
        if key.isPlain { return name(plain: key, from: start, in: text) }
        return key.withEscapedUTF8 { name($0, from: start, in: text) }
    }

    private static func name(
        _ name: UnsafeRawBufferPointer, from start: Int, in text: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        var at = start &+ 1
        while at &+ 1 < text.count {
            let keyEnd = endOfString(at: at, in: text) &- 1
            if keyEnd &- at &- 1 == name.count,
                UnsafeRawBufferPointer(rebasing: text[at &+ 1..<keyEnd]).hasSameBytes(as: name)
            {
                return at &+ 1..<keyEnd
            }
            guard let next = next(after: keyEnd &+ 2, in: text) else { return nil }
            at = next
        }
        return nil
    }

    /// The member behind the value that begins at `start`; nil if that is the last one.
    private static func next(after start: Int, in text: UnsafeRawBufferPointer) -> Int? {
        let end = endOfValue(at: start, in: text)
        return end < text.count && text[end] == UInt8(ascii: ",") ? end &+ 1 : nil
    }

    /// The same for a key that stands there as it is: its bytes are compared before it is known where the
    /// member's name ends.
    private static func name(
        plain key: Key, from start: Int, in text: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        let count = key.byteCount
        let mask: UInt64 = count < 8 ? ~(~0 >> UInt64(truncatingIfNeeded: count &* 8)) : ~0
        var at = start &+ 1
        while at &+ 1 < text.count {
            let end = at &+ 1 &+ count
            if end < text.count, text[end] == UInt8(ascii: "\""),
                text.firstWord(at: at &+ 1) & mask == key.word0,
                count < 8 || key.isPlainText(UnsafeRawBufferPointer(rebasing: text[at &+ 1..<end]))
            {
                return at &+ 1..<end
            }
            guard let next = next(after: endOfString(at: at, in: text) &+ 1, in: text) else { return nil }
            at = next
        }
        return nil
    }

    /// How many members the object has.
    static func memberCount(of object: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var at = 1
        while at &+ 1 < object.count {
            at = member(at: at, in: object).valueEnd &+ 1
            count &+= 1
        }
        return count
    }

    /// How many levels of objects the value has, itself included.
    static func levels(of value: UnsafeRawBufferPointer) -> Int {
        var at = 0
        var depth = 0
        var deepest = 0
        while at < value.count {
            switch value[at] {
            case UInt8(ascii: "\""):
                at = endOfString(at: at, in: value)
                continue
            case UInt8(ascii: "{"):
                depth &+= 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"): depth &-= 1
            default: break
            }
            at &+= 1
        }
        return deepest
    }

    /// Whether an object in the text has a first key that begins with a digit: only those may read as
    /// arrays. In a string a quote never follows a brace without a backslash between them.
    static func mayHaveArrays(_ text: UnsafeRawBufferPointer) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var at = 0
        while at &+ 2 < text.count {
            if at &+ 8 <= text.count {
                let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let braces = word ^ 0x7B7B_7B7B_7B7B_7B7B
                let marks = (braces &- ones) & ~braces & 0x8080_8080_8080_8080
                guard marks != 0 else {
                    at &+= 8
                    continue
                }
                at &+= marks.trailingZeroBitCount >> 3
                guard at &+ 2 < text.count else { return false }
            }
            if text[at] == UInt8(ascii: "{"), text[at &+ 1] == UInt8(ascii: "\""),
                text[at &+ 2] &- UInt8(ascii: "0") < 10
            {
                return true
            }
            at &+= 1
        }
        return false
    }
}

extension PackedText {
    /// The key between two quotes.
    static func key(_ raw: UnsafeRawBufferPointer) -> Key {
        if let key = Key(plain: raw) { return key }
        guard raw.contains(UInt8(ascii: "\\")) else { return Key(checked: raw) }
        var bytes: [UInt8] = []
        JSONText(wellFormed: 0..<raw.count, hasEscapes: true).append(to: &bytes, in: raw)
        return bytes.withUnsafeBytes { Key(checked: $0) }
    }

    /// Whether a value with that canonical text may stand in a packed page.
    static func isPackable(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.count <= recordLimit { return true }
        return text[0] == UInt8(ascii: "\"") && Node(leaf(text)).isPackable
    }

    /// The leaf that a text says which is not an object.
    static func leaf(_ text: UnsafeRawBufferPointer) -> Leaf {
        switch text[0] {
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "\""):
            let raw = UnsafeRawBufferPointer(rebasing: text[1..<text.count &- 1])
            let hasEscapes = raw.contains(UInt8(ascii: "\\"))
            return .string(JSONText(wellFormed: 0..<raw.count, hasEscapes: hasEscapes).string(in: raw))
        default: return number(text)
        }
    }

    private static func number(_ text: UnsafeRawBufferPointer) -> Leaf {
        let isNegative = text[0] == UInt8(ascii: "-")
        var value: Int64 = 0
        var at = isNegative ? 1 : 0
        while at < text.count, at < 18, text[at] &- UInt8(ascii: "0") < 10 {
            value = value &* 10 &+ Int64(text[at] &- UInt8(ascii: "0"))
            at &+= 1
        }
        if at == text.count { return .integer(isNegative ? -value : value) }
        do throws(JSONError) {
            switch try JSONNumber(text) {
            case .integer(let value): return .integer(value)
            case .double(let value): return Leaf(number: value)
            }
        } catch {
            preconditionFailure("packed text holds a number that is none")
        }
    }

    /// The node that a value's text says; `bytes` are kept if it is an object.
    @inline(__always)
    static func node(
        _ start: Int, _ end: Int, in text: UnsafeRawBufferPointer, of bytes: [UInt8]
    ) -> Node {
        text[start] == UInt8(ascii: "{")
            ? Node(storage: .packed(PackedRecord(bytes, start, end)))
            : Node(storage: .leaf(leaf(UnsafeRawBufferPointer(rebasing: text[start..<end]))))
    }
}

extension UnsafeRawBufferPointer {
    /// The next eight bytes, as keys have them; zeros stand behind the end.
    @inline(__always)
    fileprivate func firstWord(at start: Int) -> UInt64 {
        start &+ 8 <= count
            ? UInt64(bigEndian: loadUnaligned(fromByteOffset: start, as: UInt64.self))
            : (start..<count).reduce(0) { $0 << 8 | UInt64(self[$1]) } << UInt64(64 &- 8 &* (count &- start))
    }
}

extension Key {
    /// Calls `body` with the key as it stands between quotes in canonical text.
    @inline(__always)
    func withEscapedUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUTF8 { raw in
            guard Key.needsEscapes(raw) else { return body(raw) }
            var escaped: [UInt8] = []
            JSONEscapes.minimal.append(raw, to: &escaped)
            return escaped.withUnsafeBytes(body)
        }
    }

    /// Control characters are not allowed in keys.
    @inline(__always)
    private static func needsEscapes(_ raw: UnsafeRawBufferPointer) -> Bool {
        var found = false
        for byte in raw { found = found || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        return found
    }

    /// Whether the key lies in its words as it stands between quotes in canonical text: short, no number, and
    /// ASCII without quotes and backslashes.
    @inline(__always)
    var isPlain: Bool {
        guard spill == nil, !isIntegerLike else { return false }
        let marks =
            word0 | word1 | word2 | Key.escapeMarks(word0) | Key.escapeMarks(word1) | Key.escapeMarks(word2)
        return marks & 0x8080_8080_8080_8080 == 0
    }

    /// Sets top bits if a quote or a backslash is among the bytes.
    @inline(__always)
    private static func escapeMarks(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
    }

    /// Whether the bytes between two quotes are those of this key, which is plain, and the first eight of
    /// both are the same.
    @inline(__always)
    func isPlainText(_ raw: UnsafeRawBufferPointer) -> Bool {
        raw.count == byteCount && Key.word(raw, at: 8) == word1 && Key.word(raw, at: 16) == word2
    }
}
