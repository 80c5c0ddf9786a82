// The children of a page as text.

/// Children in key order as the members of one canonical text, and where each of them stands.
///
///     bytes   "-Na":{"text":"hi"},"-Nb":{"text":"ho"},"-Nc":true
///                   ↑            ↑
///             marks[0].value     marks[0].end       the key begins after the comma, and is kept as word0
///
/// Immutable but for appending: a write makes another text, which costs as much as copying the page.
struct PackedChildren: Sendable {
    /// No longer text is packed: a write copies it.
    static let byteLimit = 16_384

    struct Mark: Sendable {
        /// The first word of the key, by which it is looked for.
        var word: UInt64
        /// Where the value begins and ends.
        var value: UInt32
        var end: UInt32

        init(_ key: Key, value: Int, end: Int) {
            self.init(word: key.word0, value: value, end: end)
        }

        init(word: UInt64, value: Int, end: Int) {
            self.word = word
            self.value = UInt32(truncatingIfNeeded: value)
            self.end = UInt32(truncatingIfNeeded: end)
        }
    }

    private(set) var bytes: [UInt8] = []
    private(set) var marks: ContiguousArray<Mark> = []

    var count: Int { marks.count }

    /// The children as text, nil if one of them or all together are too large, or have priorities.
    init?(_ entries: ContiguousArray<ChildEntry>, byteLimit: Int = byteLimit) {
        var weight = 0
        for entry in entries {
            guard entry.node.isPackable else { return nil }
            weight &+= Page.Tally(entry).weight
        }
        guard weight <= byteLimit else { return nil }
        bytes.reserveCapacity(weight)
        marks.reserveCapacity(entries.count)
        for entry in entries { append(entry.key, entry.node) }
        guard bytes.count <= byteLimit else { return nil }
        trim()
    }

    init() {}

    /// Puts together what fits together.
    init(_ bytes: [UInt8], _ marks: ContiguousArray<Mark>) {
        self.bytes = bytes
        self.marks = marks
    }

    /// Appends a child that is packable and comes after all others.
    mutating func append(_ key: Key, _ node: Node) {
        appendKey(key)
        let value = bytes.count
        bytes.appendPacked(node)
        marks.append(Mark(key, value: value, end: bytes.count))
    }

    /// Appends a child whose canonical text is `text` and that comes after all others; `name` is how its key
    /// stands between quotes.
    mutating func append(_ key: Key, named name: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer) {
        let isFirst = marks.isEmpty
        let start = bytes.count
        bytes.append(addingCapacity: name.count + text.count + 4) { span in
            span.withUnsafeMutableBufferPointer { free, count in
                let room = UnsafeMutableRawBufferPointer(free)
                count = PackedChildren.write(name, text, afterComma: !isFirst, to: room)
            }
        }
        let value = start + name.count + (isFirst ? 3 : 4)
        marks.append(Mark(key, value: value, end: value + text.count))
    }

    /// Appends members that come after all others, as they stand in canonical text with commas between them;
    /// `marks` count from its beginning.
    mutating func append(members text: UnsafeRawBufferPointer, _ marks: UnsafeBufferPointer<Mark>) {
        if !self.marks.isEmpty { bytes.append(UInt8(ascii: ",")) }
        let start = bytes.count
        let first = self.marks.count
        bytes.append(contentsOf: text)
        self.marks.append(contentsOf: marks)
        shift(from: first, by: start)
    }

    /// Writes a member to where there is room for it, and returns how many bytes it has.
    private static func write(
        _ name: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, afterComma: Bool,
        to room: UnsafeMutableRawBufferPointer
    ) -> Int {
        precondition(room.count >= name.count + text.count + 4, "there is room for a member")
        var at = 0
        if afterComma {
            room[0] = UInt8(ascii: ",")
            at = 1
        }
        room[at] = UInt8(ascii: "\"")
        UnsafeMutableRawBufferPointer(rebasing: room[(at &+ 1)...]).copyMemory(from: name)
        at &+= 1 &+ name.count
        room[at] = UInt8(ascii: "\"")
        room[at &+ 1] = UInt8(ascii: ":")
        UnsafeMutableRawBufferPointer(rebasing: room[(at &+ 2)...]).copyMemory(from: text)
        return at &+ 2 &+ text.count
    }

    private mutating func appendKey(_ key: Key) {
        if marks.isEmpty {
            if bytes.capacity == 0 { bytes.reserveCapacity(224) }
            if marks.capacity == 0 { marks.reserveCapacity(6) }
        } else {
            bytes.append(UInt8(ascii: ","))
        }
        bytes.appendName(key)
    }

    /// Whether a child whose text has at most so many bytes may be appended.
    func hasRoom(for key: Key, _ byteCount: Int) -> Bool {
        // Quotes and backslashes in keys take two bytes.
        bytes.count &+ 2 &* key.byteCount &+ byteCount &+ 4 <= PackedChildren.byteLimit
    }

    /// Forgets all children but keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }

    /// The same without room to spare.
    var trimmed: PackedChildren {
        var copy = self
        copy.trim()
        return copy
    }

    private mutating func trim() {
        // An array made of a whole slice would take its memory over.
        if bytes.capacity > bytes.count &+ 32 { bytes = bytes.withUnsafeBytes { [UInt8]($0) } }
        if marks.capacity > marks.count &+ 2 {
            marks = marks.withUnsafeBufferPointer { ContiguousArray($0) }
        }
    }
}

extension PackedChildren {
    /// Where the member at `index` begins, with its quote.
    @inline(__always)
    func start(at index: Int) -> Int {
        index == 0 ? 0 : Int(marks[index &- 1].end) &+ 1
    }

    func key(at index: Int) -> Key {
        bytes.withUnsafeBytes { key(at: index, in: $0) }
    }

    func node(at index: Int) -> Node {
        bytes.withUnsafeBytes { node(at: index, in: $0) }
    }

    func entry(at index: Int) -> ChildEntry {
        bytes.withUnsafeBytes { ChildEntry(key: key(at: index, in: $0), node: node(at: index, in: $0)) }
    }

    @inline(__always)
    private func key(at index: Int, in text: UnsafeRawBufferPointer) -> Key {
        let name = start(at: index) &+ 1..<Int(marks[index].value) &- 2
        return PackedText.key(UnsafeRawBufferPointer(rebasing: text[name]))
    }

    @inline(__always)
    private func node(at index: Int, in text: UnsafeRawBufferPointer) -> Node {
        PackedText.node(Int(marks[index].value), Int(marks[index].end), in: text, of: bytes)
    }

    /// Whether the member at `index` has that key, whose first word it has.
    func hasKey(_ key: Key, at index: Int) -> Bool {
        guard marks[index].word == key.word0 else { return false }
        let start = start(at: index)
        let end = Int(marks[index].value) &- 2
        return bytes.withUnsafeBytes { text in
            let raw = UnsafeRawBufferPointer(rebasing: text[start &+ 1..<end])
            return key.isPlain ? key.isPlainText(raw) : key.withEscapedUTF8 { $0.hasSameBytes(as: raw) }
        }
    }

    var entries: ContiguousArray<ChildEntry> {
        var entries: ContiguousArray<ChildEntry> = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            entries.append(entry(at: index))
        }
        return entries
    }
}

extension PackedChildren {
    /// The children in a part of the places, which is not empty.
    func part(_ range: Range<Int>) -> PackedChildren {
        let first = start(at: range.lowerBound)
        var part = PackedChildren()
        part.bytes = Array(bytes[first..<Int(marks[range.upperBound - 1].end)])
        part.marks = ContiguousArray(marks[range])
        part.shift(from: 0, by: -first)
        return part
    }

    /// These children and those of `other`, which come after them.
    func joined(with other: PackedChildren) -> PackedChildren {
        guard count > 0 else { return other }
        guard other.count > 0 else { return self }
        var all = PackedChildren()
        all.bytes.reserveCapacity(bytes.count + 1 + other.bytes.count)
        all.bytes.append(contentsOf: bytes)
        all.bytes.append(UInt8(ascii: ","))
        all.bytes.append(contentsOf: other.bytes)
        all.marks.reserveCapacity(count + other.count)
        all.marks.append(contentsOf: marks)
        all.marks.append(contentsOf: other.marks)
        all.shift(from: count, by: bytes.count + 1)
        return all
    }

    /// With another child at `index`: instead of the one there if `isNew` is false, else before it.
    func setting(_ node: Node, for key: Key, at index: Int, isNew: Bool) -> PackedChildren {
        var all = PackedChildren()
        let start = index < count || !isNew ? start(at: index) : bytes.count
        let resume = isNew ? start : Int(marks[index].end)
        // Long numbers and escapes take more than they weigh; much more than this then costs another copy.
        let room = node.weight + key.byteCount + 28
        all.bytes.reserveCapacity(start + room + bytes.count - resume)
        all.marks.reserveCapacity(isNew ? count + 1 : count)
        bytes.withUnsafeBytes { old in
            all.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: old[..<start]))
            if isNew, index == count, index > 0 { all.bytes.append(UInt8(ascii: ",")) }
            all.bytes.appendName(key)
            let value = all.bytes.count
            all.bytes.appendPacked(node)
            let end = all.bytes.count
            if isNew, index < count { all.bytes.append(UInt8(ascii: ",")) }
            let shift = all.bytes.count - resume
            all.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: old[resume...]))
            all.marks.append(contentsOf: marks[..<index])
            all.marks.append(Mark(key, value: value, end: end))
            all.marks.append(contentsOf: marks[(isNew ? index : index + 1)...])
            all.shift(from: index + 1, by: shift)
        }
        return all
    }

    /// Without the child at `index`.
    func removing(at index: Int) -> PackedChildren {
        var all = PackedChildren()
        guard count > 1 else { return all }
        let start = start(at: index)
        let end = Int(marks[index].end)
        let isLast = index == count - 1
        all.bytes.reserveCapacity(bytes.count)
        bytes.withUnsafeBytes { old in
            // With the comma after it, or the one before it if it is the last.
            all.bytes.append(
                contentsOf: UnsafeRawBufferPointer(rebasing: old[..<(isLast ? start - 1 : start)]))
            if !isLast {
                all.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: old[(end + 1)...]))
            }
        }
        all.marks.reserveCapacity(count - 1)
        all.marks.append(contentsOf: marks[..<index])
        all.marks.append(contentsOf: marks[(index + 1)...])
        all.shift(from: index, by: start - end - 1)
        return all
    }

    /// Moves the places of the children from `first` on.
    private mutating func shift(from first: Int, by distance: Int) {
        let distance = UInt32(truncatingIfNeeded: distance)
        for index in first..<marks.count {
            marks[index].value &+= distance
            marks[index].end &+= distance
        }
    }
}
