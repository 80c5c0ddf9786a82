// Walking over children, in both directions, from any place.

/// A child and its name.
public struct ChildEntry: Sendable {
    /// The child's name.
    public let key: Key
    /// The child, never empty.
    public internal(set) var node: Node

    /// Puts the two together.
    public init(key: Key, node: Node) {
        self.key = key
        self.node = node
    }
}

/// A place between keys.
public enum KeyPosition: Hashable, Sendable {
    /// Before every key.
    case start
    /// Just before a key, whether a child has it or not.
    case before(Key)
    /// Just after a key.
    case after(Key)
    /// After every key.
    case end
}

/// A walk over the children of one node. It keeps that node; writes do not disturb it.
public struct ChildCursor: Sequence, IteratorProtocol, Sendable {
    private struct Frame: Sendable {
        let page: Page
        var index: Int
    }

    /// The pages above the present one, and the slot by which each was left.
    private var frames: [Frame] = []
    /// The page of the next child, or of the one before it; nil at the end.
    private(set) var page: Page?
    /// The text of that page; empty if it has none.
    private var packed = PackedChildren()
    /// The places in the page whose children are still to come.
    private(set) var range = 0..<0
    /// How many may come after them.
    private var rest = Int.max
    private var isAscending: Bool

    init(root: Page?, from position: KeyPosition, ascending: Bool) {
        isAscending = ascending
        guard let root else { return }
        if root.height > 0 { frames.reserveCapacity(root.height) }
        switch position {
        case .start: if ascending { descend(from: root) }
        case .end: if !ascending { descend(from: root) }
        case .before(let key):
            let page = seek(key, from: root)
            enter(page, at: page.lowerBound(key))
        case .after(let key):
            let page = seek(key, from: root)
            let place = page.lowerBound(key)
            enter(page, at: page.hasKey(key, at: place) ? place + 1 : place)
        }
    }

    /// The next child, nil at the end. Amortised O(1).
    public mutating func next() -> ChildEntry? {
        while range.isEmpty {
            guard page != nil else { return nil }
            turnPage()
        }
        let index = isAscending ? range.lowerBound : range.upperBound &- 1
        range = isAscending ? index &+ 1..<range.upperBound : range.lowerBound..<index
        return packed.count > 0 ? packed.entry(at: index) : page?.entries[index]
    }

    /// The children of one page that come next, nil at the end. The walk stays before them.
    var part: PagePart? {
        mutating get {
            while let page {
                if !range.isEmpty { return PagePart(page: page, range: range) }
                turnPage()
            }
            return nil
        }
    }

    /// Steps over what `part` returned.
    mutating func skipPart() {
        range = isAscending ? range.upperBound..<range.upperBound : range.lowerBound..<range.lowerBound
    }

    /// The children of one page that come next, nil at the end. Amortised O(1).
    mutating func nextPart() -> PagePart? {
        let next = part
        skipPart()
        return next
    }

    /// The same walk over so many children at most.
    func limited(to count: Int) -> ChildCursor {
        var walk = self
        walk.rest = count
        walk.countOff()
        return walk
    }

    /// A walk upwards from a place in the page of this walk.
    func turned(upFrom place: Int) -> ChildCursor {
        var walk = self
        walk.isAscending = true
        walk.range = place..<(page?.size ?? place)
        return walk
    }

    private mutating func countOff() {
        let count = Swift.min(range.count, rest)
        rest -= count
        let (lower, upper) = (range.lowerBound, range.upperBound)
        range = isAscending ? lower..<lower + count : upper - count..<upper
    }

    /// Begins with the child after a place in the page, or before it.
    private mutating func enter(_ page: Page, at place: Int) {
        self.page = page
        packed = page.packed ?? PackedChildren()
        range = isAscending ? place..<page.size : 0..<place
        countOff()
    }

    /// Goes down to the page where `key` is or would be.
    private mutating func seek(_ key: Key, from root: Page) -> Page {
        var page = root
        while page.height > 0 {
            let slot = page.slotIndex(key)
            frames.append(Frame(page: page, index: slot))
            page = page.slots[slot].page
        }
        return page
    }

    /// Goes down to the first child in walking direction.
    private mutating func descend(from root: Page) {
        var page = root
        while page.height > 0 {
            let slot = isAscending ? 0 : page.slots.count - 1
            frames.append(Frame(page: page, index: slot))
            page = page.slots[slot].page
        }
        enter(page, at: isAscending ? 0 : page.size)
    }

    private mutating func turnPage() {
        page = nil
        packed = PackedChildren()
        guard rest > 0 else { return }
        while let top = frames.indices.last {
            frames[top].index += isAscending ? 1 : -1
            let slot = frames[top].index
            if slot >= 0, slot < frames[top].page.slots.count {
                descend(from: frames[top].page.slots[slot].page)
                return
            }
            frames.removeLast()
        }
    }
}

extension Node {
    /// The children in key order from `position` on.
    ///
    /// - Complexity: O(log n) to start, amortised O(1) a step.
    public func children(from position: KeyPosition = .start) -> ChildCursor {
        ChildCursor(root: page, from: position, ascending: true)
    }

    /// The children in reverse key order, beginning with the one just before `position`.
    ///
    /// - Complexity: O(log n) to start, amortised O(1) a step.
    public func childrenReversed(from position: KeyPosition = .end) -> ChildCursor {
        ChildCursor(root: page, from: position, ascending: false)
    }
}
