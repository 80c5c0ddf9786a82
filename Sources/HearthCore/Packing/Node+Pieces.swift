// Children as they are kept, for writing them down and reading them back without taking them apart.

/// A part of the children of a node.
public enum ChildPiece: Sendable {
    /// One child.
    case child(ChildEntry)
    /// The canonical text of so many members, in key order, with commas between them: leaves and small
    /// objects without priorities.
    case members([UInt8], count: Int)
}

/// A walk over the children of a node in key order, many at a time where they are kept as text.
public struct ChildPieces: Sequence, IteratorProtocol, Sendable {
    private var cursor: ChildCursor

    fileprivate init(_ cursor: ChildCursor) {
        self.cursor = cursor
    }

    /// The next piece, nil at the end. Amortised O(1).
    public mutating func next() -> ChildPiece? {
        if let part = cursor.part, part.range.count == part.page.size, let packed = part.page.packed {
            cursor.skipPart()
            return .members(packed.bytes, count: packed.count)
        }
        return cursor.next().map { .child($0) }
    }
}

extension Node {
    /// The children in key order, in pieces as they are kept.
    public func childPieces() -> ChildPieces {
        ChildPieces(children())
    }

    /// Calls `body` with the canonical text of this object, nil if it is not kept as text: of leaves, of
    /// objects with priorities, and of large ones. The text must not be kept.
    public func withPackedText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard case .packed(let record) = storage else { return nil }
        return record.withText(body)
    }
}

/// Makes nodes of text that was written down, and checks it.
public struct PackedReader: Sendable {
    private var objects = RecordScanner()
    private var members = RecordScanner(byteLimit: PackedChildren.byteLimit)

    /// A reader for any number of texts.
    public init() {}

    /// The object with that text; nil unless `withPackedText` gives such texts, and it has at most so many
    /// levels.
    ///
    /// - Complexity: O(size).
    public mutating func object(_ text: UnsafeRawBufferPointer, levels: Int) -> Node? {
        guard text.count <= PackedText.recordLimit, objects.isCanonical(text, levels: levels) else {
            return nil
        }
        return Node(storage: .packed(PackedRecord([UInt8](text))))
    }

    /// Adds the members in `text` to a builder; false unless they are so many, canonical and in order behind
    /// all that are there, as those in a `ChildPiece` are.
    ///
    /// - Complexity: O(size).
    public mutating func insert(
        members text: UnsafeRawBufferPointer, count: Int, into builder: inout Node.Builder, levels: Int
    ) -> Bool {
        guard count > 0, count <= Page.entryLimit, text.count <= PackedChildren.byteLimit,
            let children = PackedChildren(checking: text, count: count, &members, levels: levels)
        else { return false }
        return builder.append(children)
    }
}

extension PackedChildren {
    /// Takes over the text of a page; nil if it is none.
    fileprivate init?(
        checking text: UnsafeRawBufferPointer, count: Int, _ scanner: inout RecordScanner, levels: Int
    ) {
        var marks: ContiguousArray<Mark> = []
        marks.reserveCapacity(count)
        var last: Key?
        var at = 0
        while at < text.count {
            guard let member = scanner.checkMember(at: at, in: text, levels: levels),
                PackedText.isPackable(UnsafeRawBufferPointer(rebasing: text[member.value..<member.end]))
            else { return nil }
            let key = PackedText.key(UnsafeRawBufferPointer(rebasing: text[at &+ 1..<member.value &- 2]))
            if let last, key <= last { return nil }
            last = key
            marks.append(Mark(key, value: member.value, end: member.end))
            at = member.end &+ 1
            // A comma, unless that was the last one.
            guard member.end == text.count || (text[member.end] == UInt8(ascii: ",") && at < text.count)
            else {
                return nil
            }
        }
        guard marks.count == count else { return nil }
        self.init([UInt8](text), marks)
    }
}
