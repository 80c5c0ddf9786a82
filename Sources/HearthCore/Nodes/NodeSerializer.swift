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
    private var root: Excerpt?
    /// How many bytes of output are enough for now.
    private var limit = Int.max

    /// Begins the text of `node`.
    public init(_ node: Node, _ format: Format = .plain) {
        self.init(.whole(node), format)
    }

    /// Begins the text of a part of a node; nothing is `null`, as everywhere.
    public init(_ excerpt: Excerpt, _ format: Format = .plain) {
        self.init(format)
        root = excerpt
    }

    private init(_ format: Format) {
        self.format = format
        writer = JSONWriter(layout: format.layout, escapes: format.escapes)
    }

    /// Appends to `output` until the text is complete or at least `byteLimit` bytes were appended; one
    /// string or key, and escapes, may go beyond. Returns whether the text is complete.
    public mutating func write(into output: inout [UInt8], byteLimit: Int = .max) -> Bool {
        let (end, overflow) = output.count.addingReportingOverflow(max(1, byteLimit))
        limit = overflow ? Int.max : end
        swap(&writer.bytes, &output)
        defer { swap(&writer.bytes, &output) }
        if let excerpt = root.take() { begin(excerpt) }
        while !frames.isEmpty {
            guard writer.bytes.count < limit else { return false }
            step()
        }
        return true
    }

    /// The whole text.
    public static func bytes(of node: Node, _ format: Format = .plain) -> [UInt8] {
        bytes(of: .whole(node), format)
    }

    /// The whole text.
    public static func bytes(of excerpt: Excerpt, _ format: Format = .plain) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(excerpt.weight + 64, 1 << 20))
        append(excerpt, format, to: &bytes)
        return bytes
    }

    /// Appends the whole text.
    public static func append(_ node: Node, _ format: Format = .plain, to bytes: inout [UInt8]) {
        append(.whole(node), format, to: &bytes)
    }

    /// Appends the whole text.
    public static func append(_ excerpt: Excerpt, _ format: Format = .plain, to bytes: inout [UInt8]) {
        var serializer = NodeSerializer(format)
        swap(&serializer.writer.bytes, &bytes)
        serializer.begin(excerpt)
        swap(&serializer.writer.bytes, &bytes)
    }

    /// How many bytes the whole text has if it is there already and is copied as it is; nil if it is not.
    public static func copiedByteCount(of excerpt: Excerpt, _ format: Format) -> Int? {
        guard format.copiesText else { return nil }
        switch excerpt {
        case .whole(let node):
            if case .packed(let record) = node.storage { return record.count }
            return nil
        case .run(let run): return run.isEmpty || format.arrays == .everywhere ? nil : run.weight
        case .picked: return nil
        }
    }

    /// Appends a text that is there already; what was appended is of no use if it turns out that it is not.
    ///
    /// - Returns: whether it is.
    /// - Complexity: O(children / page), and copying.
    public static func copy(_ excerpt: Excerpt, _ format: Format, to bytes: inout [UInt8]) -> Bool {
        guard format.copiesText else { return false }
        switch excerpt {
        case .whole(let node):
            guard case .packed(let record) = node.storage else { return false }
            return record.withText { text in
                guard format.mayCopy(text) else { return false }
                bytes.append(contentsOf: text)
                return true
            }
        case .run(let run): return copy(run, format, to: &bytes)
        case .picked: return false
        }
    }

    private static func copy(_ run: ChildRun, _ format: Format, to bytes: inout [UInt8]) -> Bool {
        var walk = run.makeIterator()
        var isFirst = true
        while let part = walk.nextPart() {
            guard format.mayCopy(part.page) else { return false }
            bytes.append(UInt8(ascii: isFirst ? "{" : ","))
            part.withText { bytes.append(contentsOf: $0) }
            isFirst = false
        }
        bytes.append(UInt8(ascii: "}"))
        return !isFirst
    }

    private mutating func begin(_ excerpt: Excerpt) {
        // What is empty is written as nothing, and what may be an array at the top must be looked at whole.
        guard !excerpt.isEmpty, format.arrays != .everywhere else {
            return begin(excerpt.node, isTop: true)
        }
        switch excerpt {
        case .run(let run): begin(run)
        case .picked(let children) where limit == .max:
            writer.beginObject()
            for child in children { writeMember(child) }
            endObject(.none)
        case .whole, .picked: begin(excerpt.node, isTop: true)
        }
    }

    private mutating func begin(_ run: ChildRun) {
        writer.beginObject()
        var walk = run.makeIterator()
        guard limit == .max || run.weight <= limit - writer.bytes.count else {
            frames.append(Frame(cursor: walk, priority: .none, isArray: false))
            return
        }
        let bound = limit
        limit = .max
        defer { limit = bound }
        while let part = walk.nextPart() { writeMembers(of: part) }
        endObject(.none)
    }

    /// Writes a leaf, and children that fit into what may still be written; opens the object or array of
    /// others.
    private mutating func begin(_ node: Node, isTop: Bool) {
        switch node.storage {
        case .children(let page): begin(page, .none, of: node, isTop: isTop)
        case .rankedChildren(let ranked): begin(ranked.page, ranked.priority, of: node, isTop: isTop)
        case .packed(let record): begin(record, of: node, isTop: isTop)
        case .empty, .leaf, .ranked: writeLeaf(of: node)
        }
    }

    private mutating func begin(_ page: Page, _ priority: Priority, of node: Node, isTop: Bool) {
        let mayBeArray =
            switch format.arrays {
            case .everywhere: true
            case .belowTop: !isTop
            case .nowhere: false
            }
        let isArray = mayBeArray && page.beginsWithInteger && node.arrayLength != nil
        if isArray { writer.beginArray() } else { writer.beginObject() }
        if writer.bytes.count < limit, page.tally.weight <= limit - writer.bytes.count {
            // All of it now, even if its text turns out to be longer than it was taken to be.
            let bound = limit
            limit = .max
            defer { limit = bound }
            return isArray ? writeArray(page) : writeObject(page, priority)
        }
        frames.append(Frame(cursor: node.children(), priority: priority, isArray: isArray))
    }

    private mutating func begin(_ record: PackedRecord, of node: Node, isTop: Bool) {
        let isCopied =
            format.copiesText && record.count <= limit - writer.bytes.count
            && record.withText { text in
                guard format.mayCopy(text) else { return false }
                writer.value(text: text)
                return true
            }
        if !isCopied { begin(record.page, .none, of: node, isTop: isTop) }
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
        if let part = frames[top].cursor.part, format.mayCopy(part.page),
            part.weight < limit - writer.bytes.count
        {
            frames[top].cursor.skipPart()
            return writeMembers(of: part)
        }
        guard let entry = frames[top].cursor.next() else {
            endObject(frames[top].priority)
            frames.removeLast()
            return
        }
        writeMember(entry)
    }

    private mutating func writeMember(_ entry: ChildEntry) {
        entry.key.withUTF8 { writer.key(utf8: $0) }
        if format.isShallow { writer.bool(true) } else { begin(entry.node, isTop: false) }
    }

    private mutating func endObject(_ priority: Priority) {
        if format.showsPriorities { write(priority) }
        writer.endObject()
    }

    private mutating func writeObject(_ page: Page, _ priority: Priority) {
        writeMembers(of: page)
        endObject(priority)
    }

    /// The recursion is as deep as the tree, which is bounded.
    private mutating func writeMembers(of page: Page) {
        for slot in page.slots { writeMembers(of: slot.page) }
        if page.height == 0 { writeMembers(of: PagePart(page: page, range: 0..<page.size)) }
    }

    private mutating func writeMembers(of part: PagePart) {
        if format.mayCopy(part.page) {
            part.withText { writer.members(text: $0) }
        } else {
            for index in part.range { writeMember(part.page.entry(at: index)) }
        }
    }

    private mutating func writeArray(_ page: Page) {
        var count = 0
        writeElements(of: page, &count)
        writer.endArray()
    }

    private mutating func writeElements(of page: Page, _ count: inout Int) {
        for slot in page.slots { writeElements(of: slot.page, &count) }
        for entry in page.allEntries {
            let index = entry.key.arrayIndex ?? count
            for _ in count..<max(count, index) { writer.null() }
            begin(entry.node, isTop: false)
            count = index + 1
        }
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

extension NodeSerializer.Format {
    /// Whether canonical text is what the format asks for, if nothing in it reads as an array.
    fileprivate var copiesText: Bool {
        !isShallow && layout == .compact && escapes == .minimal
    }

    fileprivate func mayCopy(_ text: UnsafeRawBufferPointer) -> Bool {
        arrays == .nowhere || !PackedText.mayHaveArrays(text)
    }

    /// Whether the text of a page's children can be copied.
    fileprivate func mayCopy(_ page: Page) -> Bool {
        page.packed != nil && copiesText && (arrays == .nowhere || !page.mayHaveArrays)
    }
}
