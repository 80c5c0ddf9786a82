// Children that follow each other, found by where they begin and end and read page by page.

/// Some children of one node that follow each other in key order. It keeps that node; writes do not disturb
/// it.
public struct ChildRun: Sequence, Sendable {
    private let cursor: ChildCursor
    /// How many children there are.
    public let count: Int
    /// About how many bytes of JSON they are, close enough to choose a way.
    public let weight: Int

    private init(_ cursor: ChildCursor, _ extent: Extent) {
        self.cursor = cursor.limited(to: extent.count)
        count = extent.count
        weight = extent.weight + 2
    }

    /// How much was walked over.
    private struct Extent {
        var count = 0
        var weight = 0

        mutating func add(_ part: PagePart, _ range: Range<Int>) {
            guard !range.isEmpty else { return }
            // With a comma before it, but for the first.
            weight += PagePart(page: part.page, range: range).weight + (count > 0 ? 1 : 0)
            count += range.count
        }
    }

    /// Whether there is no child.
    public var isEmpty: Bool { count == 0 }

    /// A walk over the children, in key order.
    public func makeIterator() -> ChildCursor { cursor }

    /// The number of children, which is known.
    public var underestimatedCount: Int { count }

    /// The children in key order.
    ///
    /// - Complexity: O(count).
    public var entries: [ChildEntry] {
        var entries: [ChildEntry] = []
        entries.reserveCapacity(count)
        var walk = cursor
        while let part = walk.nextPart() { part.append(to: &entries) }
        return entries
    }

    /// Their names in order. Faster than by way of the children.
    ///
    /// - Complexity: O(count).
    public var keys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(count)
        var walk = cursor
        while let part = walk.nextPart() { part.append(to: &keys) }
        return keys
    }

    /// The children as one node, whole, without the priority of their parent.
    ///
    /// - Complexity: O(count).
    public var node: Node {
        var builder = Node.Builder()
        var walk = cursor
        while let part = walk.nextPart() {
            if let packed = part.page.packed, part.range.count == packed.count, builder.append(packed) {
                continue
            }
            var entries: [ChildEntry] = []
            part.append(to: &entries)
            for entry in entries { builder.insert(entry.node, for: entry.key) }
        }
        return builder.finish()
    }
}

extension ChildRun {
    /// No child.
    fileprivate static let empty = ChildRun(ChildCursor(root: nil, from: .end, ascending: true), Extent())

    /// The first children from a place on, as many as `limit` at most, up to another place.
    fileprivate static func first(_ limit: Int, of root: Page, _ begin: ChildCursor, to upper: KeyPosition)
        -> ChildRun
    {
        let end = upper.isEnd ? nil : ChildCursor(root: root, from: upper, ascending: true)
        var walk = begin
        var extent = Extent()
        while extent.count < limit, let part = walk.nextPart() {
            let isLast = part.page === end?.page
            let stop = isLast ? end?.range.lowerBound ?? 0 : part.range.upperBound
            let start = part.range.lowerBound
            extent.add(part, start..<start + Swift.min(stop - start, limit - extent.count))
            if isLast { break }
        }
        return ChildRun(begin, extent)
    }

    /// The last children before a place, as many as `limit` at most, down to another place.
    fileprivate static func last(_ limit: Int, of root: Page, _ begin: ChildCursor, to upper: KeyPosition)
        -> ChildRun
    {
        var walk = ChildCursor(root: root, from: upper, ascending: false)
        var extent = Extent()
        while extent.count < limit, let part = walk.nextPart() {
            let isFirst = part.page === begin.page
            let bound = isFirst ? begin.range.lowerBound : 0
            let start = Swift.max(bound, part.range.upperBound - (limit - extent.count))
            extent.add(part, start..<part.range.upperBound)
            if extent.count == limit { return ChildRun(walk.turned(upFrom: start), extent) }
            if isFirst { break }
        }
        return ChildRun(begin, extent)
    }
}

extension Node {
    /// The children between two places in key order, as many from one end as `limit` allows.
    ///
    /// - Complexity: O(log n + result / page).
    public func run(
        from lower: KeyPosition = .start, to upper: KeyPosition = .end, limit: Query.Limit? = nil
    ) -> ChildRun {
        // Of a small object it is made for the occasion; all walks must see the same.
        guard let page else { return .empty }
        let begin = ChildCursor(root: page, from: lower, ascending: true)
        var walk = begin
        guard let part = walk.part else { return .empty }
        if !upper.isEnd {
            // Where the ends have changed places there is nothing between them.
            guard let first = part.firstKey, first.precedes(upper) else { return .empty }
        }
        switch limit {
        case nil: return .first(.max, of: page, begin, to: upper)
        case .first(let count): return .first(Swift.max(0, count), of: page, begin, to: upper)
        case .last(let count): return .last(Swift.max(0, count), of: page, begin, to: upper)
        }
    }
}

extension KeyPosition {
    fileprivate var isEnd: Bool {
        if case .end = self { return true }
        return false
    }
}
