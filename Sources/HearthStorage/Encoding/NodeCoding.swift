// A node as bytes: compact, in key order, small objects as the JSON in which they are kept.
import HearthCore

/// What the bytes of a node begin with.
///
///     ┌──────┬─────────────────────────────┬──────────────────────────────────────────────┐
///     │ tag  │ priority, if the tag has one│ what the tag says                            │
///     └──────┴─────────────────────────────┴──────────────────────────────────────────────┘
///       low four bits: 0 nothing · 1 false · 2 true · 3 integer (signed varint) · 4 double (8 bytes)
///                      5 text (length, UTF-8) · 6 children (count, then for each: key, node)
///                      7 a small object as JSON (length, text) · 8 children in pieces (count, then pieces)
///       next bits:     0x10 a number as priority (8 bytes) · 0x20 text as priority (length, UTF-8)
///
///     piece: a count; if it is 0, one child: key, node; else so many members as JSON (length, text)
///
/// JSON is in the one form in which it is kept in memory, and checked to be when it is read. Format 1 had
/// children of kind 6, which are not written any more. Numbers are little-endian. The root comes first and
/// children in key order, so that writing and reading need no more memory than one path.
enum NodeTag {
    static let empty: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let integer: UInt8 = 3
    static let double: UInt8 = 4
    static let text: UInt8 = 5
    static let children: UInt8 = 6
    static let object: UInt8 = 7
    static let pieces: UInt8 = 8
    static let kindMask: UInt8 = 0x0F
    static let numberPriority: UInt8 = 0x10
    static let textPriority: UInt8 = 0x20
    static let priorityMask: UInt8 = 0xF0

    /// More levels than `Path.depthLimit` allows, so that a later, higher limit needs no new format.
    static let depthLimit = 256
}

/// Where encoded nodes go: `bytes` is appended to, and may be emptied between two children.
protocol NodeOutput {
    associatedtype Failure: Error
    var bytes: [UInt8] { get set }
    mutating func drain() throws(Failure)
}

/// Encoded nodes that stay in memory.
struct MemoryOutput: NodeOutput {
    var bytes: [UInt8] = []
    mutating func drain() throws(Never) {}
}

extension NodeOutput {
    /// - Complexity: O(size of the node), recursion as deep as the node.
    mutating func append(_ node: Node) throws(Failure) {
        guard node.hasChildren else { return appendLeaf(node.leaf, node.priority) }
        let isText = node.withPackedText { text in
            bytes.append(NodeTag.object)
            bytes.appendCount(text.count)
            bytes.append(contentsOf: text)
            return true
        }
        if isText ?? false { return }
        appendTag(NodeTag.pieces, node.priority)
        bytes.appendCount(node.childCount)
        var pieces = node.childPieces()
        while let piece = pieces.next() {
            switch piece {
            case .child(let child):
                bytes.append(0)
                bytes.appendKey(child.key)
                try append(child.node)
            case .members(let text, let count):
                bytes.appendCount(count)
                bytes.appendBytes(text)
            }
            try drain()
        }
    }

    private mutating func appendLeaf(_ leaf: Leaf?, _ priority: Priority) {
        switch leaf {
        case nil: bytes.append(NodeTag.empty)
        case .bool(let value): appendTag(value ? NodeTag.yes : NodeTag.no, priority)
        case .integer(let value):
            appendTag(NodeTag.integer, priority)
            bytes.appendSignedVarint(value)
        case .double(let value):
            appendTag(NodeTag.double, priority)
            bytes.appendFixed64(value.bitPattern)
        case .string(let text):
            appendTag(NodeTag.text, priority)
            bytes.appendText(text)
        }
    }

    mutating func appendTag(_ kind: UInt8, _ priority: Priority) {
        switch priority {
        case .none: bytes.append(kind)
        case .number(let value):
            bytes.append(kind | NodeTag.numberPriority)
            bytes.appendFixed64(value.bitPattern)
        case .string(let text):
            bytes.append(kind | NodeTag.textPriority)
            bytes.appendText(text)
        }
    }
}

extension ByteReader {
    mutating func node() throws(DecodingFault) -> Node {
        try node(levelsLeft: NodeTag.depthLimit)
    }

    private mutating func node(levelsLeft: Int) throws(DecodingFault) -> Node {
        let tag = try byte()
        let priority = try priority(tag)
        switch tag & NodeTag.kindMask {
        case NodeTag.empty where priority == .none: return .empty
        case NodeTag.no: return Node(.bool(false), priority: priority)
        case NodeTag.yes: return Node(.bool(true), priority: priority)
        case NodeTag.integer: return Node(.integer(try signedVarint()), priority: priority)
        case NodeTag.double: return Node(try double(), priority: priority)
        case NodeTag.text:
            return Node(.string(try text(upTo: Leaf.stringByteLimit)), priority: priority)
        case NodeTag.children:
            guard levelsLeft > 0 else { throw fault(.tooDeep) }
            return try children(priority, levelsLeft: levelsLeft - 1)
        case NodeTag.object where priority == .none:
            guard let node = try object(levelsLeft: levelsLeft) else { throw fault(.badChildren) }
            return node
        case NodeTag.pieces:
            guard levelsLeft > 0 else { throw fault(.tooDeep) }
            return try pieces(priority, levelsLeft: levelsLeft - 1)
        default: throw fault(.unknownTag(tag))
        }
    }

    private mutating func children(_ priority: Priority, levelsLeft: Int) throws(DecodingFault) -> Node {
        let count = try count(upTo: Int.max)
        guard count > 0 else { throw fault(.badChildren) }
        var builder = Node.Builder()
        var last: Key?
        for _ in 0..<count {
            let key = try key()
            if let last, last >= key { throw fault(.badChildren) }
            last = key
            let child = try node(levelsLeft: levelsLeft)
            guard !child.isEmpty else { throw fault(.badChildren) }
            builder.insert(child, for: key)
        }
        return builder.finish(priority: priority)
    }

    private mutating func pieces(_ priority: Priority, levelsLeft: Int) throws(DecodingFault) -> Node {
        var left = try count(upTo: Int.max)
        guard left > 0 else { throw fault(.badChildren) }
        var builder = Node.Builder()
        while left > 0 {
            let count = try count(upTo: left)
            left -= max(count, 1)
            guard count == 0 else {
                guard try members(count, into: &builder, levelsLeft: levelsLeft) else {
                    throw fault(.badChildren)
                }
                continue
            }
            let key = try key()
            guard builder.comesLast(key) else { throw fault(.badChildren) }
            let child = try node(levelsLeft: levelsLeft)
            guard !child.isEmpty else { throw fault(.badChildren) }
            builder.insert(child, for: key)
        }
        return builder.finish(priority: priority)
    }

    private mutating func double() throws(DecodingFault) -> Leaf {
        let value = Double(bitPattern: try fixed64())
        guard value.isFinite, case .double = Leaf(number: value) else { throw fault(.badNumber) }
        return .double(value)
    }

    mutating func priority(_ tag: UInt8) throws(DecodingFault) -> Priority {
        switch tag & NodeTag.priorityMask {
        case 0: return .none
        case NodeTag.numberPriority:
            let value = Double(bitPattern: try fixed64())
            guard value.isFinite else { throw fault(.badNumber) }
            return .number(value)
        case NodeTag.textPriority: return .string(try text(upTo: Leaf.stringByteLimit))
        default: throw fault(.unknownTag(tag))
        }
    }
}
