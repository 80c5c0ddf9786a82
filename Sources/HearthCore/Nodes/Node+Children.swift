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
    /// The page of the next child, nil at the end.
    private var page: Page?
    /// The next child in the page; one beyond it if that is on another page.
    private var index = 0
    private let isAscending: Bool

    init(root: Page?, from position: KeyPosition, ascending: Bool) {
        isAscending = ascending
        guard let root else { return }
        switch position {
        case .start: if ascending { descend(from: root) }
        case .end: if !ascending { descend(from: root) }
        case .before(let key):
            let page = seek(key, from: root)
            let found = page.lowerBound(key)
            index = ascending ? found : found - 1
        case .after(let key):
            let page = seek(key, from: root)
            var found = page.lowerBound(key)
            if page.hasKey(key, at: found) { found += 1 }
            index = ascending ? found : found - 1
        }
    }

    /// The next child, nil at the end. Amortised O(1).
    public mutating func next() -> ChildEntry? {
        while let page {
            if index >= 0, index < page.size {
                defer { index += isAscending ? 1 : -1 }
                return page.entry(at: index)
            }
            turnPage()
        }
        return nil
    }

    /// The page of the next child, if that is its first and the walk ascends.
    var wholePage: Page? {
        mutating get {
            guard isAscending else { return nil }
            while let page, index >= page.size { turnPage() }
            return index == 0 ? page : nil
        }
    }

    /// Steps over all that is left of the page.
    mutating func skipPage() {
        index = page?.size ?? 0
    }

    /// Goes down to the page where `key` is or would be.
    private mutating func seek(_ key: Key, from root: Page) -> Page {
        var page = root
        while page.height > 0 {
            let slot = page.slotIndex(key)
            frames.append(Frame(page: page, index: slot))
            page = page.slots[slot].page
        }
        self.page = page
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
        self.page = page
        index = isAscending ? 0 : page.size - 1
    }

    private mutating func turnPage() {
        page = nil
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
