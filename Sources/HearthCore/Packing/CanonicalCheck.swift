// Text that is canonical already: checked where it stands, so that it can be kept as it is.
import HearthJSON

/// Looks whether JSON is as `PackedText` has it, in one pass that writes nothing.
///
/// It says yes only to what it understands fully; of what it leaves, others find out what it is.
struct CanonicalCheck {
    /// A key that was met at some place of an object. Nearly all objects of a list are alike.
    struct KnownKey {
        /// Quotes, key and colon, as they lie in memory.
        var text: (UInt64, UInt64) = (0, 0)
        /// The bits of these words that count.
        var masks: (UInt64, UInt64) = (0, 0)
        /// With quotes and colon; 0 if no key is known.
        var byteCount = 0
        /// See `Name.word`.
        var word: UInt64 = 0
    }

    /// Where a key stands between its quotes.
    struct Name {
        var start: Int
        var end: Int
        /// The first eight bytes in their order; 0 if the key may be an integer or has escapes.
        var word: UInt64
        var hasEscapes = false
    }

    /// How many keys of an object are remembered.
    static let knownKeyCount = 16

    let text: UnsafeRawPointer
    /// The place behind the last byte.
    let end: Int
    /// Room for `knownKeyCount` keys, by their place in the object.
    let known: UnsafeMutablePointer<KnownKey>
    let limits: JSONLimits
    /// Strings that are not at their end here are not looked at further.
    var stop: Int
    var at: Int
    /// UTF-8 continuation bytes that were read, which are no columns of their own.
    var continuations = 0
    /// Keys since the object began, in all its levels.
    var place = 0

    init(
        _ buffer: UnsafeRawBufferPointer, at start: Int, limits: JSONLimits,
        known: UnsafeMutablePointer<KnownKey>
    ) {
        // An empty buffer is never looked into.
        text = buffer.baseAddress ?? UnsafeRawPointer(known)
        end = buffer.count
        stop = buffer.count
        at = start
        self.limits = limits
        self.known = known
    }

    @inline(__always)
    func byte(_ place: Int) -> UInt8 { text.load(fromByteOffset: place, as: UInt8.self) }

    @inline(__always)
    func word(_ place: Int) -> UInt64 {
        UInt64(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    @inline(__always)
    func raw(_ name: Name) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text + name.start, count: name.end &- name.start)
    }

    /// Reads the object whose brace comes next, of at most so many levels.
    mutating func object(levels: Int) -> Bool {
        guard levels > 0 else { return false }
        at &+= 1
        guard var last = key(), value(levels: levels &- 1) else { return false }
        while at < end {
            let byte = byte(at)
            at &+= 1
            if byte == UInt8(ascii: "}") { return true }
            guard byte == UInt8(ascii: ","), let name = key(), isAscending(last, name),
                value(levels: levels &- 1)
            else { return false }
            last = name
        }
        return false
    }

    /// Reads the value that comes next, of at most so many levels of objects.
    @inline(__always)
    mutating func value(levels: Int) -> Bool {
        guard at < end else { return false }
        switch byte(at) {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return object(levels: levels)
        case UInt8(ascii: "t"): return literal("true")
        case UInt8(ascii: "f"): return literal("false")
        default: return number()
        }
    }

    private mutating func literal(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard at &+ length <= end else { return false }
        for index in 0..<length where byte(at &+ index) != literal.utf8Start[index] { return false }
        at &+= length
        return true
    }

    @inline(__always)
    private func isAscending(_ left: Name, _ right: Name) -> Bool {
        if left.word != right.word, left.word != 0, right.word != 0 { return left.word < right.word }
        return PackedText.key(raw(left)) < PackedText.key(raw(right))
    }
}

extension CanonicalCheck {
    /// Reads the key that comes next, up to its value; most often that of the object before.
    @inline(__always)
    private mutating func key() -> Name? {
        let index = place
        place &+= 1
        guard index < CanonicalCheck.knownKeyCount else { return newKey() }
        if at &+ 16 <= end {
            let (first, second) = (word(at), word(at &+ 8))
            let (text, masks) = (known[index].text, known[index].masks)
            if first & masks.0 == text.0, second & masks.1 == text.1, known[index].byteCount > 0 {
                let start = at &+ 1
                at &+= known[index].byteCount
                return Name(start: start, end: at &- 2, word: known[index].word)
            }
        }
        guard let name = newKey() else { return nil }
        learn(name, at: index)
        return name
    }

    /// Keeps a key for those that come, if it is short and ASCII.
    private func learn(_ name: Name, at index: Int) {
        let byteCount = name.end &- name.start &+ 3
        guard byteCount <= 16, name.start &+ 15 <= end else { return }
        func mask(_ count: Int) -> UInt64 {
            count <= 0 ? 0 : count >= 8 ? .max : .max >> UInt64(64 &- 8 &* count)
        }
        let masks = (mask(byteCount), mask(byteCount &- 8))
        let start = name.start &- 1
        let text = (word(start) & masks.0, word(start &+ 8) & masks.1)
        // Of others the continuation bytes have to be counted.
        guard (text.0 | text.1) & 0x8080_8080_8080_8080 == 0 else { return }
        known[index] = KnownKey(text: text, masks: masks, byteCount: byteCount, word: name.word)
    }

    /// Reads the key that comes next, up to its value.
    mutating func newKey() -> Name? {
        guard at < end, byte(at) == UInt8(ascii: "\"") else { return nil }
        let start = at &+ 1
        guard let (keyEnd, escapes) = endOfKey(from: start) else { return nil }
        guard keyEnd > start, keyEnd &- start &- escapes <= min(Key.byteLimit, limits.keyBytes),
            keyEnd &+ 1 < end, byte(keyEnd &+ 1) == UInt8(ascii: ":")
        else { return nil }
        at = keyEnd &+ 2
        var name = Name(start: start, end: keyEnd, word: 0, hasEscapes: escapes > 0)
        if escapes == 0, byte(start) > UInt8(ascii: "9") { name.word = Key.word(raw(name), at: 0) }
        return name
    }

    /// Where the closing quote stands, and how many escapes are before it.
    private mutating func endOfKey(from start: Int) -> (end: Int, escapes: Int)? {
        var place = start
        var escapes = 0
        while true {
            place = endOfPlainKey(from: place)
            guard place < end else { return nil }
            let byte = byte(place)
            if byte == UInt8(ascii: "\"") { return (place, escapes) }
            if byte == UInt8(ascii: "\\") {
                // The only characters of keys that are escaped.
                guard place &+ 1 < end else { return nil }
                let escaped = self.byte(place &+ 1)
                guard escaped == UInt8(ascii: "\"") || escaped == byte else { return nil }
                escapes &+= 1
                place &+= 2
                continue
            }
            guard byte >= 0x80, let length = characterByteCount(at: place) else { return nil }
            place &+= length
        }
    }
}
