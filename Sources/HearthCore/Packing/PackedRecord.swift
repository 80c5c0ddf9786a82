// A small object as text: read where it stands, written by making another text.
import HearthJSON

/// An object without priorities whose canonical text has at most `PackedText.recordLimit` bytes; every such
/// object is kept so, whatever its history. The text may lie within that of a page, which it then keeps.
///
///     bytes   "-Na":{"text":"hello","user":"ada"},"-Nb":{"text":…
///                   ↑ start                     ↑ end
struct PackedRecord: Sendable {
    let bytes: [UInt8]
    private let start32: UInt32
    private let end32: UInt32

    init(_ bytes: [UInt8], _ start: Int, _ end: Int) {
        self.bytes = bytes
        start32 = UInt32(truncatingIfNeeded: start)
        end32 = UInt32(truncatingIfNeeded: end)
    }

    /// Takes over a whole text.
    init(_ bytes: [UInt8]) {
        self.init(bytes, 0, bytes.count)
    }

    var start: Int { Int(start32) }
    var end: Int { Int(end32) }
    var count: Int { end &- start }

    /// The text, braces included.
    @inline(__always)
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// The number of members. O(size).
    var childCount: Int { withText(PackedText.memberCount) }

    /// The child of that name, nil if there is none. O(size).
    func child(_ key: Key) -> Node? {
        withText { text in
            guard let member = PackedText.member(named: key, in: text) else { return nil }
            return node(of: member, in: text)
        }
    }

    /// What stands at `keys` from the one at `depth` on, nil if there is nothing. O(size).
    func descendant(at keys: [Key], from depth: Int) -> Node? {
        withText { text in
            var at = 0
            for index in depth..<keys.count {
                guard text[at] == UInt8(ascii: "{"),
                    let name = PackedText.name(keys[index], from: at, in: text)
                else { return nil }
                at = name.upperBound &+ 2
            }
            let end = at == 0 ? text.count : PackedText.endOfValue(at: at, in: text)
            guard text[at] == UInt8(ascii: "{") else {
                return Node(
                    storage: .leaf(PackedText.leaf(UnsafeRawBufferPointer(rebasing: text[at..<end]))))
            }
            return Node(storage: .packed(PackedRecord(bytes, start &+ at, start &+ end)))
        }
    }

    /// Whether there is a child of that name. O(size).
    func contains(_ key: Key) -> Bool {
        withText { PackedText.member(named: key, in: $0) != nil }
    }

    private func node(of member: PackedText.Member, in text: UnsafeRawBufferPointer) -> Node {
        if text[member.valueStart] == UInt8(ascii: "{") {
            return Node(
                storage: .packed(PackedRecord(bytes, start &+ member.valueStart, start &+ member.valueEnd)))
        }
        return Node(
            storage: .leaf(
                PackedText.leaf(
                    UnsafeRawBufferPointer(rebasing: text[member.valueStart..<member.valueEnd]))))
    }

    /// The children in key order. O(size).
    var entries: ContiguousArray<ChildEntry> {
        withText { text in
            var entries: ContiguousArray<ChildEntry> = []
            var at = 1
            while at &+ 1 < text.count {
                let member = PackedText.member(at: at, in: text)
                entries.append(ChildEntry(key: member.key(in: text), node: node(of: member, in: text)))
                at = member.valueEnd &+ 1
            }
            return entries
        }
    }

    /// Whether the first key begins with a digit, as that of every array does.
    var mayBeArray: Bool { bytes[start + 2] &- UInt8(ascii: "0") < 10 }

    /// The children as a page, however many they are: to look at, not to keep.
    var page: Page { Page(entries: entries) }

    /// The same object in a text of its own, if it keeps much more than that.
    var detached: PackedRecord {
        guard bytes.count > 2 * count + 64 else { return self }
        return PackedRecord(withText { [UInt8]($0) })
    }
}

extension PackedText.Member {
    func key(in text: UnsafeRawBufferPointer) -> Key {
        PackedText.key(UnsafeRawBufferPointer(rebasing: text[keyStart..<keyEnd]))
    }
}

extension PackedRecord: Equatable {
    /// Equal texts are equal values.
    static func == (left: PackedRecord, right: PackedRecord) -> Bool {
        guard left.count == right.count else { return false }
        return left.withText { leftText in
            right.withText { rightText in
                leftText.baseAddress == rightText.baseAddress || leftText.hasSameBytes(as: rightText)
            }
        }
    }
}

extension PackedRecord {
    /// The object with another child, or without the child if it is empty; nothing if that was the only one.
    ///
    /// - Complexity: O(size).
    func setting(_ node: Node, for key: Key) -> Node {
        guard node.isEmpty || node.isPackable else { return unpacked(setting: node, for: key) }
        let place = place(of: key)
        guard !node.isEmpty else { return removing(place) }
        var made: [UInt8] = []
        made.reserveCapacity(count + key.byteCount + node.weight + 16)
        withText { text in
            let isFirst = place.range.lowerBound == 1
            made.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[..<place.range.lowerBound]))
            if !place.isTaken, !isFirst, place.range.lowerBound == text.count &- 1 {
                made.append(UInt8(ascii: ","))
            }
            made.appendMember(key, node)
            if !place.isTaken, place.range.lowerBound < text.count &- 1 { made.append(UInt8(ascii: ",")) }
            made.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place.range.upperBound...]))
        }
        return made.count <= PackedText.recordLimit
            ? Node(storage: .packed(PackedRecord(made))) : unpacked(setting: node, for: key)
    }

    /// Where a child of that name is, without commas, or would begin: the first place is 1, and the last one
    /// that of the closing brace.
    private func place(of key: Key) -> (range: Range<Int>, isTaken: Bool) {
        withText { text in
            if let member = PackedText.member(named: key, in: text) {
                return (member.start..<member.valueEnd, true)
            }
            var at = 1
            while at &+ 1 < text.count {
                let member = PackedText.member(at: at, in: text)
                if key < member.key(in: text) { return (at..<at, false) }
                at = member.valueEnd &+ 1
            }
            return (text.count &- 1..<text.count &- 1, false)
        }
    }

    private func removing(_ place: (range: Range<Int>, isTaken: Bool)) -> Node {
        guard place.isTaken else { return Node(storage: .packed(self)) }
        guard place.range.count < count - 2 else { return .empty }
        return withText { text in
            // With the comma after it, or the one before it if it is the last.
            let isLast = place.range.upperBound == text.count &- 1
            let lower = isLast ? place.range.lowerBound &- 1 : place.range.lowerBound
            let upper = isLast ? place.range.upperBound : place.range.upperBound &+ 1
            var made: [UInt8] = []
            made.reserveCapacity(text.count)
            made.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[..<lower]))
            made.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[upper...]))
            return Node(storage: .packed(PackedRecord(made)))
        }
    }

    /// The same with pages.
    private func unpacked(setting node: Node, for key: Key) -> Node {
        var builder = Node.Builder(entries)
        builder.insert(node, for: key)
        return builder.finish()
    }

    /// The object with a priority.
    func settingPriority(_ priority: Priority) -> Node {
        guard priority != .none else { return Node(storage: .packed(self)) }
        return Node.Builder(entries).finish(priority: priority)
    }
}

extension [UInt8] {
    /// Appends a member of an object in canonical text, without a comma.
    mutating func appendMember(_ key: Key, _ node: Node) {
        appendName(key)
        appendPacked(node)
    }

    /// Appends the name of a member, up to its value.
    mutating func appendName(_ key: Key) {
        append(UInt8(ascii: "\""))
        key.withEscapedUTF8 { append(contentsOf: $0) }
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
    }

    /// Appends the canonical text of a node that is packable.
    mutating func appendPacked(_ node: Node) {
        switch node.storage {
        case .packed(let record): record.withText { append(contentsOf: $0) }
        case .leaf(.bool(let value)): append(contentsOf: (value ? "true" : "false").utf8)
        case .leaf(.integer(let value)): JSONNumber.append(value, to: &self)
        case .leaf(.double(let value)): JSONNumber.append(value, to: &self)
        case .leaf(.string(var text)):
            append(UInt8(ascii: "\""))
            text.withUTF8 { JSONEscapes.minimal.append(UnsafeRawBufferPointer($0), to: &self) }
            append(UInt8(ascii: "\""))
        case .empty, .ranked, .children, .rankedChildren:
            preconditionFailure("the node is not packable")
        }
    }
}

extension Node {
    /// Whether this may stand as text in a packed object or page: a leaf or packed object, without priority.
    var isPackable: Bool {
        switch storage {
        case .packed, .leaf(.bool), .leaf(.integer), .leaf(.double): true
        case .leaf(.string(let text)): text.utf8.count <= PackedText.recordLimit
        case .empty, .ranked, .children, .rankedChildren: false
        }
    }

    /// The most bytes that the text of a packable node may have.
    var packedByteLimit: Int {
        switch storage {
        case .packed(let record): record.count
        case .leaf(.string(let text)): 6 * text.utf8.count + 2
        case .empty, .leaf, .ranked, .children, .rankedChildren: 25
        }
    }

    /// The same value without the text of others around it: for keeping it long.
    ///
    /// - Complexity: O(1) or O(size) of a small object.
    var detached: Node {
        guard case .packed(let record) = storage else { return self }
        return Node(storage: .packed(record.detached))
    }
}

extension Page {
    /// The same children in one text, nil if they are too many or cannot be packed.
    var record: PackedRecord? {
        guard tally.count > 0, tally.weight + 2 <= PackedText.recordLimit else { return nil }
        var made: [UInt8] = []
        made.reserveCapacity(tally.weight + (height == 0 ? 2 : 34))
        made.append(UInt8(ascii: "{"))
        guard appendMembers(to: &made) else { return nil }
        made.append(UInt8(ascii: "}"))
        return made.count <= PackedText.recordLimit ? PackedRecord(made) : nil
    }

    private func appendMembers(to made: inout [UInt8]) -> Bool {
        guard height > 0 else {
            guard let packed else { return false }
            if made.count > 1 { made.append(UInt8(ascii: ",")) }
            made.append(contentsOf: packed.bytes)
            return true
        }
        return slots.allSatisfy { $0.page.appendMembers(to: &made) }
    }
}
