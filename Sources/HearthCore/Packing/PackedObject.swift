// Small objects that are looked at where they lie, by those who look at many of them.

/// An object that is kept as text. It is lent by a node and must not be kept longer than the call that lends
/// it.
///
///     {"message":"hello","time":1700000000000}
///       ↑      ↑       ↑
///       │      keyEnd  end                        a `Member`, counted from the brace
///       keyStart
public struct PackedObject {
    private let record: PackedRecord
    private let text: UnsafeRawBufferPointer

    init(_ record: PackedRecord, _ text: UnsafeRawBufferPointer) {
        self.record = record
        self.text = text
    }

    /// Where a member stands, and what was seen of it in passing.
    public struct Member: Sendable {
        /// The first word of the key, as `Key` has it; 0 if the key must be read to be compared.
        fileprivate let word: UInt64
        fileprivate let keyStart: UInt16
        fileprivate let keyEnd: UInt16
        fileprivate let end: UInt16
        /// Whether the value is a text that stands as it is: ASCII without escapes.
        fileprivate let isPlainText: Bool
    }

    /// The name of a member.
    public struct Name {
        fileprivate let word: UInt64
        fileprivate let text: UnsafeRawBufferPointer

        /// The name as a key.
        public var key: Key { PackedText.key(text) }
    }

    /// A value that is no object.
    public struct Value {
        fileprivate let text: UnsafeRawBufferPointer
        fileprivate let isPlainText: Bool
    }
}

extension PackedObject {
    /// Finds all members in key order; nil if there are more than there is room for.
    ///
    /// - Returns: how many there are.
    /// - Complexity: O(size), once for whatever is then asked of them.
    fileprivate func findMembers(_ room: UnsafeMutableBufferPointer<Member>) -> Int? {
        var at = 1
        var count = 0
        while at &+ 1 < text.count {
            guard count < room.count else { return nil }
            let member = Member(at: at, in: text)
            room.initializeElement(at: count, to: member)
            at = Int(member.end) &+ 1
            count &+= 1
        }
        return count
    }

    /// The name of a member of this object.
    public func name(of member: Member) -> Name {
        Name(
            word: member.word,
            text: UnsafeRawBufferPointer(rebasing: text[Int(member.keyStart)..<Int(member.keyEnd)]))
    }

    /// The value of a member of this object; nil if it is an object itself.
    public func value(of member: Member) -> Value? {
        let start = Int(member.keyEnd) &+ 2
        guard text[start] != UInt8(ascii: "{") else { return nil }
        return Value(
            text: UnsafeRawBufferPointer(rebasing: text[start..<Int(member.end)]),
            isPlainText: member.isPlainText)
    }

    /// The value of a member of this object as a node.
    public func node(of member: Member) -> Node {
        if let value = value(of: member) { return value.node }
        let start = record.start &+ Int(member.keyEnd) &+ 2
        return Node(storage: .packed(PackedRecord(record.bytes, start, record.start &+ Int(member.end))))
    }

    /// How many of the names, one after the other, the members have, which are those of this object: the
    /// first one that is missing ends it.
    public func countOfNames(
        _ keys: UnsafeBufferPointer<Key>, among members: UnsafeBufferPointer<Member>
    ) -> Int {
        guard let first = keys.baseAddress else { return 0 }
        var count = 0
        while count < keys.count, has(first[count], members) { count &+= 1 }
        return count
    }

    @inline(__always)
    private func has(_ key: Key, _ members: UnsafeBufferPointer<Member>) -> Bool {
        for member in members {
            if member.word == 0 {
                if name(of: member).key == key { return true }
            } else if member.word == key.word0, name(of: member).isPlain(key) {
                return true
            }
        }
        return false
    }
}

extension PackedObject.Member {
    /// The member whose quote stands at `quote`.
    fileprivate init(at quote: Int, in text: UnsafeRawBufferPointer) {
        let (keyEnd, word) = PackedText.endOfKey(at: quote, in: text)
        let valueStart = keyEnd &+ 2
        let end: Int
        if text[valueStart] == UInt8(ascii: "\"") {
            (end, isPlainText) = PackedText.endOfText(at: valueStart, in: text)
        } else {
            end = PackedText.endOfValue(at: valueStart, in: text)
            isPlainText = false
        }
        self.word = word
        keyStart = UInt16(truncatingIfNeeded: quote &+ 1)
        self.keyEnd = UInt16(truncatingIfNeeded: keyEnd)
        self.end = UInt16(truncatingIfNeeded: end)
    }
}

extension PackedObject.Name {
    /// Whether this is the text of a key with the same first word, which is not 0.
    @inline(__always)
    fileprivate func isPlain(_ key: Key) -> Bool {
        // Shorter ones have zeros behind them, which are in no key.
        if text.count <= 8 { return text.count < 8 || key.word1 == 0 }
        return text.count <= Key.inlineByteCount ? key.spill == nil && key.isPlainText(text) : self.key == key
    }

    /// Where the name stands among keys, which are in order; nil if it does not.
    ///
    /// - Complexity: O(n) for a few keys, else O(log n).
    public func place(in keys: [Key]) -> Int? {
        guard word != 0, keys.count <= Key.fewKeys else { return key.place(in: keys) }
        return keys.withUnsafeBufferPointer { keys in
            for place in 0..<keys.count where keys[place].word0 == word && isPlain(keys[place]) {
                return place
            }
            return nil
        }
    }
}

extension PackedObject.Value {
    /// What it is.
    public var nature: Node.Nature {
        switch text[0] {
        case UInt8(ascii: "\""): .leaf(.string)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .leaf(.bool)
        default: .leaf(.number)
        }
    }

    /// The value as a node.
    public var node: Node { Node(storage: .leaf(PackedText.leaf(text))) }

    /// The UTF-8 of the text; nil if it is none, or does not stand as it is.
    public var plainText: UnsafeRawBufferPointer? {
        guard isPlainText, let start = text.baseAddress else { return nil }
        return UnsafeRawBufferPointer(start: start + 1, count: text.count &- 2)
    }
}

extension Node {
    /// Finds all members, in key order, of an object that is kept as text; nil if this is none, or if it has
    /// more than there is room for.
    ///
    /// - Returns: how many there are.
    /// - Complexity: O(size).
    public func findPackedMembers(_ room: UnsafeMutableBufferPointer<PackedObject.Member>) -> Int? {
        guard case .packed(let record) = storage else { return nil }
        return record.withText { PackedObject(record, $0).findMembers(room) }
    }

    /// What `body` says of this object, nil if it is not kept as text.
    public func withPackedObject(_ body: (PackedObject) -> Bool) -> Bool? {
        guard case .packed(let record) = storage else { return nil }
        return record.withText { body(PackedObject(record, $0)) }
    }
}
