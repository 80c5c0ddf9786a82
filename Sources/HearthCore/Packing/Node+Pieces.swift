// Children as they are kept, for writing them down and reading them back without taking them apart.
import HearthJSON

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
    private var known = ContiguousArray(
        repeating: CanonicalCheck.KnownKey(), count: CanonicalCheck.knownKeyCount)

    /// A reader for any number of texts.
    public init() {}

    /// The object with that text; nil unless `withPackedText` gives such texts, and it has at most so many
    /// levels.
    ///
    /// - Complexity: O(size).
    public mutating func object(_ text: UnsafeRawBufferPointer, levels: Int) -> Node? {
        guard text.count <= PackedText.recordLimit, text.first == UInt8(ascii: "{"),
            withCheck(of: text, { $0.object(levels: levels) && $0.at == text.count })
        else { return nil }
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
            let children = withCheck(
                of: text, { PackedChildren(checking: text, count: count, &$0, levels: levels) })
        else { return false }
        return builder.append(children)
    }

    private mutating func withCheck<Result>(
        of text: UnsafeRawBufferPointer, _ body: (inout CanonicalCheck) -> Result
    ) -> Result {
        known.withUnsafeMutableBufferPointer { known in
            guard let memory = known.baseAddress else { preconditionFailure("there is room for keys") }
            var check = CanonicalCheck(text, at: 0, limits: JSONLimits(), known: memory)
            return body(&check)
        }
    }
}

extension PackedChildren {
    /// Takes over the text of a page; nil if it is none.
    fileprivate init?(
        checking text: UnsafeRawBufferPointer, count: Int, _ check: inout CanonicalCheck, levels: Int
    ) {
        var marks: ContiguousArray<Mark> = []
        marks.reserveCapacity(count)
        var last: Key?
        while check.at < text.count {
            check.place = 0
            guard let key = check.memberKey(), last.map({ $0 < key }) ?? true else { return nil }
            last = key
            let value = check.at
            guard check.value(levels: levels &- 1) else { return nil }
            let end = check.at
            guard PackedText.isPackable(UnsafeRawBufferPointer(rebasing: text[value..<end])) else {
                return nil
            }
            marks.append(Mark(key, value: value, end: end))
            // A comma, unless that was the last one.
            guard end < text.count else { break }
            check.at = end &+ 1
            guard text[end] == UInt8(ascii: ","), check.at < text.count else { return nil }
        }
        guard marks.count == count else { return nil }
        self.init([UInt8](text), marks)
    }
}
