// A node as JSON, all at once or as much at a time as there is room for.
public import HearthJSON

/// Writes a node as JSON text, piece by piece: it stops when enough was written and goes on at the next
/// call.
///
/// It keeps the node; writes do not disturb it. Its own memory is O(depth).
public struct NodeSerializer: Sendable {
    /// Which of several texts for the same node is written.
    public struct Format: Sendable {
        /// Where children may be written as arrays (`Node.arrayLength`).
        public enum Arrays: Sendable {
            /// At every level.
            case everywhere
            /// At every level but the first, as in the result of a query.
            case belowTop
            /// Nowhere.
            case nowhere
        }

        /// Where children may be written as arrays.
        public var arrays: Arrays
        /// Whether `.priority` is written, and `.value` for leaves that have one.
        public var showsPriorities: Bool
        /// Whether `true` stands for each child.
        public var isShallow: Bool
        /// How the text is laid out.
        public var layout: JSONLayout
        /// What is escaped in strings.
        public var escapes: JSONEscapes

        /// Puts a format together; without arguments it is `plain`.
        public init(
            arrays: Arrays = .everywhere, showsPriorities: Bool = false, isShallow: Bool = false,
            layout: JSONLayout = .compact, escapes: JSONEscapes = .minimal
        ) {
            self.arrays = arrays
            self.showsPriorities = showsPriorities
            self.isShallow = isShallow
            self.layout = layout
            self.escapes = escapes
        }

        /// What a GET answers.
        public static let plain = Format()
        /// What a GET with a query answers.
        public static let queryResult = Format(arrays: .belowTop)
        /// `format=export`, and the realtime protocol: priorities, and nothing but objects.
        public static let export = Format(arrays: .nowhere, showsPriorities: true)
        /// `shallow=true`: the names of the children, or the leaf itself.
        public static let shallow = Format(arrays: .nowhere, isShallow: true)
    }

    /// A node of which something is still to be written.
    private struct Frame: Sendable {
        var cursor: ChildCursor
        let priority: Priority
        let isArray: Bool
        /// The element that is written next, holes counted.
        var index = 0
        /// The child that was read from the cursor when the hole before it was met.
        var waiting: ChildEntry?
    }

    private let format: Format
    private var writer: JSONWriter
    private var frames: [Frame] = []
    private var root: Node?
    private var keyBytes: [UInt8] = []

    /// Begins the text of `node`.
    public init(_ node: Node, _ format: Format = .plain) {
        self.format = format
        root = node
        writer = JSONWriter(layout: format.layout, escapes: format.escapes)
    }

    /// Appends to `output` until the text is complete or at least `byteLimit` bytes were appended; one
    /// string or key may go beyond. Returns whether the text is complete.
    public mutating func write(into output: inout [UInt8], byteLimit: Int = .max) -> Bool {
        let (end, overflow) = output.count.addingReportingOverflow(max(1, byteLimit))
        let limit = overflow ? Int.max : end
        swap(&writer.bytes, &output)
        defer { swap(&writer.bytes, &output) }
        if let node = root {
            root = nil
            begin(node, isTop: true)
        }
        while !frames.isEmpty {
            guard writer.bytes.count < limit else { return false }
            step()
        }
        return true
    }

    /// The whole text.
    public static func bytes(of node: Node, _ format: Format = .plain) -> [UInt8] {
        var serializer = NodeSerializer(node, format)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(node.weight + 64, 1 << 20))
        let isComplete = serializer.write(into: &bytes)
        precondition(isComplete, "without a limit the text is complete")
        return bytes
    }

    /// Writes a leaf, or opens an object or array.
    private mutating func begin(_ node: Node, isTop: Bool) {
        guard node.childCount > 0 else { return writeLeaf(of: node) }
        let mayBeArray =
            switch format.arrays {
            case .everywhere: true
            case .belowTop: !isTop
            case .nowhere: false
            }
        let isArray = mayBeArray && node.arrayLength != nil
        if isArray { writer.beginArray() } else { writer.beginObject() }
        frames.append(Frame(cursor: node.children(), priority: node.priority, isArray: isArray))
    }

    private mutating func writeLeaf(of node: Node) {
        guard format.showsPriorities, node.priority != .none else { return write(node.leaf) }
        writer.beginObject()
        writeKey(".value")
        write(node.leaf)
        write(node.priority)
        writer.endObject()
    }

    private mutating func step() {
        let top = frames.count - 1
        if frames[top].isArray { return stepArray() }
        guard let entry = frames[top].cursor.next() else {
            if format.showsPriorities { write(frames[top].priority) }
            writer.endObject()
            frames.removeLast()
            return
        }
        keyBytes.removeAll(keepingCapacity: true)
        entry.key.appendUTF8(to: &keyBytes)
        keyBytes.withUnsafeBytes { writer.key(utf8: $0) }
        if format.isShallow { writer.bool(true) } else { begin(entry.node, isTop: false) }
    }

    private mutating func stepArray() {
        let top = frames.count - 1
        guard let entry = frames[top].waiting ?? frames[top].cursor.next() else {
            writer.endArray()
            frames.removeLast()
            return
        }
        let isHole = entry.key.arrayIndex.map { $0 > frames[top].index } ?? false
        frames[top].index += 1
        frames[top].waiting = isHole ? entry : nil
        if isHole { writer.null() } else { begin(entry.node, isTop: false) }
    }

    private mutating func writeKey(_ text: StaticString) {
        writer.key(utf8: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(_ leaf: Leaf?) {
        switch leaf {
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .string(let text): writer.string(text)
        case nil: writer.null()
        }
    }

    private mutating func write(_ priority: Priority) {
        guard priority != .none else { return }
        writeKey(".priority")
        switch priority {
        case .none: break
        case .number(let value): writer.double(value)
        case .string(let text): writer.string(text)
        }
    }
}
